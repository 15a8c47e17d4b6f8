// The report shows each fault of a round and counts every violation.
import { expect, test } from '@jest/globals'
import { markdown } from './report.ts'
import { newTimeline, told } from './timeline.ts'

test('The timeline shows each fault’s time, victim and end', () => {
  const timeline = newTimeline()
  timeline.begin('stop', 'postgres', 'stands still', 2_500)()
  timeline.at('kill', 'worker-1', 'SIGKILL', 1_250)
  const [first, second] = told(timeline.all(), 1_000)
  expect(first).toBe('+0.250 s  kill worker-1: SIGKILL')
  expect(second).toMatch(/^\+1\.500 s to \+\d+\.\d{3} s {2}stop postgres: stands still$/)
})

test('The report counts violations by name', () => {
  const text = markdown({
    ...{ seed: 7, commit: 'abc', rounds: 1, minutes: 1 },
    found: [
      {
        ...{
          round: '1',
          orders: 3,
          pages: 0,
          store: null,
          history: null,
          took: { load: 1, calls: 0, settling: 1 },
          statuses: new Map([[200, 4]]),
        },
        diagnosis: [],
        last: [],
        violations: [{ invariant: 'Double charges', what: 'order o1 was charged 2 times' }],
        recovered: [{ what: 'refunds a', ms: 18_000, alone: true }],
      },
    ],
  })
  expect(text).toContain('| Double charges | 1 |')
  expect(text).toContain('| Oversold units | 0 |')
  expect(text).toContain('| without other faults | 1 | 18.0 s | 18.0 s | 18.0 s |')
})
