// Applies the refunds and disputes that preceded their payment, when it is captured.
import type { EntityManager } from '@mikro-orm/postgresql'
// Backwards: a refund may be reported before its payment.
import { applyRefund, type RefundFacts } from '../refunds/refund-events.ts'
import { applyDispute, type DisputeFacts } from './dispute-events.ts'
import { lockAccount, waitingEvents } from './early-events.ts'
import type { Payment } from './payment.ts'
import { lockPayment } from './payment-lock.ts'
import { noteOutcome } from './provider-events.ts'

/**
 * Applies the refunds and disputes that preceded the payment, under its lock, and reads the payment again if there were
 * any. Called when a captured payment gets the provider's id, and when a payment that has the id is captured.
 */
export async function applyWaiting(em: EntityManager, payment: Payment, now: number): Promise<void> {
  const { provider_account_id: account = null, provider_payment_id: paymentIntent } = payment
  if (!paymentIntent) return
  await lockAccount(em, account, paymentIntent, 'key share')
  const events = await waitingEvents(em, account, paymentIntent)
  for (const { id, type, facts } of events) {
    const isDispute = type.startsWith('charge.dispute.')
    const outcome = isDispute
      ? await applyDispute(em, account, facts as DisputeFacts, id, now)
      : await applyRefund(em, account, facts as RefundFacts, id, now)
    await noteOutcome(em, id, typeof outcome === 'string' ? outcome : `ignored: ${outcome.retry}`)
  }
  if (events.length > 0) await lockPayment(em, { id: payment.id })
}
