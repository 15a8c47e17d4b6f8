// The sentences about records: text of others does not change the order of the words around it.
import { expect, test } from '@jest/globals'
import { effectNames } from '../../../rules/effects.ts'
import { type EffectRowFacts, effectEntry, effectSlots } from '../../../rules/timeline/effect-entries.ts'
import type { Moment } from '../../../rules/timeline/records.ts'
import { parts } from '../../../rules/timeline/records.ts'
import { turns } from '../../kit/attention-words.ts'

const name = '\u202eemca'
/** Facts whose texts are all of others. */
const facts = (more: object = {}): never => {
  const texts = ['module', 'carrier', 'reason', 'status', 'audience', 'kind', 'name', 'campaign', 'class', 'type']
  const others = [
    'key',
    'form',
    'provider',
    'node',
    'role',
    'source',
    'cancelled_by',
    'cancel_reason',
    'disabled_reason',
  ]
  const named = Object.fromEntries([...texts, ...others].map((one) => [one, name]))
  const paused_reason = { code: 'mailbox_refused', message: `${name}.` }
  return {
    ...named,
    paused_reason,
    number: 7,
    amount: 500,
    captured_amount: 500,
    currency: 'USD',
    step: 0,
    n: 1,
    ...more,
  } as never
}

test('No text of others changes the direction of a sentence about a record', () => {
  const titles = Object.values(parts).flatMap((part) =>
    Object.values(part as Record<string, Moment<never>>).map(({ title }) => title(facts())),
  )
  expect(titles.filter((title) => title.includes(name)).length).toBeGreaterThan(15)
  expect(titles.filter(turns)).toEqual([])
})

test('No text of others changes the direction of a sentence about an effect', () => {
  const error = { code: 'x', message: `${name}.` }
  const row: Omit<EffectRowFacts, 'facts'> = {
    ...{ status: 'rejected', attempt: 2, sent_ms: 1, deadline_ms: 2, answered_ms: 3, settled_ms: 4, late_ms: 5 },
    ...{ replaced: [], error, evidence: {}, late_evidence: { status: 'succeeded' } },
    resolution: { outcome: 'rejected', note: name, account_id: 'a', at: 1 },
  }
  const titles = effectNames.flatMap((effect) =>
    (['rejected', 'failed', 'unknown'] as const).flatMap((status) =>
      effectSlots.map((slot) => effectEntry(effect, slot, { ...row, status, facts: facts({ kind: 'ours' }) }).title),
    ),
  )
  expect(titles.filter((title) => title.includes(name)).length).toBeGreaterThan(20)
  expect(titles.filter(turns)).toEqual([])
})
