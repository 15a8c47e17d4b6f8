// Prices a cart. Quote, order and payment have the same amounts, to the minor unit.
import { formOf, textForm } from '../input/texts.ts'
import { cardMinimum, formatMoney } from '../payments/currencies.ts'
import { cardStep } from '../payments/provider-amounts.ts'
import type {
  Address,
  BookingLine,
  LineKind,
  OrderMoney,
  OrderQuote,
  PaymentMethod,
  Price,
  ProductLine,
  ShippingLine,
  Slot,
  TaxMode,
  Zone,
} from '../shapes.ts'
import { isTaxUndecided, zoneOf } from './zones.ts'

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

/** A discount whose conditions are met. `line_ids`: the lines that it applies to. Amounts in minor units. */
export type ResolvedDiscount =
  | { type: 'items_percentage'; bps: number; line_ids: readonly string[] }
  | { type: 'items_fixed'; amount: number; line_ids: readonly string[] }
  | { type: 'shipping_percentage'; bps: number }

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

export type PricingRefusal =
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

export type PricedGoods = ProductLine & { kind: GoodsInput['kind'] }
export type PricedBooking = BookingLine & { kind: 'booking' }

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
  | { ok: false; code: PricingRefusal; pointer: string; detail: string }

const refuse = (code: PricingRefusal, pointer: string, detail: string): Priced => ({ ok: false, code, pointer, detail })

/** Division of non-negative numbers, rounded half up. */
const divide = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator)

const least = (a: bigint, b: bigint) => (a < b ? a : b)

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)

/** The price of a line in the market. A price in another currency than the market's is ignored. */
export const unitPriceOf = (
  { prices }: Pick<LineInput, 'prices'>,
  market: { key: string; currency: string },
): number | undefined =>
  prices.find((one) => one.market === market.key && (one.currency ?? market.currency) === market.currency)?.amount

/** A line while it is priced; `left`: its subtotal after the discounts so far. */
type OpenLine = { line: LineInput; unit_price: number; subtotal: bigint; left: bigint }

/**
 * Distributes a discount over lines by largest remainder: the parts add up to the amount, and none exceeds its line
 * if the amount does not exceed their sum. Ties go to the smaller id, independent of the order of lines.
 */
const takeOff = (amount: bigint, lines: readonly OpenLine[]) => {
  const whole = sum(lines.map(({ left }) => left))
  if (whole === 0n) return
  const parts = lines.map((line) => ({ line, part: (amount * line.left) / whole, rest: (amount * line.left) % whole }))
  parts.sort((a, b) => (a.rest === b.rest ? (a.line.line.id < b.line.line.id ? -1 : 1) : a.rest > b.rest ? -1 : 1))
  let spare = amount - sum(parts.map(({ part }) => part))
  for (const { line, part } of parts) {
    const extra = least(spare, 1n)
    line.left -= part + extra
    spare -= extra
  }
}

/** The tax of an amount after discount, added to it or contained in it. */
const taxOf = (base: bigint, bps: number, mode: TaxMode): bigint =>
  mode === 'exclusive' ? divide(base * BigInt(bps), 10_000n) : base - divide(base * 10_000n, 10_000n + BigInt(bps))

/** The discount of a percentage, at most the whole amount. */
export const percentage = (amount: bigint, bps: number) => least(amount, divide(amount * BigInt(bps), 10_000n))

/** Applies the discounts in order, each to what the previous one left, and returns what is left of shipping. */
const applyDiscounts = (
  discounts: readonly ResolvedDiscount[],
  lines: readonly OpenLine[],
  shipping: bigint,
): bigint => {
  let shippingLeft = shipping
  for (const discount of discounts) {
    if (discount.type === 'shipping_percentage') {
      shippingLeft -= percentage(shippingLeft, discount.bps)
      continue
    }
    const ids = new Set(discount.line_ids)
    const eligible = lines.filter(({ line }) => ids.has(line.id))
    const whole = sum(eligible.map(({ left }) => left))
    takeOff(
      discount.type === 'items_fixed' ? least(whole, BigInt(discount.amount)) : percentage(whole, discount.bps),
      eligible,
    )
  }
  return shippingLeft
}

/**
 * Prices a cart in its market: prices, discounts, tax per line, shipping, and available payment methods. Minor units of
 * the market's currency, exact up to 2^53 − 1; larger totals are refused. The order of lines does not change any
 * amount. A refusal is a 422 with its pointer.
 */
export const price = (input: PricingInput): Priced => {
  const { market, for_checkout } = input
  if (for_checkout && input.lines.length === 0) return refuse('cart_empty', '/product_items', 'The cart is empty.')

  const open: OpenLine[] = []
  for (const line of input.lines) {
    if (!line.active)
      return line.kind === 'booking'
        ? refuse('service_not_active', line.pointer, 'The service cannot be booked with this provider.')
        : refuse('product_not_active', line.pointer, 'The product is not active.')
    const unit_price = unitPriceOf(line, market)
    if (unit_price === undefined)
      return refuse('price_missing', line.pointer, `There is no price in the market ${market.key}.`)
    const subtotal = BigInt(unit_price) * BigInt(line.quantity)
    open.push({ line, unit_price, subtotal, left: subtotal })
  }

  if (input.pickup_address && !input.pickup_address.country) {
    return refuse(
      'pickup_location_not_configured',
      '/pickup_location_id',
      'Nothing can be picked up there yet: the location has no address.',
    )
  }
  const shippable = input.lines.some((line) => line.kind === 'product' && line.requires_shipping)
  const ships = shippable && input.pickup_address === null
  const place = placeOf(input, shippable, ships)
  const zone = zoneOf(place, market.zones)
  if (ships && !zone && market.zones.length > 0)
    return refuse(
      'zone_not_found',
      '/shipping_address',
      place
        ? `Nothing is shipped to this address in the market ${market.key}. Choose another address.`
        : 'A shipping address is required.',
    )

  const methods = (ships && zone?.shipping_methods) || []
  const method = ships ? (methods.find(({ id }) => textForm(id) === formOf(input.shipping_method_id)) ?? null) : null
  if (ships && !method && input.shipping_method_id !== null) {
    return refuse(
      'shipping_method_unknown',
      '/shipping_method_id',
      'The shipping method is not available for this address.',
    )
  }
  if (method && !input.ships_from_location) {
    return refuse(
      'location_not_configured',
      '/shipping_method_id',
      'Nothing can be shipped yet: the {store} has not said where it ships from.',
    )
  }
  if (for_checkout && methods.length > 0 && !method)
    return refuse('shipping_method_required', '/shipping_method_id', 'A shipping method is required.')

  const shipping = BigInt(method?.amount ?? 0)
  const shippingLeft = applyDiscounts(input.discounts, open, shipping)
  // Unlike a quote, a checkout requires the address that the tax depends on: otherwise buyers could choose a cheaper
  // zone by leaving out a state. The address of a pickup location is the store's.
  const needsAddress =
    open.some(({ line, left }) => line.taxable && left > 0n) || (method?.taxable === true && shippingLeft > 0n)
  const picksUp = shippable && !ships
  const undecided = needsAddress && !picksUp && isTaxUndecided(place, market.zones)
  if (for_checkout && undecided)
    return refuse(
      'zone_not_found',
      ships ? '/shipping_address' : '/billing_address',
      'The tax depends on the address. Send the country, the state and the postal code.',
    )
  const included = market.tax_mode === 'inclusive'
  const settle = (subtotal: bigint, left: bigint, taxable: boolean) => {
    const tax = taxable && !undecided ? taxOf(left, zone?.tax_bps ?? 0, market.tax_mode) : 0n
    return { subtotal, discount: subtotal - left, tax, total: included ? left : left + tax }
  }
  const settled = open.map((line) => ({ ...line, amounts: settle(line.subtotal, line.left, line.line.taxable) }))
  const shippingAmounts = settle(shipping, shippingLeft, method?.taxable ?? false)

  const all = [...settled.map(({ amounts }) => amounts), shippingAmounts]
  const subtotal = sum(open.map((line) => line.subtotal))
  const total = sum(all.map((amounts) => amounts.total))
  // All other amounts are parts of these two.
  if (subtotal + shipping > Number.MAX_SAFE_INTEGER || total > Number.MAX_SAFE_INTEGER) {
    return refuse('amount_too_large', '/product_items', 'The total is too large.')
  }

  const lines: PricedGoods[] = []
  const bookings: PricedBooking[] = []
  for (const { line, unit_price, amounts } of settled) {
    const { id, quantity } = line
    if (line.kind === 'booking') {
      const { kind, service_id, provider_id, service_key, provider_key, slots } = line
      bookings.push({
        kind,
        id,
        service_id,
        provider_id,
        service_key,
        provider_key,
        slots,
        quantity,
        unit_price,
        ...numbers(amounts),
      })
    } else {
      const { kind, product_id, variant_id, sku, name } = line
      const requires_shipping = kind !== 'digital' && line.requires_shipping
      lines.push({
        kind,
        id,
        product_id,
        variant_id,
        sku,
        name,
        requires_shipping,
        quantity,
        unit_price,
        ...numbers(amounts),
      })
    }
  }
  const shipping_line: ShippingLine | null = method && {
    shipping_method_id: method.id,
    name: method.name ?? null,
    eta_text: method.eta_text,
    ...numbers(shippingAmounts),
  }
  const money: OrderMoney = {
    currency: market.currency,
    subtotal: Number(subtotal),
    discount: Number(sum(all.map(({ discount }) => discount))),
    shipping: Number(shipping),
    tax:
      !undecided && market.zones.some(({ tax_bps }) => tax_bps > 0)
        ? { amount: Number(sum(all.map(({ tax }) => tax))), included }
        : null,
    total: Number(total),
  }

  const chosen = market.payment_methods.find(({ key }) => key === input.payment_method_key) ?? null
  if (input.payment_method_key !== null && !chosen) {
    return refuse(
      'payment_method_unknown',
      '/payment_method_key',
      `The market has no payment method ${input.payment_method_key}.`,
    )
  }
  const [minimum, step] = [cardMinimum(market.currency), cardStep(market.currency)]
  const payment_methods = market.payment_methods.filter(
    ({ type }) => type !== 'card' || money.total === 0 || (money.total >= minimum && money.total % step === 0),
  )
  const payment_method = chosen && payment_methods.includes(chosen) ? chosen : null
  if (for_checkout && money.total > 0 && !payment_method) {
    if (!chosen) return refuse('payment_method_required', '/payment_method_key', 'A payment method is required.')
    return money.total < minimum
      ? refuse(
          'card_total_too_small',
          '/payment_method_key',
          `The minimum for cards is ${formatMoney(minimum, market.currency)}.`,
        )
      : refuse(
          'card_total_not_chargeable',
          '/payment_method_key',
          `The total must be a multiple of ${formatMoney(step, market.currency)} for cards.`,
        )
  }

  const stock = new Map(input.lines.map((line) => [line.id, line.kind === 'booking' ? null : (line.available ?? null)]))
  const linesOf = (kind: GoodsInput['kind']) =>
    lines
      .filter((line) => line.kind === kind)
      .map(({ kind: _, ...line }) => ({ ...line, available: stock.get(line.id) ?? null }))
  return {
    ok: true,
    quote: {
      product_lines: linesOf('product'),
      booking_lines: bookings.map(({ kind: _, ...line }) => line),
      digital_lines: linesOf('digital'),
      shipping_lines: shipping_line ? [shipping_line] : [],
      shipping_methods: [...methods],
      payment_methods,
      payment_method_key: payment_method?.key ?? null,
      money,
    },
    lines,
    bookings,
    shipping_line,
    payment_method,
    ships,
  }
}

/** The address that decides the tax: where the goods are shipped or picked up, otherwise the billing address. */
const placeOf = (input: PricingInput, shippable: boolean, ships: boolean): Address | null => {
  if (ships) return input.shipping_address
  if (shippable) return input.pickup_address
  return input.billing_address ?? input.shipping_address
}

const numbers = (amounts: { subtotal: bigint; discount: bigint; tax: bigint; total: bigint }) => ({
  subtotal: Number(amounts.subtotal),
  discount: Number(amounts.discount),
  tax: Number(amounts.tax),
  total: Number(amounts.total),
})
