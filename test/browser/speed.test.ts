// What may take how long on a machine that is busy.
import { expect, test } from '@jest/globals'
import { limitOf, slowdown } from './speed.ts'

test('On a quiet machine the limit is the goal, on a busy one at most four times of it', () => {
  expect(limitOf(300, [1, 1.1, 1])).toBe(300)
  expect(limitOf(300, [1.2, 1.8])).toBe(900)
  expect(limitOf(300, [8, 12])).toBe(1_200)
})

test('A machine is never faster than alone', () => {
  expect(slowdown()).toBeGreaterThanOrEqual(1)
})
