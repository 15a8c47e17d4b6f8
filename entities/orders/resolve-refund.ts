// An operator records the outcome of an unknown refund. Nothing is sent.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { RefundOutcome } from '../../rules/orders/payments.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { Refund } from './refund.ts'
import { countRefunds } from './refund-amounts.ts'
import { lockPayment, type PaymentOf } from './refunds.ts'

export type Resolution = { outcome: RefundOutcome; note: string; account_id: string }

/**
 * Returns the refund as it is if it has this outcome already. While a resolved refund needs attention, another outcome replaces the first. 404 not_found, 409
 * refund_not_unknown.
 */
export async function resolveRefund(em: EntityManager, of: PaymentOf, refundId: string, resolution: Resolution, now: number): Promise<Refund> {
  const payment = await lockPayment(em, of)
  const refund = payment && (await em.findOne(Refund, { payment_id: payment.id, refund_id: refundId }, { lockMode: LockMode.PESSIMISTIC_WRITE }))
  if (!refund) throw notFound('refund')
  if (refund.resolution && refund.resolution.outcome === resolution.outcome) return refund
  // A resolution that contradicts the provider's events can be replaced.
  const replaced = refund.resolution && refund.needs_attention ? refund.resolution : null
  if (refund.status !== 'unknown' && !replaced) throw conflict('refund_not_unknown', `The refund is ${refund.status}. Only an unknown refund can be resolved.`)
  em.assign(refund, {
    status: resolution.outcome,
    resolution: { ...resolution, at: now, ...(replaced ? { before: replaced } : {}) },
    settled_at: new Date(now * 1000),
    updated_at: now,
  })
  await em.flush()
  await countRefunds(em, refund.id)
  return em.refreshOrFail(refund)
}
