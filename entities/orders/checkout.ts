// A cart becomes an order in one transaction, which prices, reserves, writes and numbers it, or does nothing.
import { NotNullConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { type BookingModule, type DirectState, decideBy } from '../../rules/bookings/bookings.ts'
import { fulfillmentOf } from '../../rules/orders/fulfillment.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import { nextReminder } from '../../rules/scheduling/reminders.ts'
import type { Block, GeoLocation } from '../../rules/shapes.ts'
import { isNear } from '../../rules/start-ahead.ts'
import { OrderBooking } from '../bookings/order-booking.ts'
import { type CartRow, lockCart } from '../carts/carts.ts'
import { bookingQuote, type PricedCart, priceCart, stockOf } from '../carts/pricing.ts'
import type { Actor } from '../crm/session-rights.ts'
import { insertion, insertions, insertRow } from '../kit/database/insert.ts'
import { join, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { start, starting } from '../kit/outbox.ts'
import { chargingAccount } from '../payments/charging-account.ts'
import { Payment } from '../payments/payment.ts'
import { PaymentSession } from '../payments/payment-session.ts'
import { PromoRedemption } from '../promotions/promo-redemption.ts'
import { countUse, orderEmail } from '../promotions/redemptions.ts'
import { moveBookedTime } from '../scheduling/booked-time.ts'
import { wanted } from '../webhooks/events.ts'
import { Order } from './order.ts'
import { createdEvent, orderCreated } from './order-events.ts'
import { OrderLine } from './order-line.ts'
import { reserve } from './reservations.ts'

/** A booking of the older surface. `status`: of one that is not paid by card. `pays_by_card`: false refuses cards. */
type BookedAs = {
  module: BookingModule
  status: DirectState
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
  /** Null for an order that is none of the older surface's bookings. */
  booking?: BookedAs | null
}

/** `payment` is the row of a payment that this call created, else null. */
export type CheckedOut = {
  order_id: string
  number: number
  payment: Record<string, unknown> | null
  awaits_card: boolean
}

type Existing = {
  id: string
  number: number
  status: string
  module: string | null
  next_cart_id: string | null
  method_key: string | null
  has_session: boolean
  paid: boolean
}

/** `module`: of an order that is a booking of the older surface, which has no next cart. */
export const checkoutCancelled = ({
  id,
  module,
  next_cart_id = null,
}: {
  id: string
  module?: string | null
  next_cart_id?: string | null
}) =>
  conflict(
    'checkout_cancelled',
    module
      ? `The ${module} of this request was cancelled. To book again, send another \`Idempotency-Key\`, or none.`
      : 'The order of this cart was cancelled.',
    {
      members: { order_id: id, cart_id: next_cart_id },
    },
  )

/** 409 total_changed with the present quote. Totals in minor units. */
export const totalChanged = (expected: number, total: number, quote: object) =>
  conflict('total_changed', `The total is ${total} now, not ${expected}. Nothing was ordered or charged.`, {
    members: { quote },
  })

/**
 * The cart was checked out before: the same answer, or 409 if its order was cancelled, or is paid by another method
 * than `methodKey`. An order whose total is 0 has no method, and any may be sent.
 */
async function again(
  em: EntityManager,
  tenantId: string,
  cartId: string,
  methodKey: string | undefined,
): Promise<CheckedOut> {
  const rows: Existing[] = await em.execute(sql`
    select o.id, o.number, o.status, o.module, o.next_cart_id, p.method_key, s.id is not null as has_session,
      p.status = 'paid' as paid
    from orders o
    join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id
    left join payment_sessions s on s.order_id = o.id and s.tenant_id = o.tenant_id
    where o.tenant_id = ${tenantId} and o.source_cart_id = ${cartId}
  `)
  const order = rows[0]
  if (!order) throw notFound('order')
  if (order.status === 'cancelled') throw checkoutCancelled(order)
  const method = order.method_key
  if (methodKey !== undefined && method !== null && methodKey !== method) {
    const members = { order_id: order.id }
    if (order.has_session && !order.paid)
      throw conflict(
        'payment_in_progress',
        `The order waits for its payment by \`${method}\`, and cannot be paid by \`${methodKey}\` meanwhile.`,
        { members },
      )
    throw conflict(
      'cart_ordered',
      `The cart was checked out with \`${method}\`. Its payment method cannot be changed to \`${methodKey}\`.`,
      { members },
    )
  }
  return { order_id: order.id, number: order.number, payment: null, awaits_card: order.has_session && !order.paid }
}

/**
 * Makes the order of a cart; twenty concurrent calls create one. Locks: session, cart, the store's zone, inventory, schedule, promo code, the order's number.
 */
export async function checkOut(em: EntityManager, { booking = null, ...c }: Checkout): Promise<CheckedOut> {
  const cart = c.cart ?? (await lockCart(em, c.tenant_id, c.by, c.cart_id))
  if (!cart) throw notFound('cart')
  // A booking of another method under the same key is another payload, which its route refuses.
  if (cart.status === 'ordered') return again(em, c.tenant_id, c.cart_id, booking ? undefined : c.payment_method_key)

  const priced = await priceCart(em, cart, {
    for_checkout: true,
    payment_method_key: c.payment_method_key,
    books_private: c.by === null,
    now: c.now,
  })
  if (!booking && priced.approval_hours !== null)
    throw invalid(
      '/booking_items',
      'approval_required',
      'A service of the cart has to be approved. Ask for it as a booking or a reservation.',
    )
  const { money } = priced.quote
  if (c.expected_total !== undefined && c.expected_total !== money.total) {
    const present = await priceCart(em, cart, {
      for_checkout: false,
      payment_method_key: c.payment_method_key,
      books_private: c.by === null,
      now: c.now,
    })
    throw totalChanged(c.expected_total, money.total, booking ? bookingQuote(present) : present.quote)
  }
  const type = money.total === 0 ? 'none' : (priced.payment_method?.type ?? 'none')
  const isCard = type === 'card'
  if (isCard && booking && !booking.pays_by_card)
    throw invalid(
      '/payment_method_key',
      'payment_method_required',
      'A card is charged by a checkout only. Choose a method of the type `cash`.',
    )
  if (isCard && !c.return_url && !booking)
    throw invalid('/return_url', 'return_url_required', 'A card payment needs the address to come back to.')
  const account = isCard ? await chargingAccount(em, c.tenant_id) : null

  const allocations = await reserve(em, c.tenant_id, stockOf(priced.lines, cart.pickup_location_id))
  await moveBookedTime(em, c.tenant_id, priced.timezone, [], priced.times)
  const address = priced.promo ? await countUse(em, c.tenant_id, priced.promo, cart.contact_id) : null
  const [orderId, paymentId] = [newId(), newId()]
  const paid = type === 'none'
  // Operators approve what they book.
  const hours = booking && c.by !== null ? priced.approval_hours : null
  const starts_at = Math.min(...priced.bookings.flatMap(({ slots }) => slots.map(({ from }) => from)))
  const decide_by = hours === null ? null : decideBy({ created_at: c.now, starts_at, hours, capture_before: null })
  const decidedSoon = decide_by !== null && isNear(decide_by, c.now)
  const confirmed = booking
    ? !isCard && booking.status === 'confirmed' && decide_by === null
    : paid && priced.auto_confirm_paid
  const status = confirmed ? ('confirmed' as const) : ('pending' as const)
  const lines = priced.lines.map((line, position) => ({
    ...line,
    id: newId(),
    position,
    taxable: priced.taxable.get(line.variant_id) ?? true,
    allocations: allocations
      .filter(({ variant_id }) => variant_id === line.variant_id)
      .map(({ location_id, quantity }) => ({ location_id, quantity })),
  }))
  const bookings = bookingRows(priced).map((row) => {
    const reminder = nextReminder({ status, slots: row.slots, reminded_slot: null }, priced.reminder_minutes, c.now)
    return {
      ...row,
      remind_at: reminder?.due_at ?? null,
      reminder_started: reminder !== null && isNear(reminder.due_at, c.now),
    }
  })
  const reminded = bookings.flatMap(({ id, reminder_started }) => (reminder_started ? [id] : []))
  const fulfillment_status = fulfillmentOf({
    cancelled: false,
    lines: lines.map((line) => ({ ...line, status, shipped_quantity: 0 })),
    bookings: bookings.map(() => ({ status })),
  })

  const base = { tenant_id: c.tenant_id, created_at: c.now, updated_at: c.now }
  const ofOrder = { ...base, order_id: orderId, ordered_at: c.now, status }
  const { market, shipping_address, billing_address, forms, pickup_location_id } = cart
  const channels = sql`contact_channels where tenant_id = ${c.tenant_id} and contact_id = ${cart.contact_id}`
  const order = insertion(em, Order, {
    ...base,
    id: orderId,
    number: sql`(select value from order_number)`,
    status,
    fulfillment_status,
    contact_id: cart.contact_id,
    made_by: c.made_by,
    source_cart_id: c.cart_id,
    payment_id: paymentId,
    market,
    shipping_address,
    billing_address,
    forms,
    pickup_location_id,
    money,
    shipping_line: priced.shipping_line,
    promo_code: priced.promo?.code ?? null,
    paid_at: paid ? c.now : null,
    verified: c.by ? c.by.verified : sql`exists (select 1 from ${channels} and owned and verified_at is not null)`,
    // A visitor who proved no address sees none that an operator entered.
    email: orderEmail(c.tenant_id, cart.contact_id, { owned: c.by === null || c.by.verified }),
    hold_until: isCard
      ? sql`clock_timestamp() + make_interval(secs => ${config.checkoutHoldMinutes * 60})`
      : decide_by === null
        ? null
        : new Date(decide_by * 1000),
    hold_started: isCard || decidedSoon,
    approval_required: decide_by !== null,
    decide_by,
    ...(booking && {
      module: booking.module,
      booking_status: isCard ? 'created' : status,
      blocks: booking.blocks,
      coordinates: booking.coordinates,
      fingerprint: booking.fingerprint,
    }),
  })
  const payment = insertion(em, Payment, {
    ...base,
    id: paymentId,
    order_id: orderId,
    type,
    method_key: paid ? null : (priced.payment_method?.key ?? null),
    status: paid ? 'paid' : 'pending',
    currency: money.currency,
    amount: money.total,
    provider: isCard ? 'stripe' : null,
    provider_account_id: account,
    paid_at: paid ? c.now : null,
  })
  const redemption =
    priced.promo &&
    insertion(em, PromoRedemption, {
      ...base,
      id: newId(),
      order_id: orderId,
      promo_code_id: priced.promo.id,
      contact_id: cart.contact_id,
      address,
    })
  // The store's counter is the last of all locks, held for this statement and the commit: every other checkout of the store waits for it.
  const parts = [
    sql`
      order_number as (
        update counters
        set value = value + 1
        where tenant_id = ${c.tenant_id} and name = 'order'
        returning value
      )
    `,
    sql`new_order as (${order})`,
    ...(lines.length > 0 ? [sql`new_lines as (${insertions(em, OrderLine, ofOrder, lines)})`] : []),
    ...(bookings.length > 0 ? [sql`new_bookings as (${insertions(em, OrderBooking, ofOrder, bookings)})`] : []),
    ...(reminded.length > 0
      ? [sql`reminder_starts as (${starting(em, 'booking_reminder', reminded, c.tenant_id)})`]
      : []),
    ...(redemption ? [sql`redemption as (${redemption})`] : []),
    sql`payment as (${payment} returning *)`,
    sql`
      cart as (
        update carts
        set status = 'ordered', is_current = false, updated_at = ${c.now}
        where id = ${c.cart_id} and tenant_id = ${c.tenant_id}
      )
    `,
  ]
  const [made] = await em
    .execute<(Record<string, unknown> & { number: number; wanted: boolean })[]>(sql`
      with ${join(parts)}
      select payment.*, order_number.value as number, ${wanted(c.tenant_id, createdEvent(booking !== null))} as wanted
      from payment, order_number
    `)
    .catch(withoutNumber)
  if (!made) throw new Error(`tenant ${c.tenant_id} has no order counter`)
  const { number, wanted: isWanted, ...paymentRow } = made
  if (!isCard && decidedSoon) await start(em, 'checkout', orderId, { tenant_id: c.tenant_id })
  if (isCard) {
    await insertRow(em, PaymentSession, {
      ...base,
      id: newId(),
      order_id: orderId,
      payment_id: paymentId,
      amount: money.total,
      currency: money.currency,
      provider_account_id: account as string,
      return_url: c.return_url ?? null,
      fingerprint: '',
    })
    await start(em, 'checkout', orderId, { tenant_id: c.tenant_id, awaited: true })
  }
  if (isWanted) await orderCreated(em, c.tenant_id, orderId, c.now)
  return { order_id: orderId, number, payment: paymentRow, awaits_card: isCard }
}

/** Without a counter there is no number: the business began to be deleted meanwhile. */
function withoutNumber(error: unknown): never {
  throw error instanceof NotNullConstraintViolationException ? notFound('{store}') : error
}

/** The columns of a booking that come from its line. */
export const bookingRows = ({ bookings, times }: Pick<PricedCart, 'bookings' | 'times'>) =>
  bookings.map(({ kind: _, ...line }, position) => ({
    ...line,
    slots: [...(times[position]?.slots ?? line.slots)],
    id: newId(),
    position,
    starts_at: Math.min(...line.slots.map(({ from }) => from)),
    ends_at: Math.max(...line.slots.map(({ to }) => to)),
  }))
