// What a checkout takes, what each of its phases passes to the next one, and what it answers.
import type { BookingModule, DirectState } from '../../rules/bookings/bookings.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import type { Allocation } from '../../rules/orders/stock.ts'
import type { PaymentMethodType } from '../../rules/payments/payments.ts'
import type { GeoLocation } from '../../rules/stores/addresses.ts'
import type { CartRow } from '../carts/carts.ts'
import type { PricedCart } from '../carts/pricing.ts'
import type { Actor } from '../crm/session-rights.ts'

/** The booking of the business surface that an order is. */
type BookingRequest = {
  module: BookingModule
  /** The status of a booking that is not paid by card. */
  status: DirectState
  /** False refuses cards. */
  pays_by_card: boolean
  blocks: Block[]
  coordinates: GeoLocation | null
  fingerprint: string
}

export type Checkout = {
  tenant_id: string
  /** Null for an operator. */
  by: Omit<Actor, 'contact_id'> | null
  /** The visitor's session, or the operator's account. */
  made_by: string
  cart_id: string
  /** The cart, if the caller has locked it and its session. */
  cart?: CartRow | undefined
  payment_method_key: string | undefined
  return_url: string | undefined
  /** The total that the buyer has seen, in minor units. */
  expected_total?: number | undefined
  now: number
  /** Null for an order that is none of the business surface's bookings. */
  booking?: BookingRequest | null
}

/** What the first phase passes on: the locked cart, its price, and how it is paid. */
export type CheckoutQuote = {
  cart: CartRow
  priced: PricedCart
  /** `none`: the total is 0. */
  payment_type: PaymentMethodType | 'none'
  /** The provider's account that a card is charged in; null without a card. */
  account_id: string | null
}

/** What the second phase passes on: the reserved units of stock, and the address under which the promo code is used. */
export type CheckoutReservation = { allocations: Allocation[]; address: string | null }

/** `payment` is the row of a payment that this call created, else null. */
export type CheckoutResult = {
  order_id: string
  number: number
  payment: Record<string, unknown> | null
  awaits_card: boolean
}
