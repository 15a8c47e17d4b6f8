// An authorised payment of a booking: signed events record it, an operator's approval captures it, and a refusal, or
// the end of the time to decide, cancels it. Nothing is captured for a booking that was refused, and so nothing has to
// be refunded.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ConfirmedState } from '../../rules/bookings/bookings.ts'
import { formatMoney } from '../../rules/payments/currencies.ts'
import { ourAmount } from '../../rules/payments/provider-amounts.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { sql } from '../kit/database/sql.ts'
import { type EffectRow, effectRow, settleByProof, unsettled } from '../kit/effects.ts'
import { Order } from '../orders/order.ts'
import { orderUpdated } from '../orders/order-events.ts'
import { cancelOrder } from '../orders/release.ts'
import { Tenant } from '../stores/tenant.ts'
import { AuthorizationEnd } from './authorization-end.ts'
import { decisionOf, noteLate, requestEnd } from './authorization-ends.ts'
import { type Capture, followCapture, isCaptured, recordCapture } from './captures.ts'
import { holdUntilDecided, wakeCheckout, wakeHold } from './checkout-steps.ts'
import { cancelBefore, keepForPayment, waiting } from './early-events.ts'
import { Payment } from './payment.ts'
import { lockPayment } from './payment-lock.ts'
import { PaymentSession } from './payment-session.ts'
import { enterTenantOf, isUuid, noteOutcome, type Outcome } from './provider-events.ts'

/** Locks the order, then the payment, as every transaction that changes both. */
async function lockOwner(em: EntityManager, endId: string): Promise<void> {
  const of = sql`authorization_ends e where e.id = ${endId}`
  await em.execute(sql`
    select o.id
    from orders o
    where (o.id, o.tenant_id) in (select e.order_id, e.tenant_id from ${of})
    for update
  `)
  await em.execute(sql`
    select p.id
    from payments p
    where (p.id, p.tenant_id) in (select e.payment_id, e.tenant_id from ${of})
    for update
  `)
}

/**
 * The provider captured an authorised payment: by our request, in its dashboard, or before the event of the
 * authorisation. Requires the locks of the order and its payment.
 */
async function applyCapture(
  em: EntityManager,
  { order, payment }: OrderAndPayment,
  capture: Capture,
  as: ConfirmedState,
  now: number,
): Promise<string> {
  const waits = payment.status === 'pending'
  const agrees = await recordCapture(em, payment, capture, now)
  return followCapture(em, order, payment, { agrees, as, waits }, now)
}

/** The capture that the answer to a request, or a read, proves; null if it proves none. */
function captureBy({
  kind,
  status,
  amount,
  currency,
  provider_payment_id,
  evidence,
}: AuthorizationEnd): Capture | null {
  const read = evidence as { status?: unknown; amount_received?: unknown } | null
  const isRead = read?.status === 'succeeded' && typeof read.amount_received === 'number'
  if (!isRead && !(kind === 'capture' && status === 'succeeded')) return null
  const received = isRead ? ourAmount(read.amount_received as number, currency) : amount
  return {
    amount: received,
    currency,
    payment_intent: provider_payment_id,
    evidence: { ...evidence, payment_intent: provider_payment_id, amount: received, currency },
  }
}

/** What else changes when a decision is settled. */
async function applySettlement(em: EntityManager, endId: string): Promise<void> {
  const end = await em.findOneOrFail(AuthorizationEnd, { id: endId }, { ...anyTenant, refresh: true })
  enterTenantOf(em, end)
  const now = Math.floor(Date.now() / 1000)
  const order = await em.findOneOrFail(Order, { id: end.order_id }, { refresh: true })
  const payment = await em.findOneOrFail(Payment, { id: end.payment_id }, { refresh: true })
  const capture = captureBy(end)
  if (capture) {
    // A signed event may have recorded it before.
    if (!isCaptured(payment)) await applyCapture(em, { order, payment }, capture, end.confirms_as ?? 'confirmed', now)
    return
  }
  if (payment.status !== 'authorized') return
  if (end.kind === 'cancel') {
    if (end.status === 'succeeded') em.assign(payment, { status: 'cancelled', updated_at: now })
  } else if (end.status === 'rejected') {
    em.assign(payment, { status: 'failed', error: end.error ?? null, updated_at: now })
    await em.flush()
    // The amount stays reserved on the card until the authorisation is cancelled.
    await requestEnd(em, order.tenant_id, order.id, { kind: 'cancel' }, now)
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
  // A capture that was refused leaves a failed payment, whose amount is still reserved.
  precondition: sql`
    exists (
      select 1
      from payments p
      where p.id = e.payment_id
        and p.tenant_id = e.tenant_id
        and (p.status = 'authorized' or e.kind = 'cancel' and p.status = 'failed')
    )
  `,
  lock: lockOwner,
  afterStatusChange: applySettlement,
  // An authorisation that is not wanted is cancelled, however often that fails: otherwise the amount stays reserved on
  // the customer's card. Nor would the capture of a booking that was confirmed before it was paid be requested again.
  persistent: sql`
    (
      e.kind = 'cancel'
      or exists (
        select 1
        from orders o
        where o.id = e.order_id and o.tenant_id = e.tenant_id and o.status <> 'pending'
      )
    )
  `,
  // Another decision stands: the payment is captured or cancelled once.
  refused: sql`
    exists (
      select 1
      from authorization_ends x
      where x.payment_id = e.payment_id
        and x.tenant_id = e.tenant_id
        and x.id <> e.id
        and x.status not in ('failed', 'rejected')
    )
  `,
})

export type IntentFacts = { id: string; payment_session: string | null; amount: number; currency: string }

type OrderAndPayment = { order: Order; payment: Payment }

async function lockBoth(em: EntityManager, orderId: string): Promise<OrderAndPayment> {
  const order = await em.findOneOrFail(Order, { id: orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
  return { order, payment: (await lockPayment(em, { order_id: orderId })) as Payment }
}

type Page = PaymentSession & { order_id: string }

/** The page of an order that metadata names; null if it is not of this account. */
async function pageOf(em: EntityManager, account: string | null, id: string | null): Promise<Page | null> {
  const page = isUuid(id) ? await em.findOne(PaymentSession, { id }, anyTenant) : null
  return page?.order_id && (page.provider_account_id ?? null) === account ? (page as Page) : null
}

/**
 * The amount is reserved on the card. The authorisation is cancelled at once if the booking is over or the amount
 * differs.
 */
export async function applyAuthorized(
  em: EntityManager,
  account: string | null,
  facts: IntentFacts,
  eventId: string,
  now: number,
): Promise<Outcome> {
  const page = await pageOf(em, account, facts.payment_session)
  if (!page) return 'ignored: no session of this account'
  enterTenantOf(em, page)
  const { order, payment } = await lockBoth(em, page.order_id)
  if (!order.approval_required) return 'ignored: not a payment that has to be approved'
  if (payment.provider_payment_id || payment.status === 'paid') return 'known already'
  const agrees = facts.amount === payment.amount && facts.currency === payment.currency
  em.assign(payment, {
    ...{
      status: 'authorized',
      provider_payment_id: facts.id,
      provider_session_id: page.provider_session_id ?? null,
      updated_at: now,
    },
    ...{
      evidence: { event: eventId, payment_intent: facts.id, amount: facts.amount, currency: facts.currency },
      error: null,
    },
  })
  await em.flush()
  // Events come in any order: the authorisation may be cancelled already.
  const over = await cancelBefore(em, account, facts.id)
  if (over) {
    const outcome = await applyCanceled(em, account, facts, over, now)
    await noteOutcome(em, over, outcome)
    return outcome
  }
  const { erasing_at } = await em.findOneOrFail(Tenant, { id: order.tenant_id })
  if (!agrees || order.status === 'cancelled' || erasing_at != null) {
    await requestEnd(em, order.tenant_id, order.id, { kind: 'cancel' }, now)
    if (order.status === 'cancelled') return 'authorised too late: cancelled'
    await cancelOrder(em, order, now, { reason: 'payment_failed' })
    await orderUpdated(em, order, now)
    return agrees ? 'authorised during the deletion: cancelled' : 'authorised another amount: cancelled'
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
  if (isConfirmed)
    await requestEnd(em, order.tenant_id, order.id, { kind: 'capture', confirms_as: booking_status }, now)
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
  const { order, payment } = await lockBoth(em, page.order_id)
  if (!order.approval_required) return 'ignored: not a payment that has to be approved'
  const decide_by = Math.min(order.decide_by ?? Number.POSITIVE_INFINITY, captureBefore - 3600)
  em.assign(payment, { capture_before: captureBefore, updated_at: now })
  order.decide_by = decide_by
  await em.flush()
  if (payment.status === 'authorized' && order.status === 'pending' && order.hold_until)
    await holdUntilDecided(em, order, now)
  return 'authorised until then'
}

/** The payment of an intent, which only a recorded intent of this account names: its order and itself, locked. */
async function paymentOf(em: EntityManager, account: string | null, intent: string): Promise<OrderAndPayment | null> {
  const found = await em.findOne(Payment, { provider_account_id: account, provider_payment_id: intent }, anyTenant)
  if (!found?.order_id) return null
  enterTenantOf(em, found)
  const both = await lockBoth(em, found.order_id)
  return both.order.approval_required ? both : null
}

/**
 * Events come in any order: the payment whose authorisation has not arrived yet, by the page that the metadata names.
 */
async function unnamedPayment(
  em: EntityManager,
  account: string | null,
  id: string,
  paymentSession: string | null,
): Promise<OrderAndPayment | null> {
  const page = await pageOf(em, account, paymentSession)
  if (!page) return null
  enterTenantOf(em, page)
  // Other payments are not authorised first: they are settled by the event of their page.
  if ((await em.count(Order, { id: page.order_id, approval_required: true })) === 0) return null
  const both = await lockBoth(em, page.order_id)
  // Authorised at this moment.
  const { provider_payment_id } = both.payment
  return provider_payment_id == null || provider_payment_id === id ? both : null
}

/**
 * The amount was captured, by our request or in the provider's dashboard, after any decision made here and in any state
 * of its payment.
 */
export async function applyCaptured(
  em: EntityManager,
  account: string | null,
  facts: IntentFacts,
  eventId: string,
  now: number,
): Promise<Outcome> {
  const { id, amount, currency, payment_session } = facts
  const found = (await paymentOf(em, account, id)) ?? (await unnamedPayment(em, account, id, payment_session))
  if (!found) return 'ignored: no authorisation'
  const { payment } = found
  const evidence = { event: eventId, payment_intent: id, amount, currency }
  await noteLate(em, payment.tenant_id, payment.id, 'capture', { status: 'succeeded', ...evidence })
  await noteLate(em, payment.tenant_id, payment.id, 'cancel', { status: 'failed', ...evidence })
  // What an operator recorded has its proof now.
  if (isCaptured(payment)) return 'known already'
  const end = await decisionOf(em, payment.id)
  const outcome = await applyCapture(
    em,
    found,
    { amount, currency, payment_intent: id, evidence },
    end?.confirms_as ?? 'confirmed',
    now,
  )
  if (!end) return `captured at the provider: ${outcome}`
  const agrees = end.kind === 'capture' && amount === end.amount && currency === end.currency
  const error = { code: 'captured', message: `The provider captured ${formatMoney(amount, currency)}.` }
  const ending = agrees
    ? ({ status: 'succeeded', evidence } as const)
    : ({ status: 'rejected', evidence, error } as const)
  await settleByProof(em, authorizationEndEffect, end.id, ending, unsettled)
  return agrees ? 'captured' : `captured at the provider: ${outcome}`
}

type CanceledFacts = Pick<IntentFacts, 'id' | 'payment_session'>

/** The authorisation was cancelled, by our request or by the provider when it ended. */
export async function applyCanceled(
  em: EntityManager,
  account: string | null,
  facts: CanceledFacts,
  eventId: string,
  now: number,
): Promise<string> {
  const intent = facts.id
  const found =
    (await paymentOf(em, account, intent)) ?? (await unnamedPayment(em, account, intent, facts.payment_session))
  if (!found) return 'ignored: no authorisation'
  const { order, payment } = found
  if (payment.provider_payment_id == null) {
    // The event of its authorisation may still arrive.
    await keepForPayment(em, eventId, intent, facts)
    return waiting
  }
  const end = await decisionOf(em, payment.id)
  const evidence = { event: eventId, provider_payment_id: intent }
  await noteLate(em, payment.tenant_id, payment.id, 'capture', { status: 'canceled', ...evidence })
  await noteLate(em, payment.tenant_id, payment.id, 'cancel', { status: 'succeeded', ...evidence })
  const error = { code: 'authorization_expired', message: 'The authorisation of the card has ended.' }
  if (
    end?.kind === 'cancel' &&
    (await settleByProof(em, authorizationEndEffect, end.id, { status: 'succeeded', evidence }, unsettled))
  )
    return 'cancelled'
  if (
    end?.kind === 'capture' &&
    (await settleByProof(em, authorizationEndEffect, end.id, { status: 'rejected', evidence, error }, unsettled))
  )
    return 'not captured'
  if (payment.status !== 'authorized') return 'known already'
  em.assign(payment, { status: 'cancelled', error, updated_at: now })
  await em.flush()
  if (order.status !== 'pending') return 'the authorisation has ended'
  await cancelOrder(em, order, now, { reason: 'authorization_expired' })
  await wakeHold(em, order)
  await orderUpdated(em, order, now)
  return 'the authorisation has ended: cancelled'
}
