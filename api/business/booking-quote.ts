// Quotes of bookings and reservations: the items are priced as a booking would price them now.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { bookingMarket, codeOf } from '../../entities/bookings/bookings.ts'
import { bookingQuote, priceCart } from '../../entities/carts/pricing.ts'
import { OrderQuote } from '../../rules/carts/quote.ts'
import { Amount } from '../../rules/shapes.ts'
import { pricingProblems } from '../carts/pricing-problems.ts'
import type { Customer } from '../kit/caller.ts'
import { atFrom } from './booking-pointers.ts'
import { itemsOf, placeOf, places, QuoteBody } from './booking-shapes.ts'

const noContact = '00000000-0000-0000-0000-000000000000'

const Quote = OrderQuote.extend({
  subtotal: Amount.describe('Sum of the items before discount, in minor units.'),
  total: Amount.describe('Amount to pay, in minor units.'),
  promo_code_id: z.string().nullable().describe('Identifier of the promo code that gave the discounts; null for none.'),
}).meta({ id: 'BookingQuote' })

export const quoting = {
  may: 'customer' as const,
  contact: 'optional' as const,
  transaction: false,
  refuses: ['no_market', ...pricingProblems] as const,
  description:
    'Prices the items as a booking would price them now. Nothing is reserved. 422 names the field that prevents pricing.',
  fields: { places },
  body: QuoteBody,
  out: Quote,
  async run({
    em,
    caller,
    tenant_id,
    body,
    now,
  }: {
    em: EntityManager
    caller: Customer
    tenant_id: string
    body: z.output<typeof QuoteBody>
    now: number
  }) {
    const { address } = placeOf(body.location)
    const cart = {
      ...{
        id: noContact,
        tenant_id,
        contact_id: (caller.kind === 'visitor' && caller.contact_id) || noContact,
        status: 'open' as const,
      },
      ...{
        market: await bookingMarket(em, tenant_id),
        product_items: [],
        booking_items: itemsOf(body.items),
        shipping_address: null,
        billing_address: address,
      },
      ...{
        forms: [],
        payment_method_key: body.payment_method_id ?? null,
        shipping_method_id: null,
        pickup_location_id: null,
      },
      promo_code: await codeOf(em, body),
    }
    const priced = priceCart(em, cart, { for_checkout: false, books_private: caller.kind === 'operator', now })
    return bookingQuote(await atFrom(body.items, priced))
  },
}
