// A page that was completed or has expired. A page of a recurring price links the provider's subscription and makes
// no time; the exact amount of a one-time price makes the subscription live.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { isCaptured, recordCapture } from '../payments/captures.ts'
import { captureOnPage, recordPage, type SessionFacts } from '../payments/page-events.ts'
import type { Payment } from '../payments/payment.ts'
import { lockPayment } from '../payments/payment-lock.ts'
import type { PaymentSession } from '../payments/payment-session.ts'
import { recordSession } from '../payments/payment-sessions.ts'
import { enterTenantOf, type Outcome } from '../payments/provider-events.ts'
import { refundLatePayment } from '../refunds/refunds.ts'
import { begin, beginning, follow, giveUpPaid, opened, staleOf, wakePage, writeSubscription } from './beginnings.ts'
import { type LockedSubscription, lockSubscription } from './locks.ts'

/**
 * A page of a subscription was completed or has expired. In `payment` mode the exact amount makes it
 * live; `subscription` mode proves no time.
 */
export async function applyPage(
  em: EntityManager,
  session: PaymentSession,
  facts: SessionFacts & { subscription: string | null; customer: string | null },
  eventId: string,
  now: number,
): Promise<Outcome> {
  enterTenantOf(em, session)
  const row = await lockSubscription(em, { id: String(session.subscription_id), tenant_id: session.tenant_id })
  if (!row) return 'ignored: no subscription'
  const payment = await lockPayment(em, { id: session.payment_id })
  if (!payment) return 'ignored: no payment'
  await recordPage(em, session, facts, eventId)
  if (facts.status !== 'complete') {
    await wakePage(em, row)
    return `session ${facts.status}`
  }
  if (session.mode === 'subscription') return completeRecurring(em, row, facts, now)
  if (!facts.paid) return 'session complete'
  if (isCaptured(payment)) return 'known already'
  return completeOneTime(em, row, payment, facts, eventId, now)
}

async function completeRecurring(
  em: EntityManager,
  row: LockedSubscription,
  { id, subscription, customer }: { id: string; subscription: string | null; customer: string | null },
  now: number,
): Promise<Outcome> {
  await wakePage(em, row)
  if (!subscription) return 'session complete: it names no subscription'
  if (row.provider_subscription_id && row.provider_subscription_id !== subscription)
    return 'ignored: another subscription'
  await em.execute(sql`
    update payments
    set provider_session_id = ${id}
    where tenant_id = ${row.tenant_id}
      and subscription_id = ${row.id}
      and kind = 'initial'
      and provider_session_id is null
  `)
  return link(em, row, subscription, customer, now)
}

/** A read showed that a page of `subscription` mode was completed: links its subscription. It makes no time. */
export async function applyReadPage(
  em: EntityManager,
  session: PaymentSession,
  facts: { id: string; subscription: string; customer: string | null },
  now: number,
): Promise<void> {
  enterTenantOf(em, session)
  const row = await lockSubscription(em, { id: String(session.subscription_id), tenant_id: session.tenant_id })
  if (!row) return
  // Locked before its session, as by events.
  await lockPayment(em, { id: session.payment_id })
  await recordSession(em, session.tenant_id, session.id, { provider_session_id: facts.id, state: 'complete' })
  if (row.provider_subscription_id === null) await completeRecurring(em, row, facts, now)
}

/** Links the provider's subscription. A second one of its member is ended at once. */
async function link(
  em: EntityManager,
  row: LockedSubscription,
  subscription: string,
  customer: string | null,
  now: number,
): Promise<Outcome> {
  const columns = {
    provider_subscription_id: subscription,
    provider_customer_id: sql`coalesce(provider_customer_id, ${customer})`,
  }
  const { begun } = await begin(em, row, columns, now)
  await follow(em, row, now)
  return begun === 'second' ? 'linked: the member has another subscription' : 'linked'
}

/**
 * A one-time price was paid: the membership has no end, if the amount is exact and the member still wants it. Otherwise
 * it is refunded, or flagged.
 */
async function completeOneTime(
  em: EntityManager,
  row: LockedSubscription,
  payment: Payment,
  facts: SessionFacts,
  eventId: string,
  now: number,
): Promise<Outcome> {
  const agrees = await recordCapture(em, payment, captureOnPage(facts, eventId), now)
  await wakePage(em, row)
  const begun = await beginning(em, row, now)
  if (begun === 'second') {
    await refundLatePayment(
      em,
      payment,
      { amount: facts.amount ?? 0, currency: facts.currency ?? payment.currency },
      now,
    )
    return 'paid beside another subscription: refunded'
  }
  if (!agrees) {
    if (row.status === 'pending') await giveUpPaid(em, row, now)
    return 'paid another amount: flagged'
  }
  if (begun === 'live') await writeSubscription(em, row, { status: 'live', ...opened, ...staleOf(row) }, now)
  await follow(em, row, now)
  return 'paid'
}
