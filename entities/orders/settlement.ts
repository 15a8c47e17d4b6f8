// A payment is settled by a signed event of the account that it was sent to: once, in whatever order events arrive.

import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { meaningOf } from '../../rules/orders/disputes.ts'
import type { SessionState } from '../../rules/orders/payments.ts'
import { settleByProof, unsettled } from '../kit/effects.ts'
import { newId } from '../kit/ids.ts'
import { anyTenant } from '../kit/orm.ts'
import { start } from '../kit/outbox.ts'
import { json, sql, text } from '../kit/sql.ts'
import { PaymentProvider } from '../stores/payment-provider.ts'
import { Tenant } from '../stores/tenant.ts'
import { integrationIn } from './charging-account.ts'
import { wakeCheckout } from './checkout-steps.ts'
import { Dispute } from './dispute.ts'
import { Order } from './order.ts'
import { orderUpdated } from './order-events.ts'
import { confirmItems } from './order-updates.ts'
import { Payment } from './payment.ts'
import { PaymentSession } from './payment-session.ts'
import { paymentSessionEffect } from './payment-session-effect.ts'
import { recordSession } from './payment-sessions.ts'
import { keepForPayment, noteOutcome, waiting, waitingEvents } from './provider-events.ts'
import { Refund } from './refund.ts'
import { countPayment, countRefunds, refundIsDue } from './refund-amounts.ts'
import { refundEffect } from './refund-effect.ts'
import { lockPayment, refundLatePayment } from './refunds.ts'
import { refreshReminders } from './reminders.ts'

/** What an event did, for the record; `retry` asks the provider to redeliver it, because its record is not committed yet. */
export type Outcome = string | { retry: string }

export type SessionFacts = {
  id: string
  status: SessionState
  paid: boolean
  amount: number | null
  currency: string | null
  payment_intent: string | null
  payment_session: string | null
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** From here on the unit of work sees the rows of the found row's tenant. */
export const enterTenantOf = (em: EntityManager, row: { tenant_id: string }) => em.setFilterParams('tenant', { tenant: row.tenant_id })

/** The recorded page that a session of this account belongs to, or why there is none. */
export async function findPage(em: EntityManager, account: string | null, facts: SessionFacts): Promise<PaymentSession | string> {
  const id = facts.payment_session
  const session = id && uuid.test(id) ? await em.findOne(PaymentSession, { id }, anyTenant) : null
  // A connected account can write any id into its own metadata: the account, and the id that is recorded, must agree.
  if (!session || (session.provider_account_id ?? null) !== account) return 'ignored: no session of this account'
  if (session.provider_session_id && session.provider_session_id !== facts.id) return 'ignored: another session'
  return session
}

/** Records the state of a page, and that it was opened. Requires the locks of its owner and its payment. */
export async function recordPage(em: EntityManager, session: PaymentSession, facts: SessionFacts, eventId: string): Promise<void> {
  await em.refresh(session, { lockMode: LockMode.PESSIMISTIC_WRITE })
  await recordSession(em, session.tenant_id, session.id, { provider_session_id: facts.id, state: facts.status })
  const settled = await settleByProof(em, paymentSessionEffect, session.id, {
    status: 'succeeded',
    evidence: { event: eventId, provider_session_id: facts.id },
  })
  if (!settled && session.status === 'unknown')
    await em.execute(
      sql`update payment_sessions set late_evidence = ${json({ event: eventId, provider_session_id: facts.id, state: facts.status })}
       where id = ${session.id} and tenant_id = ${session.tenant_id}`,
    )
}

/** A page of an order was completed or has expired. */
export async function applySession(em: EntityManager, session: PaymentSession, facts: SessionFacts, eventId: string, now: number): Promise<Outcome> {
  enterTenantOf(em, session)
  const order = await em.findOneOrFail(Order, { id: session.order_id as string }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const payment = await lockPayment(em, { id: session.payment_id })
  if (!payment) return 'ignored: no payment'
  await recordPage(em, session, facts, eventId)
  if (facts.status !== 'complete' || !facts.paid) {
    await wakeCheckout(em, order)
    return `session ${facts.status}`
  }
  // A payment in another currency captured nothing of its own.
  if (payment.captured_amount > 0 || payment.provider_session_id === facts.id) return 'known already'
  return capture(em, order, payment, facts, eventId, now)
}

/** Records what the provider took on a page, and applies the events that preceded it. Whether it is the amount that was due. Requires the payment's lock. */
export async function recordCapture(em: EntityManager, payment: Payment, facts: SessionFacts, eventId: string, now: number): Promise<boolean> {
  const agrees = facts.amount === payment.amount && facts.currency === payment.currency
  em.assign(payment, {
    status: 'paid',
    captured_amount: facts.currency === payment.currency ? (facts.amount ?? 0) : 0,
    provider_session_id: facts.id,
    provider_payment_id: facts.payment_intent,
    paid_at: now,
    updated_at: now,
    evidence: { event: eventId, session: facts.id, payment_intent: facts.payment_intent, amount: facts.amount, currency: facts.currency },
    error: agrees
      ? null
      : { code: 'amount_mismatch', message: `The provider took ${facts.amount} ${facts.currency} instead of ${payment.amount} ${payment.currency}.` },
  })
  await em.flush()
  await applyWaiting(em, payment, now)
  return agrees
}

async function capture(em: EntityManager, order: Order, payment: Payment, facts: SessionFacts, eventId: string, now: number): Promise<Outcome> {
  const agrees = await recordCapture(em, payment, facts, eventId, now)
  let outcome = 'paid'
  if (order.status === 'cancelled') {
    await refundLatePayment(em, payment, { amount: facts.amount ?? 0, currency: facts.currency ?? payment.currency }, now)
    outcome = 'paid too late: refunded'
  } else if (!agrees) {
    em.assign(order, { hold_until: null, cancel_requested: false, cancel_reason: null, version: order.version + 1, paid_at: now, updated_at: now })
    outcome = 'paid another amount: flagged'
  } else {
    const { settings } = await em.findOneOrFail(Tenant, { id: order.tenant_id })
    const confirm = order.status === 'pending' && (order.module ? true : settings.auto_confirm_paid !== false)
    em.assign(order, {
      hold_until: null,
      cancel_requested: false,
      cancel_reason: null,
      version: order.version + 1,
      paid_at: now,
      updated_at: now,
      ...(confirm ? { status: 'confirmed' as const, ...(order.module ? { booking_status: 'confirmed' as const } : {}) } : {}),
    })
    if (confirm) {
      await em.flush()
      await confirmItems(em, order.id, now)
      await refreshReminders(em, order.tenant_id, order.id, now)
    }
    outcome = confirm ? 'paid and confirmed' : 'paid'
  }
  await em.flush()
  await wakeCheckout(em, order)
  // A cancelled order stays as it is, and its money is refunded.
  if (order.status !== 'cancelled') await orderUpdated(em, order, now)
  return outcome
}

/** Locks the provider's account: the capture of a payment and an event that precedes it lock first and read then, so one of the two sees the other. */
function lockAccount(em: EntityManager, account: string, mode: 'update' | 'key share'): Promise<unknown[]> {
  const integration = integrationIn(account)
  if (integration) return em.execute(sql`select id from integrations where id = ${integration} for ${text(mode)}`)
  return em.execute(sql`select id from payment_providers where account_id = ${account} order by id for ${text(mode)}`)
}

/** Keeps an event whose payment is not recorded. A checkout's payment applies it when it is captured; a payment made elsewhere never does. */
async function waitForPayment(
  em: EntityManager,
  account: string | null,
  paymentIntent: string,
  facts: RefundFacts | DisputeFacts,
  eventId: string,
): Promise<Outcome> {
  if (account === null) return 'ignored: no payment'
  if ((await lockAccount(em, account, 'update')).length === 0) return 'ignored: no provider has this account'
  if ((await em.count(Payment, { provider_account_id: account, provider_payment_id: paymentIntent }, anyTenant)) > 0)
    return { retry: 'the payment was recorded at this moment' }
  await keepForPayment(em, eventId, paymentIntent, facts)
  return waiting
}

/** Applies the events that preceded the payment, under its lock, and reads the payment again if there were any. */
export async function applyWaiting(em: EntityManager, payment: Payment, now: number): Promise<void> {
  const { provider_account_id: account, provider_payment_id: paymentIntent } = payment
  if (!account || !paymentIntent) return
  await lockAccount(em, account, 'key share')
  const events = await waitingEvents(em, account, paymentIntent)
  for (const { id, type, facts } of events) {
    const isDispute = type.startsWith('charge.dispute.')
    const outcome = isDispute ? await applyDispute(em, account, facts as DisputeFacts, id, now) : await applyRefund(em, account, facts as RefundFacts, id, now)
    await noteOutcome(em, id, typeof outcome === 'string' ? outcome : `ignored: ${outcome.retry}`)
  }
  if (events.length > 0) await lockPayment(em, { id: payment.id })
}

export type RefundFacts = {
  id: string
  status: 'pending' | 'succeeded' | 'failed' | 'canceled' | (string & {})
  amount: number
  currency: string
  payment_intent: string | null
  refund: string | null
  reason: string | null
}

export async function applyRefund(em: EntityManager, account: string | null, facts: RefundFacts, eventId: string, now: number): Promise<Outcome> {
  const byId = await em.findOne(Refund, { provider_account_id: account, provider_refund_id: facts.id }, anyTenant)
  const known = byId ?? (await refundNamed(em, account, facts))
  return known ? settleRefund(em, known, account, facts, eventId, now) : recordForeignRefund(em, account, facts, eventId, now)
}

/**
 * The recorded refund that the provider's refund names in its metadata. Any holder of a key of the account can write metadata: the name of another account's or
 * another payment's refund, of one that is linked to a provider's refund already, or of one that was never sent, is ignored.
 */
async function refundNamed(em: EntityManager, account: string | null, facts: RefundFacts): Promise<Refund | null> {
  if (!facts.refund || !uuid.test(facts.refund) || !facts.payment_intent) return null
  const named = await em.findOne(Refund, { id: facts.refund, provider_account_id: account, provider_refund_id: null }, anyTenant)
  if (!named || named.status === 'failed' || !agrees(named, facts)) return null
  const paid = { id: named.payment_id, tenant_id: named.tenant_id, provider_payment_id: facts.payment_intent }
  return (await em.count(Payment, paid, anyTenant)) > 0 ? named : null
}

const agrees = (known: Refund, facts: RefundFacts): boolean => known.amount === facts.amount && known.currency === facts.currency

async function settleRefund(em: EntityManager, known: Refund, account: string | null, facts: RefundFacts, eventId: string, now: number): Promise<Outcome> {
  if (!agrees(known, facts)) return 'ignored: not the refund that we sent'
  enterTenantOf(em, known)
  await lockPayment(em, { id: String(known.payment_id) })
  const refund = await em.refresh(known, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!refund) return 'ignored: no refund'
  // The answer to the request named its refund meanwhile, and this is another one.
  if (refund.provider_refund_id && refund.provider_refund_id !== facts.id) return recordForeignRefund(em, account, facts, eventId, now)
  const evidence = { event: eventId, provider_refund_id: facts.id, status: facts.status }
  const columns = { provider_refund_id: facts.id }
  // A failure is final at the provider; older events may arrive after it.
  const note = (late: Record<string, unknown>) =>
    em.execute(
      sql`update refunds set late_evidence = case when late_evidence ->> 'status' in ('failed', 'canceled') then late_evidence else ${json(late)} end,
         provider_refund_id = coalesce(provider_refund_id, ${facts.id}), updated_at = ${now} where id = ${refund.id} and tenant_id = ${refund.tenant_id}`,
    )

  const says = facts.status === 'succeeded' ? 'succeeded' : facts.status === 'failed' || facts.status === 'canceled' ? 'rejected' : 'pending'
  // Events decide a refund that was made at the provider. An unknown refund that was requested here is resolved by an operator.
  if (refund.status === 'unknown' && refund.origin !== 'provider') {
    // The operator sees what the provider reported.
    await note(evidence)
    return 'late evidence of an unknown refund'
  }
  if (says === 'pending') return 'pending'
  const error = says === 'rejected' ? { code: 'refund_failed', message: `The provider could not refund: ${facts.reason ?? facts.status}.` } : undefined
  if (refund.status === says) {
    // Records the provider's refund, and the provider's failure, which no older success may undo.
    if (!refund.provider_refund_id || (error && refund.error?.code !== error.code))
      await em.execute(
        sql`update refunds set provider_refund_id = ${facts.id}, error = coalesce(${json(error)}, error), updated_at = ${now}
          where id = ${refund.id} and tenant_id = ${refund.tenant_id}`,
      )
    return 'known already'
  }
  // A refund that succeeded can still fail at the bank, which frees its amount. A refund that an operator or a gateway's answer called rejected, and that the
  // provider carried out, counts; an older success after the provider's failure does not.
  const failed = refund.error?.code === 'refund_failed' || ['failed', 'canceled'].includes(String(refund.late_evidence?.status))
  const from = says === 'rejected' ? ([...unsettled, 'succeeded'] as const) : failed ? unsettled : ([...unsettled, 'rejected'] as const)
  if (await settleByProof(em, refundEffect, refund.id, { status: says, evidence, error, columns }, from)) {
    // Its workflow ends as failed, which puts the refund on the operators' worklist: started again if it has ended, signalled if it is about to end.
    if (says === 'rejected' && (await refundIsDue(em, refund.id))) await start(em, 'refund', refund.id, { tenant_id: refund.tenant_id, again: true })
    return `refund ${says}`
  }
  await note({ ...evidence, conflict: true })
  return `conflict: the refund is ${refund.status}, the provider says ${facts.status}`
}

/**
 * Records a refund that was made in the provider's dashboard, so that no more than the rest can be refunded here. It is recorded even if it exceeds the rest
 * beside a refund that is pending or unknown here: that one did not happen, or will be rejected.
 */
async function recordForeignRefund(em: EntityManager, account: string | null, facts: RefundFacts, eventId: string, now: number): Promise<Outcome> {
  if (!facts.payment_intent) return 'ignored: no payment'
  const found = await em.findOne(Payment, { provider_account_id: account, provider_payment_id: facts.payment_intent }, anyTenant)
  if (!found) return waitForPayment(em, account, facts.payment_intent, facts, eventId)
  enterTenantOf(em, found)
  const payment = await lockPayment(em, { id: found.id })
  if (!payment) return 'ignored: no payment'
  // Another event of the same refund was applied first; this one may be newer.
  const known = await em.findOne(Refund, { provider_account_id: account, provider_refund_id: facts.id })
  if (known) return settleRefund(em, known, account, facts, eventId, now)
  // A failed refund is recorded too, so that an older event that arrives later does not count it.
  const status = facts.status === 'succeeded' ? 'succeeded' : facts.status === 'failed' || facts.status === 'canceled' ? 'rejected' : 'processing'
  const id = newId()
  em.create(Refund, {
    id,
    tenant_id: payment.tenant_id,
    created_at: now,
    updated_at: now,
    refund_id: id,
    order_id: payment.order_id ?? null,
    subscription_id: payment.subscription_id ?? null,
    payment_id: payment.id,
    amount: facts.amount,
    currency: facts.currency,
    origin: 'provider',
    provider_account_id: account,
    provider_refund_id: facts.id,
    fingerprint: '',
    status,
    sent_at: new Date(now * 1000),
    answered_at: new Date(now * 1000),
    settled_at: status === 'processing' ? null : new Date(now * 1000),
    error: status === 'rejected' ? { code: 'refund_failed', message: `The provider could not refund: ${facts.reason ?? facts.status}.` } : null,
    evidence: { event: eventId, provider_refund_id: facts.id, status: facts.status },
  })
  await em.flush()
  await countRefunds(em, id)
  return 'recorded: refunded at the provider'
}

export type DisputeFacts = {
  id: string
  /** As the provider names it. */
  status: string
  /** Whether the event says that it is closed. */
  closed: boolean
  amount: number
  currency: string
  reason: string | null
  payment_intent: string | null
  evidence_due_at: number | null
  event_at: number
}

/** Of two events of the same second the one with the later state is the newer. */
const isOlder = (facts: DisputeFacts, known: Dispute): boolean =>
  facts.event_at < known.event_at ||
  (facts.event_at === known.event_at && meaningOf(facts.status, facts.closed).rank < meaningOf(known.provider_status ?? known.status, false).rank)

export async function applyDispute(em: EntityManager, account: string | null, facts: DisputeFacts, eventId: string, now: number): Promise<Outcome> {
  if (!account || !facts.payment_intent) return 'ignored: no payment'
  const found = await em.findOne(Payment, { provider_account_id: account, provider_payment_id: facts.payment_intent }, anyTenant)
  if (!found) return waitForPayment(em, account, facts.payment_intent, facts, eventId)
  enterTenantOf(em, found)
  await lockPayment(em, { id: found.id })
  const { id: provider_dispute_id, status: provider_status, event_at } = facts
  const { status, closed } = meaningOf(provider_status, facts.closed)
  const known = await em.findOne(Dispute, { provider_account_id: account, provider_dispute_id })
  if (known && isOlder(facts, known)) return 'older than what is known'
  const { amount, currency, reason, evidence_due_at } = facts
  const state = {
    ...{ status, provider_status, amount, currency, reason, evidence_due_at, event_at, updated_at: now },
    closed_at: closed ? (known?.closed_at ?? now) : null,
    evidence: { event: eventId },
  }
  if (known) em.assign(known, state)
  else
    em.create(Dispute, {
      id: newId(),
      tenant_id: found.tenant_id,
      created_at: now,
      order_id: found.order_id ?? null,
      subscription_id: found.subscription_id ?? null,
      payment_id: found.id,
      provider_account_id: account,
      provider_dispute_id,
      ...state,
    })
  await em.flush()
  // The amount of a lost dispute is no longer owed to the buyer of a cancelled order; an amount that an appeal returns is.
  await countPayment(em, found.id)
  return `dispute ${provider_status}`
}

export type AccountFacts = { id: string; charges_enabled: boolean; payouts_enabled: boolean; details_submitted: boolean }

/**
 * Applies the newest event of an account. Two different events of the same second have no order: the account's workflow reads the account at the provider again.
 */
export async function applyAccount(em: EntityManager, facts: AccountFacts, eventAt: number, now: number): Promise<Outcome> {
  const { id: account_id, charges_enabled, payouts_enabled, details_submitted } = facts
  const flags = { charges_enabled, payouts_enabled, details_submitted }
  const found = await em.find(PaymentProvider, { account_id }, { ...anyTenant, lockMode: LockMode.PESSIMISTIC_WRITE })
  let outcome = 'ignored: no provider has this account'
  for (const known of found) {
    const { id, tenant_id } = known
    const newest = known.account_event_at ?? -1
    const same = known.charges_enabled === charges_enabled && known.payouts_enabled === payouts_enabled && known.details_submitted === details_submitted
    if (eventAt > newest) {
      await em.nativeUpdate(PaymentProvider, { id, tenant_id }, { ...flags, account_event_at: eventAt, updated_at: now }, anyTenant)
      outcome = 'account updated'
    } else if (eventAt === newest && !same) {
      await start(em, 'connect', id, { tenant_id })
      outcome = 'account read again: two events of the same second'
    } else outcome = 'known already'
  }
  return outcome
}

/** A card was declined: the page stays open for another one. */
export async function recordDecline(em: EntityManager, account: string | null, sessionId: string | null, reason: string, now: number): Promise<Outcome> {
  const session = sessionId && uuid.test(sessionId) ? await em.findOne(PaymentSession, { id: sessionId }, anyTenant) : null
  if (!session || (session.provider_account_id ?? null) !== account) return 'ignored: no session of this account'
  enterTenantOf(em, session)
  const payment = await lockPayment(em, { id: session.payment_id })
  if (payment?.status !== 'pending') return 'known already'
  em.assign(payment, { error: { code: 'card_declined', message: reason }, updated_at: now })
  await em.flush()
  return 'declined'
}
