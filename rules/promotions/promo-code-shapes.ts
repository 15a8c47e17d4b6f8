// The discounts and conditions of a promo code.
import { z } from 'zod'
import { Key } from '../input/identities.ts'
import { Amount, Id, UnixSeconds } from '../shapes.ts'

const BasisPoints = z.int().min(1).max(10_000)
const AnyIds = z.array(Id).max(500)

export const Discount = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('items_percentage').describe('Kind of discount. It decides the other fields.'),
      market_key: Key.describe('Key of the market in which the discount applies.'),
      bps: BasisPoints.describe('Discount rate in basis points: 10000 is 100 %.'),
    }),
    z.strictObject({
      type: z.literal('items_fixed').describe('Kind of discount. It decides the other fields.'),
      market_key: Key.describe('Key of the market in which the discount applies.'),
      amount: Amount.min(1).describe(
        "Amount of the discount on the eligible items, in minor units of the market's currency.",
      ),
    }),
    z.strictObject({
      type: z.literal('shipping_percentage').describe('Kind of discount. It decides the other fields.'),
      market_key: Key.describe('Key of the market in which the discount applies.'),
      bps: BasisPoints.describe('Discount rate in basis points: 10000 is 100 %.'),
    }),
    z.strictObject({
      type: z.literal('audience_percentage').describe('Kind of discount. It decides the other fields.'),
      audience_id: Id.describe('Identifier of the audience whose members get the discount.'),
      tier_ids: AnyIds.default([]).describe('Tiers of the audience that get it; empty for all.'),
      price_ids: AnyIds.default([]).describe('Prices of the audience that get it; empty for all.'),
      bps: BasisPoints.describe('Discount rate in basis points: 10000 is 100 %.'),
      applies_to: z
        .enum(['membership', 'items'])
        .optional()
        .describe(
          '`items`: the carts of members with access. `membership`: the first payment of a membership at one of the prices. Left out: both.',
        ),
    }),
  ])
  .meta({
    id: 'Discount',
    description:
      'A discount of a promo code. Rates are in basis points (10000 is 100 %), amounts in minor units of the market.',
  })
export type Discount = z.infer<typeof Discount>

/** All conditions must be met. `products` and `services` also restrict the items that discounts apply to. */
export const Condition = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('products').describe('Kind of condition. It decides the other fields.'),
      product_ids: AnyIds.min(1).describe(
        'Products of which one must be in the cart; discounts on items apply to these only.',
      ),
    }),
    z.strictObject({
      type: z.literal('services').describe('Kind of condition. It decides the other fields.'),
      service_ids: AnyIds.min(1).describe(
        'Services of which one must be in the cart; discounts on items apply to these only.',
      ),
    }),
    z.strictObject({
      type: z.literal('min_order_amount').describe('Kind of condition. It decides the other fields.'),
      amount: Amount.describe("Smallest subtotal before discount, in minor units of the market's currency."),
    }),
    z
      .strictObject({
        type: z.literal('date_range').describe('Kind of condition. It decides the other fields.'),
        start: UnixSeconds.nullish().describe(
          'Time from which the code can be redeemed, in Unix seconds; null or left out for no limit.',
        ),
        end: UnixSeconds.nullish().describe(
          'Time until which the code can be redeemed, in Unix seconds; null or left out for no limit.',
        ),
      })
      .refine(({ start, end }) => start == null || end == null || start <= end, {
        error: 'Must not be before `start`.',
        path: ['end'],
      }),
    z.strictObject({
      type: z.literal('max_uses').describe('Kind of condition. It decides the other fields.'),
      count: z.int().min(1).max(2_147_483_647).describe('Largest number of redemptions in all.'),
    }),
    z.strictObject({
      type: z.literal('max_uses_per_user').describe('Kind of condition. It decides the other fields.'),
      count: z
        .int()
        .min(1)
        .max(2_147_483_647)
        .describe(
          'Largest number of redemptions by one customer: by one contact, and under one e-mail address in whichever browser.',
        ),
    }),
  ])
  .meta({ id: 'Condition' })
export type Condition = z.infer<typeof Condition>
