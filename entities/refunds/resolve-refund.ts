// An operator records the outcome of an unknown refund, or corrects what was recorded. Nothing is sent.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { RefundOutcome } from '../../rules/payments/payments.ts'
import { conflict, notFound, type Refusal } from '../../rules/refusal.ts'
import { type Decision, needsAttention, resolved } from '../../rules/resolutions.ts'
import { keepReplaced } from '../kit/replaced.ts'
import { concludeAgain } from '../kit/resolution.ts'
import { lockPayment, type PaymentOf } from '../payments/payment-lock.ts'
import type { Refund } from './refund.ts'
import { countRefunds } from './refund-amounts.ts'
import { refundEffect } from './refund-effect.ts'
import { findRefund } from './refunds.ts'

const refundNotUnknown = (status: string) =>
  conflict('refund_not_unknown', `The refund is ${status}. Only an unknown refund can be resolved.`)

/**
 * Returns the refund as it is if it has this outcome already. A correction is counted under the payment's lock as every
 * other change: where the refunds exceed what was captured then, the payment says `refund_conflict` and nothing more
 * can be refunded. `notUnknown`: the refusal that the route declares. 404 not_found, 409 refund_not_unknown,
 * contradicts_evidence, resolved_otherwise, resolved_too_often.
 */
export async function resolveRefund(
  em: EntityManager,
  of: PaymentOf,
  refundId: string,
  decision: Decision<RefundOutcome>,
  now: number,
  notUnknown: (status: string) => Refusal = refundNotUnknown,
): Promise<Refund> {
  const payment = await lockPayment(em, of)
  const refund =
    payment && (await findRefund(em, { payment_id: payment.id }, refundId, { lockMode: LockMode.PESSIMISTIC_WRITE }))
  if (!refund) throw notFound('refund')
  const { status, resolution, evidence, late_evidence } = refund
  if (resolution && resolution.outcome === decision.outcome && status === decision.outcome && !needsAttention(refund))
    return refund
  if (status !== 'unknown' && !resolution) throw notUnknown(status)
  await keepReplaced(em, refundEffect.table, refund.id)
  em.assign(refund, {
    status: decision.outcome,
    resolution: resolved(decision, [evidence, late_evidence], resolution, now),
    settled_at: new Date(now * 1000),
    updated_at: now,
  })
  await em.flush()
  await countRefunds(em, refund.id)
  await concludeAgain(em, refundEffect, refund.id)
  return em.refreshOrFail(refund)
}
