// What may take how long on a machine that is busy.
import { expect, test } from '@jest/globals'
import { limitOf, slowdown } from './speed.ts'

test('The limit is twice the goal on a quiet machine, and at most four times on a busy one', () => {
  expect(limitOf(300, [1, 1, 1])).toBe(600)
  expect(limitOf(300, [1.2, 1.8])).toBe(900)
  expect(limitOf(300, [8, 12])).toBe(1_200)
})

test('A machine is never faster than alone', () => {
  expect(slowdown()).toBeGreaterThanOrEqual(1)
})
