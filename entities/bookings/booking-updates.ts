// Changes of a booking of the business surface: its status, which an operator may set to any other, its time, its forms
// and its payment. Status, order, parts, booked time and payment change together or not at all.
import { isDeepStrictEqual } from 'node:util'
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  type BookingModule,
  type BookingMoveVerdict,
  type BookingState,
  ConfirmedState,
  isOver,
  mayMoveState,
  meanings,
  reasonFor,
} from '../../rules/bookings/bookings.ts'
import type { BookingItem } from '../../rules/carts/items.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import type { FormEntry } from '../../rules/content/form-entries.ts'
import { conflict, invalid, notFound, Refusal } from '../../rules/refusal.ts'
import type { Slot } from '../../rules/scheduling/slots.ts'
import { factsOf } from '../carts/pricing-facts.ts'
import { checkContent } from '../content/content.ts'
import { type Actor, ownRecords } from '../crm/session-rights.ts'
import { sql } from '../kit/database/sql.ts'
import { refreshFulfillment } from '../orders/fulfillment.ts'
import { Order } from '../orders/order.ts'
import { orderUpdated } from '../orders/order-events.ts'
import { cancelOrder } from '../orders/release.ts'
import { replaceItems } from '../orders/replacement.ts'
import { checkNotCaptured, decisionOf, requestEnd } from '../payments/authorization-ends.ts'
import { holdUntilDecided, wakeHold } from '../payments/checkout-steps.ts'
import type { Payment } from '../payments/payment.ts'
import { lockPayment } from '../payments/payment-lock.ts'
import { sessionIsOpen } from '../payments/payment-sessions.ts'
import { countUseAgain, giveBackUse } from '../promotions/redemptions.ts'
import { moveBookedTime } from '../scheduling/booked-time.ts'
import { awaitClosing, partsOf, writeParts, writeState } from './booking-states.ts'
import { formEntries, type SentForm } from './bookings.ts'
import type { OrderBooking } from './order-booking.ts'
import { refreshReminders } from './reminders.ts'

export type BookingChanges = {
  status?: BookingState | undefined
  forms?: SentForm[] | undefined
  blocks?: Block[] | undefined
  items?: BookingItem[] | undefined
  /** The payment as it was read, but for its status; null makes an unpaid one in cash free. */
  payment?: Record<string, unknown> | null | undefined
}

/** `by`: the visitor who changes their own booking; null for an operator. */
type Key = { id: string; module: BookingModule; by: Actor | null }

const pairOf = ({ service_id, provider_id }: { service_id: string; provider_id: string }) =>
  `${service_id}/${provider_id}`
const timesOf = (items: readonly { service_id: string; provider_id: string; slots: readonly Slot[] }[]): string[] =>
  items.flatMap((item) => item.slots.map(({ from, to }) => `${pairOf(item)}/${from}/${to}`)).sort()

/** The value without members that are null: they may have been left out when it was stored. */
const bare = (value: unknown): unknown => JSON.parse(JSON.stringify([value], (_, inner) => inner ?? undefined))

const readOnly = (name: string) =>
  invalid(
    `/payment/${name}`,
    'payment_read_only',
    'Of a payment in cash, the status alone can be changed: it can be marked as paid.',
  )

/** What the caller wants of the payment. 422 payment_read_only. */
function paymentMove(payment: Payment, sent: BookingChanges['payment']): Wanted['paying'] {
  if (sent === undefined) return 'none'
  const isOpenCash = payment.type === 'cash' && payment.status !== 'paid'
  if (sent === null) {
    if (payment.type === 'none') return 'none'
    if (!isOpenCash)
      throw invalid('/payment', 'payment_read_only', 'Only a payment in cash that is not paid can be removed.')
    return 'waive'
  }
  const isAsStored = (name: string) => isDeepStrictEqual(bare(sent[name]), bare(Reflect.get(payment, name)))
  const [changed] = Object.keys(sent).filter((name) => name !== 'updated_at' && !isAsStored(name))
  if (changed === undefined) return 'none'
  const others = Object.keys(sent).find((name) => name !== 'updated_at' && name !== 'status' && !isAsStored(name))
  if (others !== undefined || sent.status !== 'paid' || !isOpenCash) throw readOnly(others ?? changed)
  return 'pay'
}

/** A visitor may only cancel their own booking, before it begins. 403 forbidden. */
function checkVisitor(booking: Booking, wanted: Wanted, now: number): void {
  if (changesNothing(booking, wanted)) return
  const { order, parts } = booking
  const cancels = wanted.to === 'cancelled' && !isOver(order.booking_status)
  if (!cancels || wanted.items || wanted.paying !== 'none' || Object.keys(wanted.edits).length > 0)
    throw new Refusal(403, 'forbidden', 'A customer can only cancel their booking.')
  if (parts.some(({ starts_at }) => starts_at <= now)) throw new Refusal(403, 'forbidden', 'The booking has begun.')
}

/** The booked time of a booking that was over is reserved again. 409 slot_taken; 422 link_unknown without the link. */
async function reserveAgain(
  em: EntityManager,
  order: Order,
  parts: readonly OrderBooking[],
  now: number,
): Promise<void> {
  // The time zone and the links must not change until the time is reserved: their writers lock this row, too.
  await em.execute(sql`select 1 from tenants where id = ${order.tenant_id} for share`)
  const cart = {
    tenant_id: order.tenant_id,
    contact_id: order.contact_id,
    market: order.market,
    promo_code: null,
    pickup_location_id: null,
  }
  const { links, timezone } = await factsOf(em, cart, { variants: [], pairs: parts, order_id: undefined, now })
  const limits = new Map(links.map((link) => [pairOf(link), link.concurrent_limit]))
  const times = parts.map((part) => {
    const limit = limits.get(pairOf(part))
    if (limit === undefined)
      throw invalid('/status', 'link_unknown', 'The provider does not offer the service any more.')
    const slots = part.slots.map((slot) => ({ ...slot, limit }))
    em.assign(part, { slots })
    return { service_id: part.service_id, provider_id: part.provider_id, slots }
  })
  await moveBookedTime(em, order.tenant_id, timezone, [], times)
}

/** Sets the total to 0 by a discount of everything: nothing is due, and no promo code is needed. */
async function waive(em: EntityManager, { order, payment, parts }: Booking, now: number): Promise<void> {
  const { subtotal, shipping, tax } = order.money
  em.assign(order, {
    money: { ...order.money, discount: subtotal + shipping, tax: tax && { ...tax, amount: 0 }, total: 0 },
    promo_code: null,
    paid_at: now,
  })
  for (const part of parts) em.assign(part, { discount: part.subtotal, tax: 0, total: 0, updated_at: now })
  em.assign(payment, { type: 'none', method_key: null, amount: 0, status: 'paid', paid_at: now, updated_at: now })
  await giveBackUse(em, order.tenant_id, { order_id: order.id })
}

async function settle(em: EntityManager, booking: Booking, paying: Wanted['paying'], now: number): Promise<void> {
  const { order, payment } = booking
  if (paying === 'waive') await waive(em, booking, now)
  if (paying !== 'pay') return
  em.assign(payment, { status: 'paid', captured_amount: payment.amount, paid_at: now, updated_at: now })
  // A booking that is paid does not lapse any more.
  em.assign(order, { paid_at: now, hold_until: null })
}

type Booking = { order: Order & { booking_status: BookingState }; payment: Payment; parts: OrderBooking[] }

/** Locks the order, then its payment. 404. */
async function lockBooking(em: EntityManager, { id, module, by }: Key): Promise<Booking> {
  const own = by === null ? {} : ownRecords(by)
  const order = (await em.findOne(Order, { id, module, ...own }, { lockMode: LockMode.PESSIMISTIC_WRITE })) as
    | Booking['order']
    | null
  const payment = order && (await lockPayment(em, { order_id: id }))
  if (!payment) throw notFound(module)
  return { order, payment, parts: await partsOf(em, id) }
}

/** What a request changes; fields that are sent back as they were read change nothing. `items`: null if they stay. */
type Wanted = {
  to: BookingState
  edits: { forms?: FormEntry[]; blocks?: Block[] }
  items: BookingItem[] | null
  paying: 'none' | 'pay' | 'waive'
}

/** 422 form_unknown, payment_read_only, and as content says. */
async function wantedOf(
  em: EntityManager,
  { order, payment, parts }: Booking,
  changes: BookingChanges,
): Promise<Wanted> {
  const { status = order.booking_status, blocks } = changes
  const forms = changes.forms && (await formEntries(em, changes.forms, order.forms))
  const edits = {
    ...(forms && !isDeepStrictEqual(bare(forms), bare(order.forms)) ? { forms } : {}),
    ...(blocks && !isDeepStrictEqual(bare(blocks), bare(order.blocks)) ? { blocks } : {}),
  }
  if (edits.blocks) await checkContent(em, order.tenant_id, { blocks: edits.blocks }, null)
  const items = changes.items && !isDeepStrictEqual(timesOf(changes.items), timesOf(parts)) ? changes.items : null
  return { to: status, edits, items, paying: paymentMove(payment, changes.payment) }
}

const changesNothing = ({ order }: Booking, { to, edits, items, paying }: Wanted): boolean =>
  to === order.booking_status && items === null && paying === 'none' && Object.keys(edits).length === 0

/** 409 and 422 for what excludes each other, or is excluded by the payment. */
async function verdictOf(
  em: EntityManager,
  { order, payment }: Booking,
  { to, items, paying }: Wanted,
): Promise<Extract<BookingMoveVerdict, { ok: true }>> {
  const from = order.booking_status
  if (isOver(from) && isOver(to) && (items || paying !== 'none'))
    throw conflict('order_cancelled', 'The booking is over.')
  if (isOver(to) && items)
    throw invalid('/booking_items', 'cancel_and_replace', 'A booking ends or gets other items, not both.')
  const session_open = (items !== null || isOver(to)) && (await sessionIsOpen(em, order, payment))
  if (items && session_open) throw conflict('payment_in_progress', 'A card payment is in progress.')
  const may = mayMoveState({ from, to, payment_status: payment.status, session_open })
  if (!may.ok) throw conflict(may.code, may.detail)
  return may
}

/** The booking ends: now, or when its page is closed, for which it waits like one that was just checked out. */
async function end(
  em: EntityManager,
  booking: Booking,
  { to, edits, paying }: Wanted,
  closes: boolean,
  now: number,
): Promise<void> {
  const { order } = booking
  await settle(em, booking, paying, now)
  em.assign(order, { ...edits, updated_at: now })
  const reason = reasonFor(to)
  if (closes) return awaitClosing(em, order, reason, Object.keys(edits).length > 0 || paying !== 'none', now)
  await em.flush()
  // It increments the version.
  await cancelOrder(em, order, now, {
    reason,
    payment: { status: to === 'failed' ? 'failed' : 'cancelled', error: null },
  })
  // Nothing is captured for a booking that ends.
  await requestEnd(em, order.tenant_id, order.id, { kind: 'cancel' }, now)
  await orderUpdated(em, order, now)
}

/**
 * An authorised booking is approved: until its payment is captured its parts, their time and their reminders stay as
 * they are. Returns the id of the decision.
 */
async function capture(
  em: EntityManager,
  { order }: Booking,
  { edits }: Wanted,
  confirms_as: ConfirmedState,
  now: number,
): Promise<string | null> {
  em.assign(order, { ...edits, hold_until: null, version: order.version + 1, updated_at: now })
  await em.flush()
  const decision = await requestEnd(em, order.tenant_id, order.id, { kind: 'capture', confirms_as }, now)
  await orderUpdated(em, order, now)
  return decision
}

/** The booking stays, or is set back. Returns the id of the decision that captures its payment, which it waits for. */
async function move(
  em: EntityManager,
  booking: Booking,
  wanted: Wanted,
  reserves: boolean,
  now: number,
): Promise<string | null> {
  const { edits, items, paying } = wanted
  const { order, payment, parts } = booking
  const confirms = payment.status === 'authorized' ? ConfirmedState.safeParse(wanted.to).data : undefined
  const to = confirms ? 'authorized' : wanted.to
  const from = order.booking_status
  if (confirms && to === from && !items) return capture(em, booking, wanted, confirms, now)
  if (reserves) {
    if (items) for (const part of parts) part.replaced = true
    else await reserveAgain(em, order, parts, now)
    await countUseAgain(em, order, now)
    // A payment in cash that was dropped is awaited again.
    if (payment.type === 'cash' && payment.status !== 'paid')
      em.assign(payment, { status: 'pending', error: null, updated_at: now })
  }
  em.assign(order, { ...edits, version: order.version + 1, updated_at: now })
  const { part } = meanings[to]
  const live = parts.filter(({ replaced }) => !replaced)
  if (to !== from) {
    writeState(em, order, to)
    // Parts that are completed cannot be replaced.
    writeParts(em, live, items && part === 'completed' ? 'confirmed' : part, now)
  }
  await em.flush()
  if (items) {
    await replaceItems(em, order, payment, { product_items: [], booking_items: items }, now)
    await em.flush()
    booking.parts = await partsOf(em, order.id)
    writeParts(em, booking.parts, part, now)
  }
  await settle(em, booking, paying, now)
  if (confirms) order.hold_until = null
  await em.flush()
  const decision = confirms
    ? await requestEnd(em, order.tenant_id, order.id, { kind: 'capture', confirms_as: confirms }, now)
    : null
  // While its payment is authorised it has to be decided in time, under each status that it can wait in.
  if (payment.status === 'authorized' && !confirms && meanings[to].order === 'pending')
    await holdUntilDecided(em, order, now)
  await refreshFulfillment(em, order)
  await refreshReminders(em, order.tenant_id, order.id, now)
  await orderUpdated(em, order, now)
  return decision
}

/**
 * The decision that this request repeats; null if there is none. 409 decision_made if it contradicts one, also after an
 * authorisation was cancelled: nothing can be captured any more; capture_unknown.
 */
async function madeDecision(
  em: EntityManager,
  { order, payment }: Booking,
  { to, edits, items }: Wanted,
): Promise<string | null> {
  const made = order.approval_required ? await decisionOf(em, payment.id) : null
  const captures = ConfirmedState.safeParse(to).success
  if (made?.kind === 'cancel' && (captures || to === 'authorized'))
    throw conflict('decision_made', 'The authorisation of the payment was cancelled.')
  if (made?.kind !== 'capture' || made.status === 'succeeded') return null
  const repeats = to === made.confirms_as && items === null && Object.keys(edits).length === 0
  if (!repeats || made.status === 'unknown') checkNotCaptured(made)
  return made.id
}

export type Changed = { order: Order; waits_for: { id: string; decision: string | null } | null }

/**
 * What is left out, or sent as it was read, stays. An operator's status ends the hold of an unpaid card: its form stays
 * open until the provider closes it, and may be paid. `waits_for`: the form is closed first, and the booking is over
 * when it is; or a decision, by which the authorised payment is captured. Locks: order, payment, the tenant's row,
 * schedule, promo code. 403; 404; 409 slot_taken, payment_in_progress, payment_captured, payment_not_authorized,
 * order_cancelled, booking_completed, capture_unknown, decision_made; 422 payment_read_only, promo_code_exhausted,
 * cancel_and_replace, and as pricing says.
 */
export async function updateBooking(
  em: EntityManager,
  key: Key,
  changes: BookingChanges,
  now: number,
): Promise<Changed> {
  const booking = await lockBooking(em, key)
  const { order } = booking
  const wanted = await wantedOf(em, booking, changes)
  if (key.by !== null) checkVisitor(booking, wanted, now)
  if (changesNothing(booking, wanted)) return { order, waits_for: null }
  const made = await madeDecision(em, booking, wanted)
  if (made) return { order, waits_for: { id: order.id, decision: made } }
  const waited = order.approval_required && order.hold_until !== null
  const { time, closes } = await verdictOf(em, booking, wanted)
  const decision =
    time === 'release'
      ? await end(em, booking, wanted, closes, now)
      : await move(em, booking, wanted, time === 'reserve', now)
  await em.refresh(order)
  if (waited && order.hold_until === null) await wakeHold(em, order)
  return { order, waits_for: closes || decision ? { id: order.id, decision: decision ?? null } : null }
}
