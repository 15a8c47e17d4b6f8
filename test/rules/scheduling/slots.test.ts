// A slot is a span of time in seconds.
import { expect, test } from '@jest/globals'
import type { z } from 'zod'
import { Slot } from '../../../rules/scheduling/slots.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

test('A slot ends after it starts and is not in milliseconds', () => {
  expect(accepts(Slot, { from: 100, to: 200 })).toBe(true)
  for (const slot of [
    { from: 200, to: 200 },
    { from: 1_700_000_000_000, to: 1_700_000_360_000 },
  ]) {
    expect(accepts(Slot, slot)).toBe(false)
  }
})
