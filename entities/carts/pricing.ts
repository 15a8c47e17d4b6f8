// What a cart costs now. Quotes and checkouts use the same rule, and one statement reads what it needs.
import type { EntityManager } from '@mikro-orm/postgresql'
import { defaultApprovalHours } from '../../rules/bookings/bookings.ts'
import type { ResolvedDiscount } from '../../rules/carts/discounts.ts'
import type { BookingItem, ProductItem } from '../../rules/carts/items.ts'
import { price, unitPriceOf } from '../../rules/carts/pricing.ts'
import type { BookingInput, GoodsInput, LineInput, Priced } from '../../rules/carts/pricing-phases.ts'
import { textIn } from '../../rules/input/locale-tags.ts'
import type { WantedStock } from '../../rules/orders/stock.ts'
import { evaluatePromoCode, maxUsesPerUserOf } from '../../rules/promotions/promo-codes.ts'
import { invalid } from '../../rules/refusal.ts'
import { defaultReminderMinutes } from '../../rules/scheduling/reminders.ts'
import { offeredBy } from '../../rules/scheduling/scheduling.ts'
import type { Slot } from '../../rules/scheduling/slots.ts'
import { sql } from '../kit/database/sql.ts'
import { derivedId } from '../kit/ids.ts'
import { refusedCode } from '../promotions/redemptions.ts'
import type { WantedTime } from '../scheduling/booked-time.ts'
import { type Facts, factsOf, type LinkFacts, type PricedCartRow } from './pricing-facts.ts'

/** Cart lines of the same variant become one line; a fault points to the first of them. */
function mergedItems(items: readonly ProductItem[]): (ProductItem & { pointer: string })[] {
  const merged = new Map<string, ProductItem & { pointer: string }>()
  items.forEach((item, at) => {
    const line = merged.get(item.variant_id)
    if (line) line.quantity += item.quantity
    else merged.set(item.variant_id, { ...item, pointer: `/product_items/${at}` })
  })
  return [...merged.values()]
}

/** What the lines of a cart take from stock: what is picked up, at the place where it is. */
export const stockOf = (lines: PricedCart['lines'], pickup_location_id: string | null | undefined): WantedStock[] =>
  lines.map(({ variant_id, quantity, requires_shipping }) => ({
    variant_id,
    quantity,
    location_id: requires_shipping ? (pickup_location_id ?? null) : null,
  }))

const pairOf = ({ service_id, provider_id }: { service_id: string; provider_id: string }) =>
  `${service_id}/${provider_id}`

const byTime = (a: Slot, b: Slot) => a.from - b.from || a.to - b.to

type Pointed = Slot & { pointer: string }

/** Bookings of the same service and provider become one line, its slots in order of time. */
export function mergedBookings(
  items: readonly BookingItem[],
): { service_id: string; provider_id: string; slots: Pointed[]; pointer: string }[] {
  const merged = new Map<string, { service_id: string; provider_id: string; slots: Pointed[]; pointer: string }>()
  items.forEach(({ service_id, provider_id, slots }, at) => {
    const pointer = `/booking_items/${at}`
    const pair = pairOf({ service_id, provider_id })
    const line = merged.get(pair) ?? { service_id, provider_id, slots: [], pointer }
    merged.set(pair, line)
    line.slots.push(...slots.map(({ from, to }, nth) => ({ from, to, pointer: `${pointer}/slots/${nth}` })))
  })
  for (const { slots } of merged.values()) slots.sort(byTime)
  return [...merged.values()]
}

export type PricedCart = Extract<Priced, { ok: true }> & {
  auto_confirm_paid: boolean
  /** Hours within which the booking has to be approved; null if no service requires it. */
  approval_hours: number | null
  /** Minutes before a slot at which its reminder is due. */
  reminder_minutes: number
  timezone: string
  taxable: Map<string, boolean>
  /** The booked time to take, in the order of the bookings. */
  times: WantedTime[]
  /** The code that gave the discounts. */
  promo: { id: string; code: string; max_uses_per_user: number | null } | null
}

/** The items of an order before they are replaced, as they were sold. */
export type CurrentItems = {
  order_id: string
  lines: readonly (Pick<
    GoodsInput,
    'kind' | 'product_id' | 'variant_id' | 'requires_shipping' | 'taxable' | 'quantity'
  > & { sku?: string | null | undefined; name?: string | null | undefined; unit_price: number })[]
  bookings: readonly (Pick<BookingInput, 'service_id' | 'provider_id' | 'service_key' | 'provider_key'> & {
    unit_price: number
    slots: readonly Slot[]
  })[]
}

export type PricingOptions = {
  for_checkout: boolean
  payment_method_key?: string | undefined
  now: number
  /** The order's items are replaced: these stay available to it, and its code is the one that it redeemed. */
  current?: CurrentItems
  /** Everything is discounted, by no code. */
  waived?: boolean
  /** An operator also books private services and providers. */
  books_private?: boolean
}

const nameOf = (service_id: string, provider_id: string, { from, to }: Slot) =>
  `${service_id}/${provider_id}/${from}/${to}`

/** Only offered times can be booked. Times that the order has booked already are not checked. */
function checkOffered(
  bookings: ReturnType<typeof mergedBookings>,
  links: ReadonlyMap<string, LinkFacts>,
  zone: string,
  o: PricingOptions,
): void {
  const ownSlots = new Map<string, number>()
  for (const { service_id, provider_id, slots } of o.current?.bookings ?? [])
    for (const slot of slots) {
      const name = nameOf(service_id, provider_id, slot)
      ownSlots.set(name, (ownSlots.get(name) ?? 0) + 1)
    }
  for (const { service_id, provider_id, slots } of bookings) {
    const link = links.get(pairOf({ service_id, provider_id }))
    const isOffered = link && offeredBy(link, zone)
    for (const slot of slots) {
      const name = nameOf(service_id, provider_id, slot)
      const own = ownSlots.get(name) ?? 0
      ownSlots.set(name, own - 1)
      if (own > 0) continue
      if (slot.from < o.now) throw invalid(slot.pointer, 'slot_in_past', 'This time is over.')
      if (isOffered?.(slot) === false)
        throw invalid(slot.pointer, 'slot_not_offered', 'The provider does not offer this time.')
    }
  }
}

/** The discounts of the cart's code; throws 422 with the reason at /promo_code if the code gives none. */
function discountsOf(
  cart: PricedCartRow,
  facts: Facts,
  lines: readonly LineInput[],
  now: number,
  redeemed: boolean,
): ResolvedDiscount[] {
  if (cart.promo_code === null) return []
  const subtotals = lines.map((line) => ({ ...line, subtotal: (unitPriceOf(line, facts) ?? 0) * line.quantity }))
  // The checkout decided that the order may use the code: only the items that it applies to are evaluated again.
  const redeemedCode = facts.promo && {
    ...facts.promo,
    status: 'active' as const,
    uses: 0,
    contact_uses: 0,
    conditions: facts.promo.conditions.filter(({ type }) => type !== 'date_range'),
  }
  const memberships = facts.promo?.memberships ?? []
  const found = evaluatePromoCode({
    code: redeemed ? redeemedCode : facts.promo,
    market_key: facts.key,
    lines: subtotals,
    memberships,
    now,
  })
  if (found.ok) return found.discounts
  if (redeemed) return []
  throw refusedCode(found.code, found.detail)
}

const goodsOf = (
  items: ReturnType<typeof mergedItems>,
  facts: Facts,
  current: CurrentItems | undefined,
): GoodsInput[] => {
  const variants = new Map(facts.variants.map((one) => [one.variant_id, one]))
  const currentLines = Map.groupBy(current?.lines ?? [], (line) => line.variant_id)
  return items.map(({ product_id, variant_id, quantity, pointer }) => {
    const found = variants.get(variant_id)
    const own = currentLines.get(variant_id)?.find((line) => line.quantity >= quantity)
    if (own && !found?.active) {
      // The order has it, and it is not for sale any more: priced as it was sold.
      const { kind, sku, name, requires_shipping, taxable, unit_price } = own
      const prices = [{ market: facts.key, amount: unit_price }]
      return {
        id: variant_id,
        kind,
        product_id,
        variant_id,
        sku: sku ?? null,
        name: name ?? null,
        quantity,
        prices,
        requires_shipping,
        taxable,
        active: true,
        pointer,
      }
    }
    if (!found || found.product_id !== product_id)
      throw invalid(pointer, 'variant_unknown', 'There is no such variant of this product.')
    const { key, sku, prices, requires_shipping, taxable, active, is_digital, available } = found
    const name =
      textIn(found.name, facts.languages)
        ?.trim()
        .match(/^.{1,255}/su)?.[0] ?? key
    const kind = is_digital ? 'digital' : 'product'
    return {
      id: variant_id,
      kind,
      product_id,
      variant_id,
      sku,
      name,
      quantity,
      prices,
      requires_shipping,
      taxable,
      active,
      available,
      pointer,
    }
  })
}

/** The difference of two multisets of slots. */
export function without<S extends Slot>(slots: readonly S[], others: readonly Slot[]): S[] {
  const remaining = [...others]
  return slots.filter(({ from, to }) => {
    const at = remaining.findIndex((other) => other.from === from && other.to === to)
    if (at >= 0) remaining.splice(at, 1)
    return at < 0
  })
}

function bookingsOf(
  items: ReturnType<typeof mergedBookings>,
  links: ReadonlyMap<string, LinkFacts>,
  market: string,
  { current, books_private = false }: Pick<PricingOptions, 'current' | 'books_private'>,
): BookingInput[] {
  return items.map(({ service_id, provider_id, slots, pointer }) => {
    const found = links.get(pairOf({ service_id, provider_id }))
    const own = current?.bookings.find((one) => one.service_id === service_id && one.provider_id === provider_id)
    // The order has it, and it cannot be booked any more: priced as it was booked.
    const keptBooking = own && !found?.active && without(slots, own.slots).length === 0 ? own : undefined
    const sold = keptBooking
      ? { ...keptBooking, prices: [{ market, amount: keptBooking.unit_price }], active: true }
      : found
    if (!sold || (found?.public === false && !books_private))
      throw invalid(pointer, 'link_unknown', 'This provider does not do this service.')
    const { service_key, provider_key, prices, active } = sold
    const times = slots.map(({ from, to }) => ({ from, to }))
    return {
      // Stable over all quotes of the cart.
      id: derivedId(provider_id, service_id),
      kind: 'booking',
      service_id,
      provider_id,
      service_key,
      provider_key,
      slots: times,
      quantity: slots.length,
      prices,
      taxable: true,
      active,
      pointer,
    }
  })
}

/** A quote as routes of bookings return it. */
export const bookingQuote = ({ quote, promo }: Pick<PricedCart, 'quote' | 'promo'>) => ({
  ...quote,
  subtotal: quote.money.subtotal,
  total: quote.money.total,
  promo_code_id: promo?.id ?? null,
})

/** Throws 422 with a pointer into the cart if it cannot be priced. */
export async function priceCart(em: EntityManager, cart: PricedCartRow, o: PricingOptions): Promise<PricedCart> {
  const items = mergedItems(cart.product_items)
  const booked = mergedBookings(cart.booking_items)
  const variants = items.map(({ variant_id }) => variant_id)
  // The time zone and the service's providers must not change until the slots are reserved: their writers lock this
  // row, too.
  if (o.for_checkout && booked.length > 0)
    await em.execute(sql`select 1 from tenants where id = ${cart.tenant_id} for share`)
  const facts = await factsOf(em, cart, {
    variants,
    pairs: booked,
    order_id: o.current?.order_id,
    now: o.now,
    stock: !o.for_checkout,
  })
  if (cart.pickup_location_id && !facts.pickup_found)
    throw invalid('/pickup_location_id', 'pickup_location_unknown', 'This is no pickup location of the {store}.')
  const links = new Map(facts.links.map((link) => [pairOf(link), link]))
  const bookings = bookingsOf(booked, links, facts.key, o)
  const lines = [...goodsOf(items, facts, o.current), ...bookings]
  const { timezone, auto_confirm_paid, promo } = facts
  checkOffered(booked, links, timezone, o)
  const pricing = {
    market: facts,
    lines,
    shipping_address: cart.shipping_address,
    billing_address: cart.billing_address,
    shipping_method_id: cart.shipping_method_id,
    ships_from_location: facts.ships_from_location,
    pickup_address: cart.pickup_location_id ? (facts.pickup_address ?? {}) : null,
    payment_method_key: o.payment_method_key ?? cart.payment_method_key,
    for_checkout: o.for_checkout,
  }
  const everything: ResolvedDiscount = { type: 'items_percentage', bps: 10_000, line_ids: lines.map(({ id }) => id) }
  const discounts = o.waived ? [everything] : discountsOf(cart, facts, lines, o.now, o.current !== undefined)
  const priced = price({ ...pricing, discounts })
  if (!priced.ok) throw invalid(priced.pointer, priced.code, priced.detail)
  return {
    ...priced,
    auto_confirm_paid,
    approval_hours: facts.links.some(({ is_approval_required }) => is_approval_required)
      ? (facts.approval_hours ?? defaultApprovalHours)
      : null,
    reminder_minutes: facts.reminder_minutes ?? defaultReminderMinutes,
    timezone,
    taxable: new Map(lines.map(({ id, taxable }) => [id, taxable])),
    times: bookings.map(({ service_id, provider_id, slots }) => {
      const limit = links.get(pairOf({ service_id, provider_id }))?.concurrent_limit ?? 1
      return { service_id, provider_id, slots: slots.map((slot) => ({ ...slot, limit })) }
    }),
    promo:
      promo && discounts.length > 0
        ? { id: promo.id, code: promo.code, max_uses_per_user: maxUsesPerUserOf(promo.conditions) }
        : null,
  }
}
