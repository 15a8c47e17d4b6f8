// What may take how long on a machine that is busy.
import { expect, test } from '@jest/globals'
import { limitOf, slowdown } from './speed.ts'

test('On a quiet machine the limit is the goal, on a busy one about twice of it by its slowdown', () => {
  expect(limitOf(300, [1, 1.1, 1])).toBe(300)
  expect(limitOf(300, [2, 4])).toBe(1_800)
})

test('A machine is never faster than alone', () => {
  expect(slowdown()).toBeGreaterThanOrEqual(1)
})
