// Prices a cart in phases: the lines have their prices, the goods their way to the buyer, discounts and taxes are
// taken, and the way to pay is chosen. Quote, order and payment have the same amounts, to the minor unit.
import { formOf, textForm } from '../input/texts.ts'
import type { OrderMoney, ShippingLine } from '../orders/lines.ts'
import { cardMinimum, formatMoney } from '../payments/currencies.ts'
import { cardStep } from '../payments/provider-amounts.ts'
import type { Address } from '../stores/addresses.ts'
import type { ShippingMethod, TaxMode } from '../stores/markets.ts'
import { applyDiscounts, divide, sum } from './discounts.ts'
import type {
  Amounts,
  BookingInput,
  Delivery,
  GoodsInput,
  LineInput,
  PaymentChoice,
  Priced,
  PricedLine,
  PricingFault,
  PricingInput,
  Settlement,
} from './pricing-phases.ts'
import { isTaxUndecided, zoneOf } from './zones.ts'

const refuse = (code: PricingFault['code'], pointer: string, detail: string): PricingFault => ({
  ok: false,
  code,
  pointer,
  detail,
})

/** The price of a line in the market. A price in another currency than the market's is ignored. */
export const unitPriceOf = (
  { prices }: Pick<LineInput, 'prices'>,
  market: { key: string; currency: string },
): number | undefined =>
  prices.find((one) => one.market === market.key && (one.currency ?? market.currency) === market.currency)?.amount

/** Prices each line in the market. Refuses a line that is not active or has no price there. */
function priceLines({ lines, market }: PricingInput): { ok: true; lines: PricedLine[] } | PricingFault {
  const priced: PricedLine[] = []
  for (const line of lines) {
    if (!line.active)
      return line.kind === 'booking'
        ? refuse('service_not_active', line.pointer, 'The service cannot be booked with this provider.')
        : refuse('product_not_active', line.pointer, 'The product is not active.')
    const unit_price = unitPriceOf(line, market)
    if (unit_price === undefined)
      return refuse('price_missing', line.pointer, `There is no price in the market ${market.key}.`)
    priced.push({ line, unit_price, subtotal: BigInt(unit_price) * BigInt(line.quantity) })
  }
  return { ok: true, lines: priced }
}

/** The address that decides the tax: where the goods are shipped or picked up, otherwise the billing address. */
const placeOf = (input: PricingInput, shippable: boolean, ships: boolean): Address | null => {
  if (ships) return input.shipping_address
  if (shippable) return input.pickup_address
  return input.billing_address ?? input.shipping_address
}

/** Decides how the goods reach the buyer. Refuses a place or a shipping method that is not available. */
function chooseDelivery(input: PricingInput): Delivery | PricingFault {
  const { market, pickup_address, shipping_method_id } = input
  if (pickup_address && !pickup_address.country)
    return refuse(
      'pickup_location_not_configured',
      '/pickup_location_id',
      'Nothing can be picked up there yet: the location has no address.',
    )
  const shippable = input.lines.some((line) => line.kind === 'product' && line.requires_shipping)
  const ships = shippable && pickup_address === null
  const place = placeOf(input, shippable, ships)
  const zone = zoneOf(place, market.zones)
  if (!ships) return { ok: true, ships, picks_up: shippable, place, zone, methods: [], method: null }

  if (!zone && market.zones.length > 0)
    return refuse(
      'zone_not_found',
      '/shipping_address',
      place ? 'Nothing is shipped to this address. Choose another address.' : 'A shipping address is required.',
    )
  const methods = zone?.shipping_methods ?? []
  const method = methods.find(({ id }) => textForm(id) === formOf(shipping_method_id)) ?? null
  if (!method && shipping_method_id !== null)
    return refuse(
      'shipping_method_unknown',
      '/shipping_method_id',
      'The shipping method is not available for this address.',
    )
  if (method && !input.ships_from_location)
    return refuse(
      'location_not_configured',
      '/shipping_method_id',
      'Nothing can be shipped yet: the {store} has not said where it ships from.',
    )
  if (input.for_checkout && methods.length > 0 && !method)
    return refuse('shipping_method_required', '/shipping_method_id', 'A shipping method is required.')
  return { ok: true, ships, picks_up: false, place, zone, methods, method }
}

/** The tax of an amount after discount, added to it or contained in it. */
const taxOf = (base: bigint, bps: number, mode: TaxMode): bigint =>
  mode === 'exclusive' ? divide(base * BigInt(bps), 10_000n) : base - divide(base * 10_000n, 10_000n + BigInt(bps))

/**
 * Takes the discounts off lines and shipping, and calculates the tax of the rest. Refuses totals that are not exact
 * numbers, and at checkout an address that does not decide the tax.
 */
function settleAmounts(
  input: PricingInput,
  lines: readonly PricedLine[],
  { ships, picks_up, place, zone, method }: Delivery,
): Settlement | PricingFault {
  const { market, discounts, for_checkout } = input
  const shipping = BigInt(method?.amount ?? 0)
  const left = applyDiscounts(
    discounts,
    lines.map(({ line, subtotal }) => ({ id: line.id, subtotal })),
    shipping,
  )
  const open = lines.map((line, at) => ({ ...line, left: left.lines[at] as bigint }))
  // Unlike a quote, a checkout requires the address that the tax depends on: otherwise buyers could choose a cheaper
  // zone by leaving out a state. The address of a pickup location is the store's.
  const needsAddress =
    open.some((one) => one.line.taxable && one.left > 0n) || (method?.taxable === true && left.shipping > 0n)
  const undecided = needsAddress && !picks_up && isTaxUndecided(place, market.zones)
  if (for_checkout && undecided)
    return refuse(
      'zone_not_found',
      ships ? '/shipping_address' : '/billing_address',
      'The tax depends on the address. Send the country, the state and the postal code.',
    )
  const included = market.tax_mode === 'inclusive'
  const amountsOf = (subtotal: bigint, rest: bigint, taxable: boolean): Amounts => {
    const tax = taxable && !undecided ? taxOf(rest, zone?.tax_bps ?? 0, market.tax_mode) : 0n
    return { subtotal, discount: subtotal - rest, tax, total: included ? rest : rest + tax }
  }
  const settled = open.map(({ left: rest, ...one }) => ({
    ...one,
    amounts: amountsOf(one.subtotal, rest, one.line.taxable),
  }))
  const shippingAmounts = amountsOf(shipping, left.shipping, method?.taxable ?? false)

  const all = [...settled.map(({ amounts }) => amounts), shippingAmounts]
  const subtotal = sum(lines.map((line) => line.subtotal))
  const total = sum(all.map((amounts) => amounts.total))
  // All other amounts are parts of these two.
  if (subtotal + shipping > Number.MAX_SAFE_INTEGER || total > Number.MAX_SAFE_INTEGER)
    return refuse('amount_too_large', '/product_items', 'The total is too large.')
  const isTaxed = !undecided && market.zones.some(({ tax_bps }) => tax_bps > 0)
  const money: OrderMoney = {
    currency: market.currency,
    subtotal: Number(subtotal),
    discount: Number(sum(all.map(({ discount }) => discount))),
    shipping: Number(shipping),
    tax: isTaxed ? { amount: Number(sum(all.map(({ tax }) => tax))), included } : null,
    total: Number(total),
  }
  return { ok: true, lines: settled, shipping: shippingAmounts, money }
}

/**
 * Finds the chosen payment method among those that are available for the total. Refuses one that the market does not
 * have; at checkout, also none and one that is not available.
 */
function choosePayment(
  { market, payment_method_key, for_checkout }: PricingInput,
  { total }: OrderMoney,
): PaymentChoice | PricingFault {
  const pointer = '/payment_method_key'
  const chosen = market.payment_methods.find(({ key }) => key === payment_method_key) ?? null
  if (payment_method_key !== null && !chosen)
    return refuse('payment_method_unknown', pointer, `The market has no payment method ${payment_method_key}.`)
  const [minimum, step] = [cardMinimum(market.currency), cardStep(market.currency)]
  const methods = market.payment_methods.filter(
    ({ type }) => type !== 'card' || total === 0 || (total >= minimum && total % step === 0),
  )
  const method = chosen && methods.includes(chosen) ? chosen : null
  if (!for_checkout || total === 0 || method) return { ok: true, methods, method }
  if (!chosen) return refuse('payment_method_required', pointer, 'A payment method is required.')
  return total < minimum
    ? refuse('card_total_too_small', pointer, `The minimum for cards is ${formatMoney(minimum, market.currency)}.`)
    : refuse(
        'card_total_not_chargeable',
        pointer,
        `The total must be a multiple of ${formatMoney(step, market.currency)} for cards.`,
      )
}

const numbers = (amounts: Amounts) => ({
  subtotal: Number(amounts.subtotal),
  discount: Number(amounts.discount),
  tax: Number(amounts.tax),
  total: Number(amounts.total),
})

type Settled = Settlement['lines'][number]

/** A line of goods as the order keeps it. */
const goodsLine = (line: GoodsInput, { unit_price, amounts }: Settled) => {
  const { kind, id, product_id, variant_id, sku, name, quantity } = line
  const requires_shipping = kind !== 'digital' && line.requires_shipping
  return { kind, id, product_id, variant_id, sku, name, requires_shipping, quantity, unit_price, ...numbers(amounts) }
}

/** A line of booked time as the order keeps it. */
const bookingLine = (line: BookingInput, { unit_price, amounts }: Settled) => {
  const { kind, id, service_id, provider_id, service_key, provider_key, slots, quantity } = line
  return {
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
  }
}

const shippingLine = (method: ShippingMethod, amounts: Amounts): ShippingLine => ({
  shipping_method_id: method.id,
  name: method.name ?? null,
  eta_text: method.eta_text,
  ...numbers(amounts),
})

/** The lines of the order and the quote that shows them. */
function quoteOf(delivery: Delivery, { lines, shipping, money }: Settlement, payment: PaymentChoice): Priced {
  const goods = lines.flatMap((one) =>
    one.line.kind === 'booking' ? [] : [{ available: one.line.available ?? null, line: goodsLine(one.line, one) }],
  )
  const bookings = lines.flatMap((one) => (one.line.kind === 'booking' ? [bookingLine(one.line, one)] : []))
  const shipping_line = delivery.method && shippingLine(delivery.method, shipping)
  const quotedLines = (wanted: GoodsInput['kind']) =>
    goods.flatMap(({ available, line: { kind, ...line } }) => (kind === wanted ? [{ ...line, available }] : []))
  return {
    ok: true,
    quote: {
      product_lines: quotedLines('product'),
      booking_lines: bookings.map(({ kind: _, ...line }) => line),
      digital_lines: quotedLines('digital'),
      shipping_lines: shipping_line ? [shipping_line] : [],
      shipping_methods: [...delivery.methods],
      payment_methods: payment.methods,
      payment_method_key: payment.method?.key ?? null,
      money,
    },
    lines: goods.map(({ line }) => line),
    bookings,
    shipping_line,
    payment_method: payment.method,
    ships: delivery.ships,
  }
}

/**
 * Prices a cart in its market: prices, discounts, tax per line, shipping, and available payment methods. Minor units of
 * the market's currency, exact up to 2^53 − 1; larger totals are refused. The order of lines does not change any
 * amount. A refusal is a 422 with its pointer.
 */
export function price(input: PricingInput): Priced {
  if (input.for_checkout && input.lines.length === 0)
    return refuse('cart_empty', '/product_items', 'The cart is empty.')
  const priced = priceLines(input)
  if (!priced.ok) return priced
  const delivery = chooseDelivery(input)
  if (!delivery.ok) return delivery
  const settlement = settleAmounts(input, priced.lines, delivery)
  if (!settlement.ok) return settlement
  const payment = choosePayment(input, settlement.money)
  if (!payment.ok) return payment
  return quoteOf(delivery, settlement, payment)
}
