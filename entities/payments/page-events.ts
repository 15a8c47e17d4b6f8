// Payment pages, as signed events of the provider report them: each once, in any order of events.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { SessionState } from '../../rules/payments/payments.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { json, sql } from '../kit/database/sql.ts'
import { settleByProof } from '../kit/effects.ts'
import { laterAssignment } from '../kit/resolutions.ts'
import { Order } from '../orders/order.ts'
import { type Capture, followCapture, isCaptured, recordCapture } from './captures.ts'
import { wakeCheckout } from './checkout-steps.ts'
import { lockPayment } from './payment-lock.ts'
import { PaymentSession } from './payment-session.ts'
import { paymentSessionEffect } from './payment-session-effect.ts'
import { markEventMissing, recordSession } from './payment-sessions.ts'
import { enterTenantOf, isUuid, type Outcome } from './provider-events.ts'

export type SessionFacts = {
  id: string
  status: SessionState
  paid: boolean
  amount: number | null
  currency: string | null
  payment_intent: string | null
  payment_session: string | null
}

/** The recorded page that a session of this account belongs to, or why there is none. */
export async function findPage(
  em: EntityManager,
  account: string | null,
  facts: SessionFacts,
): Promise<PaymentSession | string> {
  const id = facts.payment_session
  const session = isUuid(id) ? await em.findOne(PaymentSession, { id }, anyTenant) : null
  // A connected account can write any id into its own metadata: the account, and the id that is recorded, must agree.
  if (!session || (session.provider_account_id ?? null) !== account) return 'ignored: no session of this account'
  if (session.provider_session_id && session.provider_session_id !== facts.id) return 'ignored: another session'
  return session
}

/** Records the state of a page, and that it was opened. Requires the locks of its owner and its payment. */
export async function recordPage(
  em: EntityManager,
  session: PaymentSession,
  facts: SessionFacts,
  eventId: string,
): Promise<void> {
  await em.refresh(session, { lockMode: LockMode.PESSIMISTIC_WRITE })
  await recordSession(em, session.tenant_id, session.id, { provider_session_id: facts.id, state: facts.status })
  const settled = await settleByProof(em, paymentSessionEffect, session.id, {
    status: 'succeeded',
    evidence: { event: eventId, provider_session_id: facts.id },
  })
  const said = { event: eventId, provider_session_id: facts.id, state: facts.status }
  // It exists: what a person has recorded about its opening or its closing may say otherwise.
  if (!settled && (session.status === 'unknown' || session.resolution))
    await em.execute(sql`
      update payment_sessions e
      set ${laterAssignment('e', sql`answer.next`)}
      from (select ${json({ status: 'succeeded', ...said })} as next) answer
      where e.id = ${session.id} and e.tenant_id = ${session.tenant_id}
    `)
  const closed = facts.status === 'complete' ? 'failed' : 'succeeded'
  await em.execute(sql`
    update session_expiries e
    set ${laterAssignment('e', sql`answer.next`)}
    from (select ${json({ ...said, status: closed })} as next) answer
    where e.payment_session_id = ${session.id}
      and e.tenant_id = ${session.tenant_id}
      and (e.status = 'unknown' or e.resolution is not null)
  `)
}

/** What the provider took on a page that was paid. */
export const captureOnPage = ({ id, amount, currency, payment_intent }: SessionFacts, eventId: string): Capture => ({
  ...{ amount, currency, payment_intent, session: id },
  evidence: { event: eventId, session: id, payment_intent, amount, currency },
})

/** A page of an order was completed or has expired. */
export async function applySession(
  em: EntityManager,
  session: PaymentSession,
  facts: SessionFacts,
  eventId: string,
  now: number,
): Promise<Outcome> {
  enterTenantOf(em, session)
  const order = await em.findOneOrFail(
    Order,
    { id: session.order_id as string },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  const payment = await lockPayment(em, { id: session.payment_id })
  if (!payment) return 'ignored: no payment'
  await recordPage(em, session, facts, eventId)
  if (facts.status !== 'complete' || !facts.paid) {
    // Authorised only: the event that says so follows, and until then nothing else tells it.
    if (facts.status === 'complete' && order.approval_required)
      await markEventMissing(em, order.tenant_id, payment.id, now)
    await wakeCheckout(em, order)
    return `session ${facts.status}`
  }
  // A payment in another currency captured nothing of its own.
  if (isCaptured(payment)) return 'known already'
  const agrees = await recordCapture(em, payment, captureOnPage(facts, eventId), now)
  return followCapture(em, order, payment, { agrees }, now)
}

/** A card was declined: the page stays open for another one. */
export async function recordDecline(
  em: EntityManager,
  account: string | null,
  sessionId: string | null,
  reason: string,
  now: number,
): Promise<Outcome> {
  const session = isUuid(sessionId) ? await em.findOne(PaymentSession, { id: sessionId }, anyTenant) : null
  if (!session || (session.provider_account_id ?? null) !== account) return 'ignored: no session of this account'
  enterTenantOf(em, session)
  const payment = await lockPayment(em, { id: session.payment_id })
  if (payment?.status !== 'pending') return 'known already'
  em.assign(payment, { error: { code: 'card_declined', message: reason }, updated_at: now })
  await em.flush()
  return 'declined'
}
