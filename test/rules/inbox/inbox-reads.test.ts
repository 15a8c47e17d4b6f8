// A server that is slow has less time, and longer pauses; one that is busy has neither.
import { expect, test } from '@jest/globals'
import { pauseMs, readLimitMs, slowReads } from '../../../rules/inbox/inbox-reads.ts'

test('A server that sends a byte every few seconds has longer pauses with each read', () => {
  const pauses: number[] = []
  let slow = 0
  for (let read = 0; read < 6; read++) {
    slow = slowReads(slow, readLimitMs(slow, false) + 1, 0)
    pauses.push(pauseMs(true, slow) / 1000)
  }
  expect(pauses).toEqual([120, 240, 480, 900, 900, 900])
  expect(pauseMs(false, slow) / 1000).toBe(900)
  expect([readLimitMs(0, false), readLimitMs(0, true), readLimitMs(1, false)]).toEqual([60_000, 15_000, 15_000])
})

test('A long read that brings many messages is not slow, and goes on at once', () => {
  expect(slowReads(0, 50_000, 100)).toBe(0)
  expect(pauseMs(true, 0, true)).toBe(0)
  expect(slowReads(3, 9_000, 0)).toBe(0)
})

test('A server that always has more is read again after a pause, if it is slow', () => {
  expect(pauseMs(true, slowReads(0, 50_000, 10), true)).toBe(120_000)
})
