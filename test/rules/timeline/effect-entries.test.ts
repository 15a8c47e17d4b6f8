// The sentences about an effect say what its row proves, for each outcome, and begin with a capital letter.
import { expect, test } from '@jest/globals'
import type { Resolution } from '../../../rules/resolutions.ts'
import {
  type EffectRowFacts,
  type EffectSlot,
  effectEntry,
  effectSlots,
} from '../../../rules/timeline/effect-entries.ts'
import type { EntryText } from '../../../rules/timeline/entries.ts'

const row = (more: Partial<EffectRowFacts<'refund'>> = {}): EffectRowFacts<'refund'> => ({
  ...{ status: 'succeeded', attempt: 1, sent_ms: 1_000, deadline_ms: 19_000, answered_ms: 2_000, settled_ms: 2_000 },
  ...{
    late_ms: null,
    replaced: [],
    error: null,
    evidence: { status: 'succeeded' },
    late_evidence: null,
    resolution: null,
  },
  facts: { amount: 500, currency: 'USD', origin: 'operator', requested_by: 'a' },
  ...more,
})
const entryAt = (
  slot: EffectSlot,
  more: Partial<EffectRowFacts<'refund'>> = {},
  which: Parameters<typeof effectEntry>[3] = {},
) => effectEntry('refund', slot, row(more), which)

test('An attempt that was given back was not carried out, and the earlier ones are counted', () => {
  const error = { code: 'not_prepared', message: 'No.' }
  expect(entryAt('claimed', { status: 'requested', sent_ms: null, attempt: 3, error })).toMatchObject({
    title:
      'A worker picked up the refund of 5.00 USD, and gave it back: it was not carried out. It was attempt 3; none before it had an effect.',
    details: { earlier_attempts: 2, error },
  })
  expect(entryAt('claimed').details).toEqual({})
})

const nodeRun = (
  slot: EffectSlot,
  { is_read, ...more }: Partial<EffectRowFacts<'node_run'>> & { is_read: boolean },
): EntryText => effectEntry('node_run', slot, { ...row(), ...more, facts: { node: 'call', is_read } })

test('A read that is repeated or fails is not said to be unsent, nor without an effect', () => {
  const read = { is_read: true, attempt: 2, answered_ms: null, evidence: null }
  const error = { code: 'egress_no_answer', message: 'No answer.' }
  expect(nodeRun('claimed', { ...read, status: 'requested', error }).title).toBe(
    'A worker picked up the run of the node call. It was attempt 2; those before it only read.',
  )
  expect(nodeRun('settled', { ...read, status: 'failed', error }).title).toBe(
    'The run of the node call failed: no attempt to read got a usable answer. No answer.',
  )
  expect(nodeRun('settled', { ...read, status: 'failed', sent_ms: null }).title).toContain('nothing was sent')
})

test('The first attempt of an account that is named later is unknown, and not without an effect', () => {
  const late_evidence = { unknown: { code: 'no_answer', message: 'No answer.' } }
  const entry = effectEntry('connect', 'claimed', { ...row({ attempt: 2, late_evidence }), facts: {} })
  expect(entry.title).toMatch(/It was attempt 2; the outcome of an earlier one is unknown\.$/)
})

test.each(['connect', 'price_provision'] as const)(
  'What exists at the provider is used without an answer: %s',
  (name) => {
    const adopted = { ...row({ evidence: { adopted: true } }), facts: {} }
    expect(effectEntry(name, 'answered', adopted)).toMatchObject({
      title: 'The worker found what exists there, and uses it.',
      lane: 'worker',
    })
    expect(effectEntry(name, 'sent', adopted).title).toContain('Nothing was sent')
    expect(effectEntry(name, 'settled', adopted).title).toContain('was not needed')
  },
)

test.each([
  [{ command: 'DATA' }, null, 'silence'],
  [{ resolved_by: 'a', note: 'Seen.', resolved_at: 1 }, { outcome: 'rejected' }, 'silence'],
  [{ command: 'DATA', status: 554 }, null, 'answered'],
  [{ provider_session_id: 'cs_1', state: 'open' }, null, 'answered'],
])('Evidence %j that no answer gave is silence', (evidence, resolution, kind) => {
  expect(entryAt('answered', { status: 'unknown', evidence, resolution: resolution as Resolution | null }).kind).toBe(
    kind,
  )
})

test('A proof that came after an attempt is no entry at the time of the attempt', () => {
  const evidence = { event: 'evt_1', status: 'succeeded' }
  expect(entryAt('answered', { evidence, settled_ms: 300_000 })).toMatchObject({
    title: expect.stringContaining('is not stored any more'),
    details: {},
  })
  expect(entryAt('settled', { evidence, settled_ms: 300_000 }).title).toContain('a signed event')
})

test('A proof that is a late answer has an entry as one', () => {
  const entry = effectEntry('social_reveal', 'settled', {
    ...row({ evidence: { proof: 'late_answer' } }),
    facts: { n: 1 },
  })
  expect(entry.title).toBe('The call that shows the post succeeded: a late answer of the network proves it.')
})

test('No text of a mail server is in the timeline of an e-mail, which may name the address', () => {
  const mail = {
    ...row({
      status: 'unknown',
      error: { code: 'EMESSAGE', message: '554 ada@example.com is full', provider_status: 554 },
      evidence: { command: 'DATA', status: 554, response: '554 ada@example.com is full' },
      late_evidence: { status: 'succeeded', response: '250 ada@example.com' },
    }),
    facts: { kind: 'sign_in_code' },
  }
  const all = effectSlots.filter((slot) => slot !== 'resolved').map((slot) => effectEntry('mail', slot, mail))
  expect(JSON.stringify(all)).not.toContain('ada@')
  expect(all.find(({ kind }) => kind === 'answered')?.details).toMatchObject({
    evidence: { command: 'DATA', status: 554 },
    error: { code: 'EMESSAGE', provider_status: 554 },
  })
})

test.each([
  [{ status: 'processing', answered_ms: null } as const, 'deadline', 'worker'],
  [{ status: 'unknown', answered_ms: null } as const, 'silence', 'provider'],
  [{ status: 'succeeded', answered_ms: 20_000 } as const, 'silence', 'provider'],
])('A deadline of a row that is %j is %s', (more, kind, lane) => {
  expect(entryAt('deadline', more)).toMatchObject({ kind, lane, details: { bound: true } })
})

test.each([
  [{ status: 'processing' } as const, 'answered', 'accepted it'],
  [{ status: 'unknown', evidence: {} } as const, 'silence', 'ended without an answer'],
  [{ status: 'unknown', evidence: { status: 500 } } as const, 'answered', 'does not prove'],
  [
    { evidence: { event: 'evt_1', status: 'succeeded' } },
    'answered',
    'A signed event of the payment provider reported it',
  ],
  [{}, 'answered', 'The payment provider answered.'],
])('An answer of a row with %j is %s', (more, kind, words) => {
  expect(entryAt('answered', more)).toMatchObject({ kind, title: expect.stringContaining(words) })
})

test.each([
  [{}, 'The refund of 5.00 USD succeeded.'],
  [{ evidence: { event: 'evt_1' } }, 'succeeded: a signed event of the payment provider proves it.'],
  [
    { status: 'rejected', error: { code: 'x', message: 'Too late.' } } as const,
    'refused the refund of 5.00 USD. Too late.',
  ],
  [{ status: 'failed' } as const, 'nothing was sent that had an effect.'],
  [{ status: 'unknown' } as const, 'cannot be proved: unknown. It is never sent again.'],
  [{ status: 'unknown', error: { code: 'quarantined', message: 'Lost.' } } as const, 'put in quarantine'],
])('A settled row with %j has its words', (more, words) => {
  expect(entryAt('settled', more).title).toContain(words)
})

test.each([
  [{ status: 'succeeded', event: 'evt_1' }, 'A signed event of the payment provider says that it was carried out'],
  [{ status: 'failed' }, 'A late answer of the payment provider says that it was not carried out'],
  [{ status: 'not_sent' }, 'The worker found that nothing had left'],
])('Late evidence %j has its words, with a bound where its time is not stored', (late_evidence, words) => {
  const entry = entryAt('late_evidence', { status: 'unknown', late_evidence })
  expect(entry.title).toContain(words)
  expect(entry.title).toContain('when is not stored')
  expect(entry.details.bound).toBe(true)
  expect(entryAt('late_evidence', { late_evidence, late_ms: 9 }).details.bound).toBeUndefined()
})

const outcome = { at: 2_000, answered_ms: 2_000, attempt: 1, error: null }
const lostAnswer = { ...outcome, slot: 'settled', status: 'unknown', evidence: {} } as const
const proved = { evidence: { event: 'evt_1', status: 'succeeded' }, settled_ms: 300_000 }

test('A connection that broke stays silent after a proof, and its outcome stays unknown', () => {
  const row = { ...proved, replaced: [lostAnswer] }
  expect(entryAt('answered', row)).toMatchObject({ kind: 'silence', by: null })
  expect(entryAt('settled', row, { replaced: 0 }).title).toContain('cannot be proved')
  expect(entryAt('settled', row).title).toContain('a signed event')
})

test('A proof stays in the timeline after a resolution, whether or not it agrees with it', () => {
  const proof = { ...outcome, ...proved, slot: 'settled', at: 300_000, status: 'succeeded' } as const
  for (const status of ['succeeded', 'rejected'] as const) {
    const row = { ...proved, status, settled_ms: 900_000, replaced: [lostAnswer, proof] }
    expect(entryAt('settled', row, { replaced: 1 }).title).toContain('a signed event of the payment provider proves it')
  }
})

test('An answer that accepts a request stays one after the event that settles it', () => {
  const accepted = { ...outcome, slot: 'answered', status: 'processing', evidence: { status: 'pending' } } as const
  expect(entryAt('answered', { ...proved, replaced: [accepted] }).title).toContain('accepted it')
  // One of an attempt before the last one says nothing about it.
  expect(entryAt('answered', { ...proved, attempt: 2, replaced: [accepted] }).title).toContain('not stored any more')
})

test('An answer in time that agrees with the event before it is an answer, and not late', () => {
  const answer = { ...outcome, slot: 'answered', at: 2_100, status: 'succeeded', evidence: { id: 're_1' } } as const
  const row = { ...proved, settled_ms: 2_000, replaced: [answer] }
  expect(entryAt('answered', row).title).toContain('A signed event')
  expect(entryAt('answered', row, { replaced: 0 })).toMatchObject({
    title: 'The payment provider answered.',
    details: { evidence: { id: 're_1' } },
  })
})

test('Late evidence that other evidence replaced keeps its words and its time', () => {
  const late = { slot: 'late_evidence', at: 5_000, late_ms: 5_000, evidence: { status: 'failed' } } as const
  const row = { late_evidence: { event: 'evt_1', status: 'succeeded' }, late_ms: 9_000, replaced: [late] }
  expect(entryAt('late_evidence', row, { replaced: 0 })).toMatchObject({
    title: expect.stringContaining('not carried out'),
    details: { evidence: { status: 'failed' } },
  })
})

test('Each resolution has its note, and one that was replaced says so', () => {
  const before = { outcome: 'rejected', note: 'A mistake.', account_id: 'b', at: 1 }
  const resolution = { outcome: 'succeeded', note: 'Seen.', account_id: 'a', at: 2, before }
  expect(entryAt('resolved', { resolution })).toMatchObject({ by: { id: 'a' }, details: { note: 'Seen.' } })
  expect(entryAt('resolved', { resolution }, { depth: 1 })).toMatchObject({
    title: 'An operator recorded that it was not carried out. It was corrected later.',
    by: { id: 'b' },
  })
})
