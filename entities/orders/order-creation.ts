// Writes a new order with its lines, bookings, payment and redemption in one statement, which numbers it and marks its
// cart as ordered, and starts what follows.
import { NotNullConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { decideBy } from '../../rules/bookings/bookings.ts'
import { fulfillmentOf } from '../../rules/orders/fulfillment.ts'
import type { OrderStatus } from '../../rules/orders/statuses.ts'
import type { Allocation } from '../../rules/orders/stock.ts'
import { notFound } from '../../rules/refusal.ts'
import { nextReminder } from '../../rules/scheduling/reminders.ts'
import { isNear } from '../../rules/start-ahead.ts'
// Backwards: an order and its bookings are written in one statement.
import { OrderBooking } from '../bookings/order-booking.ts'
import type { PricedCart } from '../carts/pricing.ts'
import { insertion, insertions, insertRow } from '../kit/database/insert.ts'
import { join, type Sql, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { start, starting } from '../kit/outbox.ts'
// Backwards: an order and its payment are written in one statement.
import { Payment } from '../payments/payment.ts'
import { PaymentSession } from '../payments/payment-session.ts'
import { PromoRedemption } from '../promotions/promo-redemption.ts'
import { orderEmail } from '../promotions/redemptions.ts'
import { subscribedSql } from '../webhooks/events.ts'
import type { Checkout, CheckoutQuote, CheckoutReservation, CheckoutResult } from './checkout-phases.ts'
import { Order } from './order.ts'
import { createdEvent, orderCreated } from './order-events.ts'
import { OrderLine } from './order-line.ts'

type InitialStatus = Extract<OrderStatus, 'pending' | 'confirmed'>

/** How a new order begins. */
type InitialState = {
  status: InitialStatus
  /** Nothing is due: the order is paid at once. */
  is_paid: boolean
  /** When an operator has to decide about a booking, in Unix seconds; null if no approval is required. */
  decide_by: number | null
  /** Whether that time is so near that its workflow starts with the order. */
  decides_soon: boolean
}

function initialState({ booking, by, now }: Checkout, { priced, payment_type }: CheckoutQuote): InitialState {
  const is_paid = payment_type === 'none'
  // Operators approve what they book.
  const hours = booking && by !== null ? priced.approval_hours : null
  const starts_at = Math.min(...priced.bookings.flatMap(({ slots }) => slots.map(({ from }) => from)))
  const decide_by = hours === null ? null : decideBy({ created_at: now, starts_at, hours, capture_before: null })
  const confirmed = booking
    ? payment_type !== 'card' && booking.status === 'confirmed' && decide_by === null
    : is_paid && priced.auto_confirm_paid
  return {
    status: confirmed ? 'confirmed' : 'pending',
    is_paid,
    decide_by,
    decides_soon: decide_by !== null && isNear(decide_by, now),
  }
}

const linesOf = ({ lines, taxable }: PricedCart, allocations: readonly Allocation[]) =>
  lines.map((line, position) => ({
    ...line,
    id: newId(),
    position,
    taxable: taxable.get(line.variant_id) ?? true,
    allocations: allocations
      .filter(({ variant_id }) => variant_id === line.variant_id)
      .map(({ location_id, quantity }) => ({ location_id, quantity })),
  }))

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

/** The bookings with their first reminders; those that are due soon start with the order. */
const remindedBookings = (priced: PricedCart, status: InitialStatus, now: number) =>
  bookingRows(priced).map((row) => {
    const reminder = nextReminder({ status, slots: row.slots, reminded_slot: null }, priced.reminder_minutes, now)
    return {
      ...row,
      remind_at: reminder?.due_at ?? null,
      reminder_started: reminder !== null && isNear(reminder.due_at, now),
    }
  })

/** The ids, state and parts of the order. */
type Draft = InitialState & {
  order_id: string
  payment_id: string
  lines: ReturnType<typeof linesOf>
  bookings: ReturnType<typeof remindedBookings>
}

function draftOf(request: Checkout, quote: CheckoutQuote, allocations: readonly Allocation[]): Draft {
  const [order_id, payment_id] = [newId(), newId()]
  const state = initialState(request, quote)
  const lines = linesOf(quote.priced, allocations)
  const bookings = remindedBookings(quote.priced, state.status, request.now)
  return { ...state, order_id, payment_id, lines, bookings }
}

const keysOf = ({ tenant_id, now }: Checkout) => ({ tenant_id, created_at: now, updated_at: now })

function orderInsertion(
  em: EntityManager,
  request: Checkout,
  { cart, priced, payment_type }: CheckoutQuote,
  draft: Draft,
): Sql {
  const { tenant_id, now, by, booking } = request
  const { order_id, payment_id, status, is_paid, decide_by, decides_soon, lines, bookings } = draft
  const { money } = priced.quote
  const isCard = payment_type === 'card'
  const fulfillment_status = fulfillmentOf({
    cancelled: false,
    lines: lines.map((line) => ({ ...line, status, shipped_quantity: 0 })),
    bookings: bookings.map(() => ({ status })),
  })
  const { market, shipping_address, billing_address, forms, pickup_location_id } = cart
  const channels = sql`contact_channels where tenant_id = ${tenant_id} and contact_id = ${cart.contact_id}`
  return insertion(em, Order, {
    ...keysOf(request),
    id: order_id,
    number: sql`(select value from order_number)`,
    status,
    fulfillment_status,
    contact_id: cart.contact_id,
    made_by: request.made_by,
    source_cart_id: request.cart_id,
    payment_id,
    market,
    shipping_address,
    billing_address,
    forms,
    pickup_location_id,
    money,
    shipping_line: priced.shipping_line,
    promo_code: priced.promo?.code ?? null,
    paid_at: is_paid ? now : null,
    verified: by ? by.verified : sql`exists (select 1 from ${channels} and owned and verified_at is not null)`,
    // A visitor who proved no address sees none that an operator entered.
    email: orderEmail(tenant_id, cart.contact_id, { owned: by === null || by.verified }),
    hold_until: isCard
      ? sql`clock_timestamp() + make_interval(secs => ${config.checkoutHoldMinutes * 60})`
      : decide_by === null
        ? null
        : new Date(decide_by * 1000),
    hold_started: isCard || decides_soon,
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
}

function paymentInsertion(
  em: EntityManager,
  request: Checkout,
  { priced, payment_type, account_id }: CheckoutQuote,
  { order_id, payment_id, is_paid }: Draft,
): Sql {
  const { money } = priced.quote
  const isCard = payment_type === 'card'
  return insertion(em, Payment, {
    ...keysOf(request),
    id: payment_id,
    order_id,
    type: payment_type,
    method_key: is_paid ? null : (priced.payment_method?.key ?? null),
    status: is_paid ? 'paid' : 'pending',
    currency: money.currency,
    amount: money.total,
    provider: isCard ? 'stripe' : null,
    provider_account_id: account_id,
    paid_at: is_paid ? request.now : null,
  })
}

/** The number is null if there is no counter: the business began to be deleted meanwhile. */
function withoutNumber(error: unknown): never {
  throw error instanceof NotNullConstraintViolationException ? notFound('{store}') : error
}

/** Writes the order that a checkout has priced and reserved, and answers the checkout. */
export async function writeOrder(
  em: EntityManager,
  request: Checkout,
  quote: CheckoutQuote,
  { allocations, address }: CheckoutReservation,
): Promise<CheckoutResult> {
  const { tenant_id, now, booking = null } = request
  const { cart, priced, payment_type, account_id } = quote
  const { money } = priced.quote
  const isCard = payment_type === 'card'
  const draft = draftOf(request, quote, allocations)
  const { order_id, payment_id, status, decides_soon, lines, bookings } = draft
  const reminded = bookings.flatMap(({ id, reminder_started }) => (reminder_started ? [id] : []))
  const ofOrder = { ...keysOf(request), order_id, ordered_at: now, status }
  const redemption =
    priced.promo &&
    insertion(em, PromoRedemption, {
      ...keysOf(request),
      id: newId(),
      order_id,
      promo_code_id: priced.promo.id,
      contact_id: cart.contact_id,
      address,
    })
  // The store's counter is the last of all locks, held for this statement and the commit: every other checkout of the
  // store waits for it.
  const parts = [
    sql`
      order_number as (
        update counters
        set value = value + 1
        where tenant_id = ${tenant_id} and name = 'order'
        returning value
      )
    `,
    sql`new_order as (${orderInsertion(em, request, quote, draft)})`,
    ...(lines.length > 0 ? [sql`new_lines as (${insertions(em, OrderLine, ofOrder, lines)})`] : []),
    ...(bookings.length > 0 ? [sql`new_bookings as (${insertions(em, OrderBooking, ofOrder, bookings)})`] : []),
    ...(reminded.length > 0
      ? [sql`reminder_starts as (${starting(em, 'booking_reminder', reminded, tenant_id)})`]
      : []),
    ...(redemption ? [sql`redemption as (${redemption})`] : []),
    sql`payment as (${paymentInsertion(em, request, quote, draft)} returning *)`,
    sql`
      cart as (
        update carts
        set status = 'ordered', is_current = false, updated_at = ${now}
        where id = ${request.cart_id} and tenant_id = ${tenant_id}
      )
    `,
  ]
  const [made] = await em
    .execute<(Record<string, unknown> & { number: number; wanted: boolean })[]>(sql`
      with ${join(parts)}
      select payment.*, order_number.value as number,
        ${subscribedSql(tenant_id, createdEvent(booking !== null))} as wanted
      from payment, order_number
    `)
    .catch(withoutNumber)
  if (!made) throw new Error(`tenant ${tenant_id} has no order counter`)
  const { number, wanted: isWanted, ...paymentRow } = made
  if (!isCard && decides_soon) await start(em, 'checkout', order_id, { tenant_id, signal: false })
  if (isCard) {
    await insertRow(em, PaymentSession, {
      tenant_id,
      created_at: now,
      updated_at: now,
      id: newId(),
      order_id,
      payment_id,
      amount: money.total,
      currency: money.currency,
      provider_account_id: account_id as string,
      return_url: request.return_url ?? null,
      fingerprint: '',
    })
    await start(em, 'checkout', order_id, { tenant_id, awaited: true, signal: false })
  }
  if (isWanted) await orderCreated(em, tenant_id, order_id, now)
  return { order_id, number, payment: paymentRow, awaits_card: isCard }
}
