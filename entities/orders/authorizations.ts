// An authorised payment of a booking: signed events record it, an operator's approval captures it, and a refusal, or the end of the time to decide, cancels it. Nothing
// is captured for a booking that was refused, and so nothing has to be refunded.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type ConfirmedState, meanings } from '../../rules/orders/bookings.ts'
import { type EffectRow, effectRow, settleByProof, unsettled } from '../kit/effects.ts'
import { anyTenant } from '../kit/orm.ts'
import { sql } from '../kit/sql.ts'
import { AuthorizationEnd } from './authorization-end.ts'
import { decisionOf, requestEnd } from './authorization-ends.ts'
import { holdUntilDecided, wakeCheckout, wakeHeld } from './checkout-steps.ts'
import { Order } from './order.ts'
import { OrderBooking } from './order-booking.ts'
import { orderUpdated } from './order-events.ts'
import { Payment } from './payment.ts'
import { PaymentSession } from './payment-session.ts'
import { cancelBefore, keepForPayment, noteOutcome, waiting } from './provider-events.ts'
import { lockPayment } from './refunds.ts'
import { cancelOrder } from './release.ts'
import { refreshReminders } from './reminders.ts'
import { applyWaiting, enterTenantOf, type Outcome } from './settlement.ts'

/** Order, then payment: as every transaction that changes both. */
async function lockOwner(em: EntityManager, endId: string): Promise<void> {
  const of = sql`authorization_ends e where e.id = ${endId}`
  await em.execute(sql`select o.id from orders o where (o.id, o.tenant_id) in (select e.order_id, e.tenant_id from ${of}) for update`)
  await em.execute(sql`select p.id from payments p where (p.id, p.tenant_id) in (select e.payment_id, e.tenant_id from ${of}) for update`)
}

/** The amount was captured: a booking that waits for it is confirmed. Requires the locks of the order and its payment. */
async function captured(em: EntityManager, order: Order, payment: Payment, state: ConfirmedState, now: number): Promise<void> {
  em.assign(payment, { status: 'paid', captured_amount: payment.amount, paid_at: now, error: null, updated_at: now })
  // Captured in the provider's dashboard: its checkout may wait for a decision.
  if (order.hold_until) await wakeHeld(em, order)
  em.assign(order, { paid_at: now, hold_until: null, version: order.version + 1, updated_at: now })
  const confirms = order.status === 'pending'
  if (confirms) em.assign(order, { status: 'confirmed', booking_status: state, cancel_requested: false, cancel_reason: null })
  await em.flush()
  if (confirms)
    await em.nativeUpdate(OrderBooking, { order_id: order.id, replaced: false, status: 'pending' }, { status: meanings[state].part, updated_at: now })
  await refreshReminders(em, order.tenant_id, order.id, now)
  await orderUpdated(em, order, now)
}

/** What else changes when a decision is settled. */
async function settled(em: EntityManager, endId: string): Promise<void> {
  const end = await em.findOneOrFail(AuthorizationEnd, { id: endId }, { ...anyTenant, refresh: true })
  enterTenantOf(em, end)
  const now = Math.floor(Date.now() / 1000)
  const order = await em.findOneOrFail(Order, { id: end.order_id }, { refresh: true })
  const payment = await em.findOneOrFail(Payment, { id: end.payment_id }, { refresh: true })
  if (payment.status !== 'authorized') return
  if (end.kind === 'cancel') {
    if (end.status === 'succeeded') em.assign(payment, { status: 'cancelled', updated_at: now })
  } else if (end.status === 'succeeded') {
    await captured(em, order, payment, end.confirms_as ?? 'confirmed', now)
  } else if (end.status === 'rejected') {
    em.assign(payment, { status: 'failed', error: end.error ?? null, updated_at: now })
    await em.flush()
    if (order.status === 'cancelled') return
    // An operator confirmed it before it was paid: it stays, unpaid.
    if (order.status === 'pending') await cancelOrder(em, order, now, { reason: 'capture_rejected' })
    else em.assign(order, { version: order.version + 1, updated_at: now })
    await em.flush()
    await orderUpdated(em, order, now)
  } else if (end.status === 'failed' && order.status === 'pending') {
    // It was never sent: the booking waits for a decision again.
    order.updated_at = now
    await holdUntilDecided(em, order, now)
  } else if (end.status === 'unknown') {
    // The provider's event is awaited, and no decision.
    em.assign(order, { hold_until: null, updated_at: now })
  }
  await em.flush()
}

export const authorizationEndEffect: EffectRow<'authorization_end'> = effectRow('authorization_end', {
  precondition: `exists (select 1 from payments p where p.id = e.payment_id and p.tenant_id = e.tenant_id and p.status = 'authorized')`,
  lock: lockOwner,
  moved: settled,
  // An authorisation that is not wanted is cancelled, however often that fails: otherwise the amount stays reserved on the customer's card. Nor would the capture of a
  // booking that was confirmed before it was paid be requested again.
  persistent: `(e.kind = 'cancel' or exists (select 1 from orders o where o.id = e.order_id and o.tenant_id = e.tenant_id and o.status <> 'pending'))`,
  // Another decision stands: the payment is captured or cancelled once.
  refused: `exists (select 1 from authorization_ends x where x.payment_id = e.payment_id and x.tenant_id = e.tenant_id and x.id <> e.id and x.status not in ('failed', 'rejected'))`,
})

export type IntentFacts = { id: string; payment_session: string | null; amount: number; currency: string }

type Locked = { order: Order; payment: Payment }

async function locked(em: EntityManager, orderId: string): Promise<Locked> {
  const order = await em.findOneOrFail(Order, { id: orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
  return { order, payment: (await lockPayment(em, { order_id: orderId })) as Payment }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
type Page = PaymentSession & { order_id: string }

/** The page of an order that metadata names; null if it is not of this account. */
async function pageOf(em: EntityManager, account: string | null, id: string | null): Promise<Page | null> {
  const page = id && uuid.test(id) ? await em.findOne(PaymentSession, { id }, anyTenant) : null
  return page?.order_id && (page.provider_account_id ?? null) === account ? (page as Page) : null
}

/** The amount is reserved on the card. A booking that is over, or of another amount, gets it cancelled at once. */
export async function applyAuthorized(em: EntityManager, account: string | null, facts: IntentFacts, eventId: string, now: number): Promise<Outcome> {
  const page = await pageOf(em, account, facts.payment_session)
  if (!page) return 'ignored: no session of this account'
  enterTenantOf(em, page)
  const { order, payment } = await locked(em, page.order_id)
  if (!order.approval_required) return 'ignored: not a payment that has to be approved'
  if (payment.provider_payment_id || payment.status === 'paid') return 'known already'
  const agrees = facts.amount === payment.amount && facts.currency === payment.currency
  em.assign(payment, {
    ...{ status: 'authorized', provider_payment_id: facts.id, provider_session_id: page.provider_session_id ?? null, updated_at: now },
    ...{ evidence: { event: eventId, payment_intent: facts.id, amount: facts.amount, currency: facts.currency } },
  })
  await em.flush()
  // Events come in any order: nothing is authorised any more.
  const over = account && (await cancelBefore(em, account, facts.id))
  if (over) {
    const outcome = await applyCanceled(em, account, facts, over, now)
    await noteOutcome(em, over, outcome)
    return outcome
  }
  if (!agrees || order.status === 'cancelled') {
    await requestEnd(em, order.tenant_id, order.id, { kind: 'cancel' }, now)
    if (order.status === 'cancelled') return 'authorised too late: cancelled'
    await cancelOrder(em, order, now, { reason: 'payment_failed' })
    await orderUpdated(em, order, now)
    return 'authorised another amount: cancelled'
  }
  const { booking_status } = order
  const isConfirmed = booking_status === 'confirmed' || booking_status === 'completed'
  const isPending = order.status === 'pending'
  em.assign(order, {
    version: order.version + 1,
    updated_at: now,
    ...(isPending ? { booking_status: 'authorized' } : {}),
  })
  await em.flush()
  // An operator confirmed while the form was open.
  if (isConfirmed) await requestEnd(em, order.tenant_id, order.id, { kind: 'capture', confirms_as: booking_status }, now)
  // The payment form is over: the workflow that waited for it ends.
  if (isPending) await holdUntilDecided(em, order, now)
  else await wakeCheckout(em, order)
  await orderUpdated(em, order, now)
  return 'authorised'
}

/** When the authorisation ends, as its charge says: the booking has to be decided an hour before. */
export async function applyCaptureBefore(
  em: EntityManager,
  account: string | null,
  paymentSession: string | null,
  captureBefore: number,
  now: number,
): Promise<Outcome> {
  const page = await pageOf(em, account, paymentSession)
  if (!page) return 'ignored: no session of this account'
  enterTenantOf(em, page)
  const { order, payment } = await locked(em, page.order_id)
  if (!order.approval_required) return 'ignored: not a payment that has to be approved'
  const decide_by = Math.min(order.decide_by ?? Number.POSITIVE_INFINITY, captureBefore - 3600)
  em.assign(payment, { capture_before: captureBefore, updated_at: now })
  order.decide_by = decide_by
  await em.flush()
  if (order.booking_status === 'authorized' && order.hold_until) await holdUntilDecided(em, order, now)
  return 'authorised until then'
}

type Found = Locked | 'paid' | null

/** The payment of an authorisation, which only a recorded intent of this account names; `paid` without a lock, as it stays so. */
async function authorizedPayment(em: EntityManager, account: string | null, intent: string): Promise<Found> {
  const found = await em.findOne(Payment, { provider_account_id: account, provider_payment_id: intent, status: { $in: ['authorized', 'paid'] } }, anyTenant)
  if (found?.status === 'paid') return 'paid'
  if (!found?.order_id) return null
  enterTenantOf(em, found)
  const both = await locked(em, found.order_id)
  return both.payment.status === 'authorized' ? both : null
}

/** Events come in any order: the payment of a capture whose authorisation has not arrived yet. */
async function capturedFirst(em: EntityManager, account: string | null, { id, payment_session, amount, currency }: IntentFacts): Promise<Locked | null> {
  const page = await pageOf(em, account, payment_session)
  if (!page) return null
  enterTenantOf(em, page)
  // Other payments are not authorised first: they are settled by the event of their page.
  if ((await em.count(Order, { id: page.order_id, approval_required: true })) === 0) return null
  const both = await locked(em, page.order_id)
  const { payment } = both
  // Authorised at this moment.
  if (payment.provider_payment_id) return payment.provider_payment_id === id && payment.status === 'authorized' ? both : null
  if (amount !== payment.amount || currency !== payment.currency) return null
  em.assign(payment, { provider_payment_id: id, provider_session_id: page.provider_session_id ?? null })
  return both
}

/** The amount was captured, by our request or in the provider's dashboard. */
export async function applyCaptured(em: EntityManager, account: string | null, facts: IntentFacts, eventId: string, now: number): Promise<Outcome> {
  const { id, amount, currency } = facts
  const found = (await authorizedPayment(em, account, id)) ?? (await capturedFirst(em, account, facts))
  if (found === 'paid') return 'known already'
  if (!found) return 'ignored: no authorisation'
  const { order, payment } = found
  if (amount !== payment.amount || currency !== payment.currency) return 'conflict: another amount was captured'
  const end = await decisionOf(em, payment.id)
  const evidence = { event: eventId, provider_payment_id: id }
  if (end?.kind === 'capture' && (await settleByProof(em, authorizationEndEffect, end.id, { status: 'succeeded', evidence }, unsettled))) return 'captured'
  await captured(em, order, payment, 'confirmed', now)
  await applyWaiting(em, payment, now)
  return 'captured at the provider'
}

type CanceledFacts = Pick<IntentFacts, 'id' | 'payment_session'>

/** Events come in any order: whether the authorisation of this cancelled payment may still arrive. Then the lock of its payment is held. */
async function canceledFirst(em: EntityManager, account: string | null, { payment_session }: CanceledFacts): Promise<boolean> {
  const page = await pageOf(em, account, payment_session)
  if (!page) return false
  enterTenantOf(em, page)
  if ((await em.count(Order, { id: page.order_id, approval_required: true })) === 0) return false
  return !(await locked(em, page.order_id)).payment.provider_payment_id
}

/** The authorisation was cancelled, by our request or by the provider when it ended. */
export async function applyCanceled(em: EntityManager, account: string | null, facts: CanceledFacts, eventId: string, now: number): Promise<string> {
  const intent = facts.id
  if (await canceledFirst(em, account, facts)) {
    await keepForPayment(em, eventId, intent, facts)
    return waiting
  }
  const found = await authorizedPayment(em, account, intent)
  if (!found || found === 'paid') return 'ignored: no authorisation'
  const { order, payment } = found
  const end = await decisionOf(em, payment.id)
  const evidence = { event: eventId, provider_payment_id: intent }
  const error = { code: 'authorization_expired', message: 'The authorisation of the card has ended.' }
  if (end?.kind === 'cancel' && (await settleByProof(em, authorizationEndEffect, end.id, { status: 'succeeded', evidence }, unsettled))) return 'cancelled'
  if (end?.kind === 'capture' && (await settleByProof(em, authorizationEndEffect, end.id, { status: 'rejected', evidence, error }, unsettled)))
    return 'not captured'
  em.assign(payment, { status: 'cancelled', error, updated_at: now })
  await em.flush()
  if (order.status !== 'pending') return 'the authorisation has ended'
  await cancelOrder(em, order, now, { reason: 'authorization_expired' })
  await wakeHeld(em, order)
  await orderUpdated(em, order, now)
  return 'the authorisation has ended: cancelled'
}
