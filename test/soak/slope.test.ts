// A leak is found in noise, and noise is not reported as a leak.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { slopeOf } from './slope.ts'

const line = (slope: number, noise: (n: number) => number, count = 60) =>
  Array.from({ length: count }, (_, n) => ({ x: n, y: 200 + slope * n + noise(n) }))

test('The slope of a straight line is found exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: -100, max: 100 }), (slope) => {
      const found = slopeOf(line(slope, () => 0))
      expect(found.slope).toBeCloseTo(slope)
      expect(found.high - found.low).toBeCloseTo(0)
    }),
  )
})

test('A sawtooth is no growth, and a rising sawtooth is', () => {
  const saw = (n: number) => (n % 7) * 3
  expect(slopeOf(line(0, saw)).low).toBeLessThan(0)
  expect(slopeOf(line(1, saw)).low).toBeGreaterThan(0.5)
})

test('Two points give no bounds of a slope', () => {
  expect(slopeOf(line(5, () => 0, 2)).low).toBe(Number.NEGATIVE_INFINITY)
})
