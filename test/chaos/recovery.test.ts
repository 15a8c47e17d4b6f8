// Recoveries are measured values, and one that another fault lengthened is reported apart.
import { expect, test } from '@jest/globals'
import { quantile, recoveries } from './recovery.ts'

test('A quantile is a measured value', () => {
  const values = Array.from({ length: 100 }, (_, n) => n + 1)
  expect([0.5, 0.99, 1].map((part) => quantile(values, part))).toEqual([50, 99, 100])
  expect([quantile([7], 0.99), quantile([], 0.5)]).toEqual([7, null])
})

test('A recovery that another fault lengthened is reported apart', () => {
  const row = {
    table: 'refunds',
    status: 'unknown',
    sent_at: 950,
    deadline_at: 18_950,
    error: null,
    by_event: false,
  } as const
  const effects = [
    { ...row, id: 'a', settled_at: 19_000 },
    { ...row, id: 'b', settled_at: null },
  ]
  const kill = { kind: 'kill', victim: 'worker-1', what: '', from: 1_000, to: 1_000 }
  const held = [{ name: 'worker-1', at: 1_000, ids: ['a', 'b'] }]
  expect(recoveries(held, effects, [kill])).toEqual([
    { what: 'refunds a (unknown) after worker-1', ms: 18_000, alone: true },
  ])
  // The other worker had been killed before, and was not running yet.
  const earlier = { ...kill, victim: 'worker-2', from: 500, to: 510, back: 3_000 }
  expect(recoveries(held, effects, [kill, earlier])).toMatchObject([{ alone: false }])
  expect(recoveries(held, effects, [kill, { ...earlier, back: 900 }])).toMatchObject([{ alone: true }])
  expect(recoveries(held, effects, [kill, { ...kill, victim: 'postgres', to: 9_000 }])).toMatchObject([
    { ms: 18_000, alone: false },
  ])
})
