// The sentences about an effect say what its row proves, for each outcome, and begin with a capital letter.
import { expect, test } from '@jest/globals'
import { type EffectRowFacts, type EffectSlot, effectEntry } from '../../../rules/timeline/effect-entries.ts'

const row = (more: Partial<EffectRowFacts<'refund'>> = {}): EffectRowFacts<'refund'> => ({
  ...{ status: 'succeeded', attempt: 1, sent_ms: 1_000, deadline_ms: 19_000, answered_ms: 2_000, late_ms: null },
  ...{ error: null, evidence: { status: 'succeeded' }, late_evidence: null, resolution: null },
  facts: { amount: 500, currency: 'USD', origin: 'operator', requested_by: 'a' },
  ...more,
})
const told = (slot: EffectSlot, more: Partial<EffectRowFacts<'refund'>> = {}, depth = 0) =>
  effectEntry('refund', slot, row(more), depth)

test('An attempt that was given back says that nothing was sent, and counts the earlier ones', () => {
  const error = { code: 'not_prepared', message: 'No.' }
  expect(told('claimed', { status: 'requested', attempt: 3, error })).toMatchObject({
    title:
      'A worker claimed the refund of 5.00 USD, and gave it back: nothing was sent. It was attempt 3; none before it had an effect.',
    details: { earlier_attempts: 2, error },
  })
  expect(told('claimed').details).toEqual({})
})

test.each([
  [{ status: 'processing', answered_ms: null } as const, 'deadline', 'worker'],
  [{ status: 'unknown', answered_ms: null } as const, 'silence', 'provider'],
  [{ status: 'succeeded', answered_ms: 20_000 } as const, 'silence', 'provider'],
])('A deadline of a row that is %j is %s', (more, kind, lane) => {
  expect(told('deadline', more)).toMatchObject({ kind, lane, details: { bound: true } })
})

test.each([
  [{ status: 'processing' } as const, 'answered', 'accepted it'],
  [{ status: 'unknown', evidence: {} } as const, 'silence', 'ended without an answer'],
  [{ status: 'unknown', evidence: { status: 500 } } as const, 'answered', 'does not prove'],
  [
    { evidence: { event: 'evt_1', status: 'succeeded' } },
    'answered',
    'A signed event of the payment provider told of it',
  ],
  [{}, 'answered', 'The payment provider answered.'],
])('An answer of a row with %j is %s', (more, kind, words) => {
  expect(told('answered', more)).toMatchObject({ kind, title: expect.stringContaining(words) })
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
])('A settled row with %j is told', (more, words) => {
  expect(told('settled', more).title).toContain(words)
})

test.each([
  [{ status: 'succeeded', event: 'evt_1' }, 'A signed event of the payment provider says that it was carried out'],
  [{ status: 'failed' }, 'A late answer of the payment provider says that it was not carried out'],
  [{ status: 'not_sent' }, 'The worker found that nothing had left'],
])('Late evidence %j is told, with a bound where its time is not stored', (late_evidence, words) => {
  const entry = told('late_evidence', { status: 'unknown', late_evidence })
  expect(entry.title).toContain(words)
  expect(entry.title).toContain('when is not stored')
  expect(entry.details.bound).toBe(true)
  expect(told('late_evidence', { late_evidence, late_ms: 9 }).details.bound).toBeUndefined()
})

test('Each resolution is told with its note, and one that was replaced says so', () => {
  const before = { outcome: 'rejected', note: 'A mistake.', account_id: 'b', at: 1 }
  const resolution = { outcome: 'succeeded', note: 'Seen.', account_id: 'a', at: 2, before }
  expect(told('resolved', { resolution })).toMatchObject({ by: { id: 'a' }, details: { note: 'Seen.' } })
  expect(told('resolved', { resolution }, 1)).toMatchObject({
    title: 'An operator recorded what was found: rejected. It was corrected later.',
    by: { id: 'b' },
  })
})
