// A leak is found in noise, and noise is no leak.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { slopeOf } from './slope.ts'

const line = (slope: number, noise: (n: number) => number, count = 60) => Array.from({ length: count }, (_, n) => ({ x: n, y: 200 + slope * n + noise(n) }))

test('a line is found as it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: -100, max: 100 }), (slope) => {
      const found = slopeOf(line(slope, () => 0))
      expect(found.slope).toBeCloseTo(slope)
      expect(found.high - found.low).toBeCloseTo(0)
    }),
  )
})

test('a saw is no growth; a saw that grows is', () => {
  const saw = (n: number) => (n % 7) * 3
  expect(slopeOf(line(0, saw)).low).toBeLessThan(0)
  expect(slopeOf(line(1, saw)).low).toBeGreaterThan(0.5)
})

test('of two points nothing is known', () => {
  expect(slopeOf(line(5, () => 0, 2)).low).toBe(Number.NEGATIVE_INFINITY)
})
