// A zone has defaults for all that it leaves out.
import { expect, test } from '@jest/globals'
import { Zone } from '../../../rules/stores/markets.ts'

test('An empty zone has no restrictions, no tax and free shipping', () => {
  expect(Zone.parse({})).toEqual({
    countries: [],
    states: [],
    postal_codes: [],
    tax_bps: 0,
    shipping_methods: [],
  })
})
