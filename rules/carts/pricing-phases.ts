// What pricing takes, what each of its phases passes to the next one, and what it answers. Amounts are in minor units
// of the market's currency, and exact within the phases.

import type { BookingLine, LineKind, OrderMoney, ProductLine, ShippingLine } from '../orders/lines.ts'
import type { Slot } from '../scheduling/slots.ts'
import type { Address } from '../stores/addresses.ts'
import type { PaymentMethod, Price, ShippingMethod, TaxMode, Zone } from '../stores/markets.ts'
import type { ResolvedDiscount } from './discounts.ts'
import type { OrderQuote } from './quote.ts'

type Line = {
  /** Stable id, unique in the cart (of a product line, its variant_id). Breaks ties in rounding. */
  id: string
  quantity: number
  prices: readonly Price[]
  taxable: boolean
  active: boolean
  /** JSON pointer to the line in the request, for refusals. */
  pointer: string
}
/** Lines of the same variant are merged into one. */
export type GoodsInput = Line & {
  kind: LineKind
  product_id: string
  variant_id: string
  sku: string | null
  name: string | null
  requires_shipping: boolean
  /** Units that can be sold, as a quote shows them; null or left out for a variant that is not tracked. */
  available?: number | null
}
/** Lines of the same service and provider are merged into one. Its quantity is the number of its slots. */
export type BookingInput = Line & {
  kind: 'booking'
  service_id: string
  provider_id: string
  service_key: string
  provider_key: string
  slots: Slot[]
}
/** One line of the cart, with the current data of the catalog. */
export type LineInput = GoodsInput | BookingInput

export type PricingInput = {
  market: {
    key: string
    currency: string
    tax_mode: TaxMode
    zones: readonly Zone[]
    payment_methods: readonly PaymentMethod[]
  }
  lines: readonly LineInput[]
  discounts: readonly ResolvedDiscount[]
  shipping_address: Address | null
  billing_address: Address | null
  shipping_method_id: string | null
  /** Whether a location of the store has an address with a country, without which nothing can be shipped. */
  ships_from_location: boolean
  /** Address of the chosen pickup location. With one, nothing is shipped, and it decides the tax. */
  pickup_address: Address | null
  payment_method_key: string | null
  /** A checkout requires the choices that a quote may leave open. */
  for_checkout: boolean
}

type PricingRefusal =
  | 'amount_too_large'
  | 'card_total_not_chargeable'
  | 'card_total_too_small'
  | 'cart_empty'
  | 'location_not_configured'
  | 'pickup_location_not_configured'
  | 'payment_method_required'
  | 'payment_method_unknown'
  | 'price_missing'
  | 'product_not_active'
  | 'service_not_active'
  | 'shipping_method_required'
  | 'shipping_method_unknown'
  | 'zone_not_found'

type PricedGoods = ProductLine & { kind: GoodsInput['kind'] }
type PricedBooking = BookingLine & { kind: 'booking' }

/** Why a cart has no price: a 422 with its pointer. */
export type PricingFault = { ok: false; code: PricingRefusal; pointer: string; detail: string }

export type Priced =
  | {
      ok: true
      quote: OrderQuote
      /** The lines of the order, in the order of the input. */
      lines: PricedGoods[]
      bookings: PricedBooking[]
      shipping_line: ShippingLine | null
      /** The chosen one; null if none was chosen, or if it is not available for this total. */
      payment_method: PaymentMethod | null
      /** Whether anything has to be shipped. */
      ships: boolean
    }
  | PricingFault

/** What the first phase passes on: a line with its price in the market, before discounts. */
export type PricedLine = { line: LineInput; unit_price: number; subtotal: bigint }

/** What the second phase passes on: how the goods reach the buyer, and where the tax is due. */
export type Delivery = {
  ok: true
  /** Whether anything has to be shipped. */
  ships: boolean
  /** Whether the goods are picked up. */
  picks_up: boolean
  /** The address that decides the tax. */
  place: Address | null
  zone: Zone | null
  /** Shipping methods that are available for the address. */
  methods: readonly ShippingMethod[]
  method: ShippingMethod | null
}

/** The amounts of a line or of shipping. */
export type Amounts = { subtotal: bigint; discount: bigint; tax: bigint; total: bigint }

/** What the third phase passes on: discounts and tax of each line and of shipping, and their sums. */
export type Settlement = {
  ok: true
  lines: readonly (PricedLine & { amounts: Amounts })[]
  shipping: Amounts
  money: OrderMoney
}

/** What the fourth phase passes on: the methods that are available for the total, and the chosen one. */
export type PaymentChoice = { ok: true; methods: PaymentMethod[]; method: PaymentMethod | null }
