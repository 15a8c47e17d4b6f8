// The tables of prices and coupons at the payment provider.
import { inFlight } from '../kit/erasure-conditions.ts'
import { record, type Tables } from '../kit/table.ts'

export const priceTables = {
  coupons: {
    rows: record("one per discounted subscription at most; its id is the provider's coupon"),
    erasure: inFlight,
  },
  price_provisions: { rows: record('one per request to create a price'), erasure: inFlight },
} satisfies Tables
