// The pace of a campaign, and the estimate of its end.
import { describe, expect, test } from '@jest/globals'
import { estimatedEnd, perMinuteOf } from '../../../rules/sending/progress.ts'

describe('The progress of a campaign', () => {
  test('Messages per minute are those sent in the seconds since the first of them', () => {
    expect([
      perMinuteOf({ sent: 0, seconds: 600 }),
      perMinuteOf({ sent: 50, seconds: 600 }),
      perMinuteOf({ sent: 10_000, seconds: 0 }),
    ]).toEqual([0, 5, 600_000])
  })

  test('The estimated end is the time that all messages ahead need at the present pace', () => {
    const pace = { sent: 10, seconds: 60 }
    expect(estimatedEnd([{ position: 0, count: 100 }], [0], pace, 1000)).toBe(1600)
    expect(estimatedEnd([{ position: 1, count: 100 }], [0, 60], pace, 1000)).toBe(1600)
    expect(estimatedEnd([{ position: 0, count: 1 }], [0, 60, 60], pace, 1000)).toBe(1120)
  })

  test('There is no estimate while nothing is sent, and none when nothing is ahead', () => {
    expect(estimatedEnd([{ position: 0, count: 1 }], [0], { sent: 0, seconds: 600 }, 1)).toBeNull()
    expect(estimatedEnd([{ position: 1, count: 5 }], [0], { sent: 9, seconds: 1 }, 1)).toBeNull()
    expect(estimatedEnd([], [0], { sent: 9, seconds: 1 }, 1)).toBeNull()
  })
})
