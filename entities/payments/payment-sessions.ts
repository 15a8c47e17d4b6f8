// The recorded state of a provider's payment page, and the request to close it.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { SessionState } from '../../rules/payments/payments.ts'
import { conflict } from '../../rules/refusal.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { json, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import type { Order } from '../orders/order.ts'
import { wakeCheckout } from './checkout-steps.ts'
import type { Payment } from './payment.ts'
import { PaymentSession } from './payment-session.ts'
import { SessionExpiry } from './session-expiry.ts'

/** Writes the effect that closes the provider's page, once per session. */
export async function requestSessionExpiry(em: EntityManager, sessionId: string, now: number): Promise<void> {
  const row = {
    id: newId(),
    tenant_id: sql`tenant_id`,
    created_at: now,
    updated_at: now,
    payment_session_id: sql`id`,
    fingerprint: '',
  }
  const expiry = insertSelect(em, SessionExpiry, row)
  await em.execute(sql`
    ${expiry}
    from payment_sessions
    where id = ${sessionId}
    on conflict (payment_session_id) do nothing
  `)
}

/** Records the state that a read or an event reported. `complete` and `expired` are final. */
export async function recordSession(
  em: EntityManager,
  tenantId: string,
  sessionId: string,
  reported: { provider_session_id: string; state: SessionState },
): Promise<void> {
  await em.execute(sql`
    update payment_sessions
    set provider_session_id = coalesce(provider_session_id, ${reported.provider_session_id}),
      state = case when state in ('complete', 'expired') then state else ${reported.state} end
    where id = ${sessionId} and tenant_id = ${tenantId}
  `)
}

/**
 * A read showed that a page was completed: only the signed event of its payment settles it, and the payment is marked
 * until it arrives. `now` in Unix seconds.
 */
export async function markEventMissing(
  em: EntityManager,
  tenantId: string,
  paymentId: string,
  now: number,
): Promise<void> {
  const error = {
    code: 'event_missing',
    message: 'The payment form was completed at the provider, and the signed event of it did not arrive.',
  }
  await em.execute(sql`
    update payments
    set error = ${json(error)}, updated_at = ${now}
    where id = ${paymentId}
      and tenant_id = ${tenantId}
      and status in ('pending', 'processing')
      and error ->> 'code' is distinct from 'event_missing'
  `)
}

/** Records what a read showed. The payment is locked before its session, as by events. `now` in Unix seconds. */
export async function recordRead(
  em: EntityManager,
  { id, tenant_id, payment_id }: Pick<PaymentSession, 'id' | 'tenant_id' | 'payment_id'>,
  read: { provider_session_id: string; state: SessionState },
  now: number,
): Promise<void> {
  if (read.state === 'complete') await markEventMissing(em, tenant_id, payment_id, now)
  await recordSession(em, tenant_id, id, read)
}

/**
 * The answer to the opening of a session came after its outcome was recorded as unknown: its checkout closes the
 * session.
 */
export async function foundLate(
  em: EntityManager,
  sessionId: string,
  columns: Record<string, string | number | null>,
): Promise<void> {
  const { provider_session_id } = columns
  if (typeof provider_session_id !== 'string') return
  const rows: { id: string; tenant_id: string }[] = await em.execute(sql`
    update payment_sessions
    set provider_session_id = ${provider_session_id}, state = 'open'
    where id = ${sessionId} and status = 'unknown' and provider_session_id is null
    returning coalesce(order_id, subscription_id) as id, tenant_id
  `)
  for (const owner of rows) await wakeCheckout(em, owner)
}

export const paidMeanwhile = () =>
  conflict('payment_in_progress', 'The customer has paid meanwhile: refund the payment first.')

/**
 * Whether the payment page is open or may be. 409 if the payment was captured and its signed event has not arrived yet.
 */
export async function sessionIsOpen(em: EntityManager, order: Order, payment: Payment): Promise<boolean> {
  // A payment that the provider has named was authorised or captured on the page.
  if (
    payment.type !== 'card' ||
    payment.provider_payment_id ||
    payment.status === 'paid' ||
    order.status === 'cancelled'
  )
    return false
  const session = await em.findOne(PaymentSession, { order_id: order.id }, { refresh: true })
  if (session?.state === 'complete') throw paidMeanwhile()
  return session !== null && session.state !== 'expired' && !['rejected', 'failed'].includes(session.status)
}
