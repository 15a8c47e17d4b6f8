// An address may be sent while it is typed, and holds only what an address has.
import { expect, test } from '@jest/globals'
import type { z } from 'zod'
import { Address } from '../../../rules/stores/addresses.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

test('An address may be partial and may clear a field', () => {
  expect(Address.parse({})).toEqual({})
  expect(Address.parse({ city: 'Bern', street2: null, country: 'ch' })).toEqual({
    city: 'Bern',
    street2: null,
    country: 'CH',
  })
  expect(Address.parse({ country: '' })).toEqual({ country: null })
})

test('An address with an unknown country, an unknown field or a long text is refused', () => {
  for (const address of [
    { country: 'XQ' },
    { country: 'Germany' },
    { zip: '1' },
    { city: 1 },
    { city: 'x'.repeat(201) },
  ]) {
    expect(accepts(Address, address)).toBe(false)
  }
})
