// Whether a resolved record needs attention is one rule in two languages: what lists filter by in SQL is what each record shows.
import { afterAll, expect, test } from '@jest/globals'
import { contradictedSql } from '../../entities/kit/resolutions.ts'
import { type Evidence, lateAnswer, needsAttention, type Resolution, resolved, saysOf } from '../../rules/resolutions.ts'
import { database } from '../kit/shop.ts'

afterAll(async () => database().end())

const words = ['succeeded', 'pending', 'seen', 'rejected', 'failed', 'canceled', 'not_sent', 'other', 500]
const pieces: (Evidence | null)[] = [null, {}, ...words.flatMap((status) => [{ status }, { status, event: 'evt_1' }])]
const resolutions: (Resolution | null)[] = [
  null,
  ...['succeeded', 'rejected', 'published', 'failed'].flatMap((outcome) =>
    [undefined, ...pieces.filter((piece) => piece !== null)].map((against) => ({ outcome, note: '', account_id: '', at: 1, ...(against ? { against } : {}) })),
  ),
]
const statuses = ['succeeded', 'rejected', 'published', 'failed', 'unknown']

test('The rule and its SQL agree about every status, resolution and evidence', async () => {
  const rows = statuses.flatMap((status) =>
    resolutions.flatMap((resolution) => pieces.flatMap((evidence) => pieces.map((late_evidence) => ({ status, resolution, evidence, late_evidence })))),
  )
  expect(rows.length).toBeGreaterThan(100_000)
  const { rows: found } = await database().query(
    `select n, coalesce(x.status = 'unknown' or ${contradictedSql('x')}, false) as needs from rows from (jsonb_to_recordset($1::jsonb) as (status text, resolution jsonb, evidence jsonb, late_evidence jsonb))
       with ordinality as x(status, resolution, evidence, late_evidence, n) order by n`,
    [JSON.stringify(rows)],
  )
  const differing = rows.filter((row, n) => needsAttention(row) !== found[n].needs)
  expect(differing.slice(0, 3)).toEqual([])
}, 60_000)

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
    expect(needsAttention({ status: outcome, resolution: forced, evidence: evidence[0], late_evidence: evidence[1] })).toBe(false)
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

test('A record keeps a hundred corrections, each with the one before', () => {
  let last: Resolution<'succeeded' | 'rejected'> | null = null
  const next = (n: number) => resolved({ outcome: n % 2 ? 'succeeded' : 'rejected', note: `${n}`, account_id: 'a', force: false }, [], last, n)
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
  expect(lateAnswer('rejected', { status: 'failed', provider_refund_id: 're_1' })).toEqual({ status: 'failed', provider_refund_id: 're_1' })
  expect(lateAnswer('succeeded', { status: 200 })).toEqual({ status: 'succeeded', provider_status: 200 })
})
