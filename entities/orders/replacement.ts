// Replaces the items of an order: prices them as they are now and moves the reservations, in the caller's transaction.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { BookingItem, ProductItem } from '../../rules/carts/items.ts'
import { statusAfterReplacement } from '../../rules/orders/orders.ts'
import { formatMoney } from '../../rules/payments/currencies.ts'
import { conflict, invalid } from '../../rules/refusal.ts'
import type { BookedSlot } from '../../rules/scheduling/occupancy.ts'
import type { Slot } from '../../rules/scheduling/slots.ts'
// Backwards: the items that are replaced include bookings.
import { OrderBooking } from '../bookings/order-booking.ts'
import { Cart } from '../carts/cart.ts'
import { type PricedCart, priceCart, stockOf, without } from '../carts/pricing.ts'
import { newId } from '../kit/ids.ts'
// Backwards: other items change what is due, and when a booking has to be decided.
import { holdUntilDecided } from '../payments/checkout-steps.ts'
import type { Payment } from '../payments/payment.ts'
import { giveBackUse } from '../promotions/redemptions.ts'
import { moveBookedTime } from '../scheduling/booked-time.ts'
import type { Order } from './order.ts'
import { bookingRows } from './order-creation.ts'
import { OrderLine } from './order-line.ts'
import { exchange } from './reservations.ts'

export type OrderItems = { product_items: ProductItem[]; booking_items: BookingItem[] }

const liveLines = (em: EntityManager, orderId: string) =>
  em.find(OrderLine, { order_id: orderId, status: { $ne: 'cancelled' } }, { orderBy: { position: 'asc' } })
const liveBookings = (em: EntityManager, orderId: string) =>
  em.find(OrderBooking, { order_id: orderId, status: { $ne: 'cancelled' } }, { orderBy: { position: 'asc' } })

const pairOf = ({ service_id, provider_id }: { service_id: string; provider_id: string }) =>
  `${service_id}/${provider_id}`

/** The items of the order after the given lists have replaced its own; a list that is not given stays. */
export async function itemsAfter(
  em: EntityManager,
  orderId: string,
  replacing: Partial<OrderItems>,
): Promise<OrderItems> {
  return {
    product_items:
      replacing.product_items ??
      (await liveLines(em, orderId)).map(({ product_id, variant_id, quantity }) => ({
        product_id,
        variant_id,
        quantity,
      })),
    booking_items:
      replacing.booking_items ??
      (await liveBookings(em, orderId)).map(({ service_id, provider_id, slots }) => ({
        service_id,
        provider_id,
        slots,
      })),
  }
}

/**
 * Requires an order without pending card payment, and at least one item. A line of the same variant and a booking of
 * the same service and provider keep their rows; items that are left out are cancelled; the order's market, addresses,
 * shipping method and, while it applies, promo code stay. 409 out_of_stock, slot_taken, booking_completed, and
 * payment_captured if a captured payment would be of another amount. A booking whose payment was waived stays free, if
 * the items cost no more than before.
 */
export async function replaceItems(
  em: EntityManager,
  order: Order,
  payment: Payment,
  items: OrderItems,
  now: number,
): Promise<void> {
  const [lines, bookings] = [await liveLines(em, order.id), await liveBookings(em, order.id)]
  const waived = isWaived(order, payment)
  const priced = await priceCart(
    em,
    {
      id: order.source_cart_id,
      tenant_id: order.tenant_id,
      contact_id: order.contact_id,
      status: 'ordered',
      market: order.market,
      ...items,
      shipping_address: order.shipping_address ?? null,
      billing_address: order.billing_address ?? null,
      forms: order.forms,
      payment_method_key: payment.method_key ?? null,
      shipping_method_id: order.shipping_line?.shipping_method_id ?? (await chosenMethod(em, order)),
      pickup_location_id: order.pickup_location_id ?? null,
      promo_code: order.promo_code ?? null,
    },
    { for_checkout: true, now, books_private: true, current: { order_id: order.id, lines, bookings }, waived },
  )
  const { money } = priced.quote
  const shown = (amount: number) => formatMoney(amount, money.currency)
  // A booking that is paid may move to other time of the same price.
  const isPaid = payment.captured_amount > 0 || payment.status === 'authorized'
  if (isPaid && money.total !== order.money.total)
    throw conflict(
      'payment_captured',
      `The payment of ${shown(order.money.total)} is captured; the items would cost ${shown(money.total)}.`,
    )
  if (waived && money.subtotal > order.money.subtotal)
    throw invalid(
      '/product_items',
      'payment_method_required',
      `The payment of ${shown(order.money.subtotal)} was waived; the items would cost ${shown(money.subtotal)}.`,
    )
  // Only a checkout charges a card.
  if (!isPaid && money.total > 0 && priced.payment_method?.type !== 'cash')
    throw invalid('/product_items', 'payment_method_required', 'There is no way to pay for them.')

  const status = order.status === 'pending' ? ('pending' as const) : ('confirmed' as const)
  const droppedLines = await replaceLines(em, order, lines, priced, status, now)
  const droppedBookings = await replaceBookings(em, order, bookings, priced, status, now)
  if (order.promo_code && !priced.promo) await giveBackUse(em, order.tenant_id, { order_id: order.id })

  em.assign(order, {
    money,
    shipping_line: priced.shipping_line,
    promo_code: priced.promo?.code ?? null,
    status: statusAfterReplacement(order.status, {
      dropped: droppedLines + droppedBookings,
      kept: priced.lines.length + priced.bookings.length,
    }),
  })
  await decideInTime(em, order, priced, now)
  if (isPaid) return
  const free = money.total === 0
  em.assign(payment, {
    amount: money.total,
    type: free ? 'none' : 'cash',
    status: free ? 'paid' : 'pending',
    paid_at: free ? now : null,
    updated_at: now,
  })
}

/** An operator made the booking free: it has a price, nothing is due, and no promo code gave the discount. */
const isWaived = ({ module, money, promo_code }: Order, payment: Payment): boolean =>
  module != null && payment.type === 'none' && promo_code == null && money.subtotal > 0 && money.total === 0

/** A booking has to be decided before its first slot. */
async function decideInTime(em: EntityManager, order: Order, { bookings }: PricedCart, now: number): Promise<void> {
  const starts_at = Math.min(...bookings.flatMap(({ slots }) => slots.map(({ from }) => from)))
  if (order.decide_by == null || starts_at >= order.decide_by) return
  order.decide_by = starts_at
  if (order.hold_until) await holdUntilDecided(em, order, now)
}

/** An order of which nothing is shipped has no shipping method; its cart keeps the one that the buyer chose. */
async function chosenMethod(em: EntityManager, order: Order): Promise<string | null> {
  const cart = await em.findOne(Cart, { id: order.source_cart_id })
  return cart?.shipping_method_id ?? null
}

type Status = 'pending' | 'confirmed'

/** Returns how many lines were dropped. */
async function replaceLines(
  em: EntityManager,
  order: Order,
  lines: OrderLine[],
  priced: PricedCart,
  status: Status,
  now: number,
) {
  const { tenant_id } = order
  // A line of which as much stays is not reserved again: it keeps its units, wherever they are.
  const staying = new Map(
    lines
      .filter(({ variant_id, quantity }) =>
        priced.lines.some((line) => line.variant_id === variant_id && line.quantity === quantity),
      )
      .map(({ variant_id, allocations }) => [variant_id, allocations]),
  )
  const moves = ({ variant_id }: { variant_id: string }) => !staying.has(variant_id)
  const returnedUnits = lines
    .filter(moves)
    .flatMap(({ variant_id, allocations }) => allocations.map((one) => ({ ...one, variant_id })))
  const reservation = await exchange(
    em,
    tenant_id,
    returnedUnits,
    stockOf(priced.lines, order.pickup_location_id).filter(moves),
  )
  for (const [position, { id: _, ...line }] of priced.lines.entries()) {
    const reserved = reservation
      .filter(({ variant_id }) => variant_id === line.variant_id)
      .map(({ location_id, quantity }) => ({ location_id, quantity }))
    const allocations = staying.get(line.variant_id) ?? reserved
    const now_ = {
      ...line,
      position,
      allocations,
      taxable: priced.taxable.get(line.variant_id) ?? true,
      updated_at: now,
    }
    const storedLine = lines.find(({ variant_id }) => variant_id === line.variant_id)
    if (storedLine) em.assign(storedLine, now_)
    else
      em.create(OrderLine, {
        ...now_,
        id: newId(),
        tenant_id,
        created_at: now,
        order_id: order.id,
        ordered_at: order.created_at,
        status,
        shipped_quantity: 0,
      })
  }
  const dropped = lines.filter(({ variant_id }) => !priced.lines.some((line) => line.variant_id === variant_id))
  for (const line of dropped) em.assign(line, { status: 'cancelled', allocations: [], updated_at: now })
  return dropped.length
}

const sameSlots = (a: readonly Slot[], b: readonly Slot[]) =>
  a.length === b.length && a.every(({ from, to }, at) => from === b[at]?.from && to === b[at]?.to)

/** The slots of a booking: those that it has already keep their limits. */
function withOwnLimits(slots: readonly BookedSlot[], own: readonly BookedSlot[]): BookedSlot[] {
  const ownSlots = [...own]
  return slots.map((slot) => {
    const at = ownSlots.findIndex(({ from, to }) => from === slot.from && to === slot.to)
    return at < 0 ? slot : (ownSlots.splice(at, 1)[0] as BookedSlot)
  })
}

/** Returns how many bookings were dropped. */
async function replaceBookings(
  em: EntityManager,
  order: Order,
  bookings: OrderBooking[],
  priced: PricedCart,
  status: Status,
  now: number,
) {
  const { tenant_id } = order
  const bookingOf = new Map(bookings.map((booking) => [pairOf(booking), booking]))
  const rows = bookingRows(priced).map((row) => ({
    ...row,
    slots: withOwnLimits(row.slots, bookingOf.get(pairOf(row))?.slots ?? []),
  }))
  const rowOf = new Map(rows.map((row) => [pairOf(row), row]))
  for (const booking of bookings) {
    const row = rowOf.get(pairOf(booking))
    if (!['pending', 'confirmed'].includes(booking.status) && !(row && sameSlots(row.slots, booking.slots)))
      throw conflict('booking_completed', 'A booking that is over cannot be changed any more.', {
        members: { booking_id: booking.id },
        faults: [{ pointer: '/booking_items', code: 'booking_completed', detail: 'It has to stay as it is.' }],
      })
  }
  // Slots that stay are not reserved again, and keep their limits: the provider may accept fewer at a time by now.
  await moveBookedTime(
    em,
    tenant_id,
    priced.timezone,
    bookings.map((booking) => ({
      ...booking,
      slots: without(booking.slots, rowOf.get(pairOf(booking))?.slots ?? []),
    })),
    priced.times.map((time) => ({ ...time, slots: without(time.slots, bookingOf.get(pairOf(time))?.slots ?? []) })),
  )
  for (const [pair, { id, ...row }] of rowOf) {
    const booking = bookingOf.get(pair)
    if (booking) {
      // Reminders were sent up to this slot: a new slot before it would get none.
      const passed = without(row.slots, booking.slots).some(({ from }) => from <= (booking.reminded_slot ?? 0))
      em.assign(booking, { ...row, updated_at: now, ...(passed ? { reminded_slot: null } : {}) })
    } else
      em.create(OrderBooking, {
        ...row,
        id,
        tenant_id,
        created_at: now,
        updated_at: now,
        order_id: order.id,
        ordered_at: order.created_at,
        status,
      })
  }
  const dropped = bookings.filter((booking) => !rowOf.has(pairOf(booking)))
  for (const booking of dropped) em.assign(booking, { status: 'cancelled', replaced: true, updated_at: now })
  return dropped.length
}
