// Whether a resolved record needs attention is one rule in two languages: what lists filter by in SQL is what each
// record shows.
import { afterAll, expect, test } from '@jest/globals'
import { sql } from '../../entities/kit/database/sql.ts'
import { contradictedSql, laterSql, mayBeContradicted } from '../../entities/kit/resolutions.ts'
import {
  type Evidence,
  lateAnswer,
  laterOf,
  needsAttention,
  type Resolution,
  resolved,
  saysOf,
} from '../../rules/resolutions.ts'
import { database } from '../kit/shop.ts'

afterAll(async () => database().end())

const words = ['succeeded', 'pending', 'seen', 'rejected', 'failed', 'canceled', 'not_sent', 'other', 500]
const pieces: (Evidence | null)[] = [null, {}, ...words.flatMap((status) => [{ status }, { status, event: 'evt_1' }])]
const proved = [
  { status: 'succeeded', proof: 'thread' },
  { status: 'succeeded', inbound: 'bounce' },
  { status: 'seen', read_at: 1 },
]
const resolutions: (Resolution | null)[] = [
  null,
  ...['succeeded', 'rejected', 'published', 'completed', 'failed'].flatMap((outcome) =>
    [undefined, ...pieces.filter((piece) => piece !== null)].map((against) => ({
      outcome,
      note: '',
      account_id: '',
      at: 1,
      ...(against ? { against } : {}),
    })),
  ),
]
const statuses = ['succeeded', 'rejected', 'published', 'failed', 'unknown']

test('The rule and its SQL agree about every status, resolution and evidence', async () => {
  const rows = statuses.flatMap((status) =>
    resolutions.flatMap((resolution) =>
      pieces.flatMap((evidence) => pieces.map((late_evidence) => ({ status, resolution, evidence, late_evidence }))),
    ),
  )
  expect(rows.length).toBeGreaterThan(100_000)
  const { rows: found } = await database().query(
    `select n, coalesce(x.status = 'unknown' or ${contradictedSql('x').sql}, false) as needs,
       coalesce(x.status = 'unknown' or ${mayBeContradicted('x.').sql}, false) as is_indexed
     from rows from (
       jsonb_to_recordset($1::jsonb) as (status text, resolution jsonb, evidence jsonb, late_evidence jsonb))
       with ordinality as x(status, resolution, evidence, late_evidence, n) order by n`,
    [JSON.stringify(rows)],
  )
  const differing = rows.filter((row, n) => needsAttention(row) !== found[n].needs)
  expect(differing.slice(0, 3)).toEqual([])
  // The index of the open rows has each of them, and none that was resolved without evidence.
  expect(rows.filter((_, n) => found[n].needs && !found[n].is_indexed).slice(0, 3)).toEqual([])
  const silent = rows.filter(
    ({ status, resolution, evidence, late_evidence }, n) =>
      found[n].is_indexed && status === resolution?.outcome && !evidence && !late_evidence,
  )
  expect(silent.filter(({ status }) => status !== 'unknown')).toEqual([])
}, 60_000)

test('Late evidence in any order never says less, and the rule and its SQL agree', async () => {
  const all = [...pieces, ...proved]
  const pairs = all.flatMap((before) => all.flatMap((next) => (next ? [{ late_evidence: before, next }] : [])))
  const { rows } = await database().query(
    `select n, ${laterSql('x', sql`x.next`).sql} as late
     from rows from (jsonb_to_recordset($1::jsonb) as (late_evidence jsonb, next jsonb))
       with ordinality as x(late_evidence, next, n)
     order by n`,
    [JSON.stringify(pairs)],
  )
  expect(pairs.map(({ late_evidence, next }) => laterOf(late_evidence, next))).toEqual(rows.map(({ late }) => late))
  for (const { late_evidence: before, next } of pairs) {
    const later = laterOf(before, next)
    const [was, is] = [saysOf([before]), saysOf([later])]
    // What says something goes on saying it, unless something of no less weight says otherwise.
    if (was !== null) expect(is).not.toBeNull()
    if (was !== null && saysOf([next]) === null) expect(later).toEqual(before)
    if (before && 'event' in before && was !== null && later !== before) expect(observedIn(next)).toBe(true)
    if (was === null && saysOf([next]) !== null) expect(later).toEqual(next)
    expect(laterOf(later, next)).toEqual(later)
  }
})

const observedIn = (one: Evidence) => ['event', 'proof', 'inbound', 'read_at'].some((name) => name in one)

test('An answer says nothing against what a signed event reported, in any column', () => {
  const event = { status: 'succeeded', event: 'evt_1' }
  for (const answer of [
    { status: 'unknown', provider_status: 502 },
    { status: 'not_sent' },
    { status: 'rejected' },
    { status: 'failed' },
    {},
  ])
    for (const both of [
      [event, answer],
      [answer, event],
    ])
      expect([answer, saysOf(both)]).toEqual([answer, 'done'])
})

test('A resolution that evidence contradicts is refused unless it is forced', () => {
  for (const [outcome, evidence] of [
    ['rejected', [null, { status: 'succeeded' }]],
    ['rejected', [{ status: 'pending' }, null]],
    ['succeeded', [{ status: 'succeeded' }, { status: 'failed' }]],
    ['published', [null, { status: 'not_sent' }]],
  ] as const) {
    const decision = { outcome, note: 'n', account_id: 'a', force: false }
    expect(() => resolved(decision, evidence, null, 1)).toThrow('says otherwise')
    const forced = resolved({ ...decision, force: true }, evidence, null, 1)
    expect(
      needsAttention({ status: outcome, resolution: forced, evidence: evidence[0], late_evidence: evidence[1] }),
    ).toBe(false)
    // The same evidence once more, or other evidence, from a later event.
    expect(
      needsAttention({
        status: outcome,
        resolution: forced,
        evidence: evidence[0],
        late_evidence: { ...evidence[1], ...evidence[0], at: 2, status: evidence[1]?.status ?? evidence[0]?.status },
      }),
    ).toBe(true)
  }
})

test('Another outcome replaces what is recorded only if it names that', () => {
  const decision = { outcome: 'succeeded', note: 'n', account_id: 'a', force: false }
  const first = resolved(decision, [], null, 1)
  expect(first).toEqual({ outcome: 'succeeded', note: 'n', account_id: 'a', at: 1 })
  for (const replaces of [undefined, 'rejected'])
    expect(() => resolved({ ...decision, outcome: 'rejected', replaces }, [], first, 2)).toThrow(
      '`succeeded` was recorded',
    )
  expect(() => resolved({ ...decision, replaces: 'rejected' }, [], null, 2)).toThrow('No outcome was recorded')
  expect(resolved({ ...decision, outcome: 'rejected', replaces: 'succeeded' }, [], first, 2).before).toEqual(first)
  expect(resolved(decision, [], first, 2).before).toEqual(first)
})

test('A record keeps a hundred corrections, each with the one before', () => {
  let last: Resolution<'succeeded' | 'rejected'> | null = null
  const next = (n: number) =>
    resolved(
      {
        ...{ outcome: n % 2 ? 'succeeded' : 'rejected', note: `${n}`, account_id: 'a', force: false },
        replaces: last?.outcome,
      },
      [],
      last,
      n,
    )
  for (let n = 0; n < 100; n++) last = next(n)
  expect(last?.before?.before?.note).toBe('97')
  expect(() => next(100)).toThrow('100 times')
})

test('A late answer says the outcome that it proves, beside the status code of any protocol', () => {
  for (const status of [undefined, null, 200, 250, 402, 550]) {
    expect(saysOf([lateAnswer('succeeded', { status })])).toBe('done')
    expect(saysOf([lateAnswer('rejected', { status })])).toBe('not_done')
    expect(saysOf([lateAnswer('unknown', { status })])).toBeNull()
  }
  expect(lateAnswer('rejected', { status: 'failed', provider_refund_id: 're_1' })).toEqual({
    status: 'failed',
    provider_refund_id: 're_1',
  })
  // A cancelled authorisation is what the request asked for, and a payment that was captured elsewhere is not.
  expect(lateAnswer('succeeded', { status: 'canceled' })).toEqual({ status: 'succeeded', provider_status: 'canceled' })
  expect(lateAnswer('rejected', { status: 'succeeded' })).toEqual({ status: 'rejected', provider_status: 'succeeded' })
  expect(lateAnswer('succeeded', { status: 200 })).toEqual({ status: 'succeeded', provider_status: 200 })
})
