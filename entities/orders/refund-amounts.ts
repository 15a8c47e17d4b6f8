// The amounts of a payment follow its refunds in the same transaction, so that the table's check sees every one of them.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EffectStatus } from '../effects.ts'

/** A refund is under its payment's lock, always taken first. */
export async function lockPaymentOfRefund(em: EntityManager, refundId: string): Promise<void> {
  await em.execute('select p.id from payments p join refunds r on r.payment_id = p.id and r.tenant_id = p.tenant_id where r.id = ? for update of p', [refundId])
}

const columnOf = (status: EffectStatus): string | null =>
  ({
    requested: 'refund_pending_amount',
    processing: 'refund_pending_amount',
    succeeded: 'refunded_amount',
    unknown: 'refund_unknown_amount',
    rejected: null,
    failed: null,
  })[status]

/** Takes the amount from where its old status counts it to where the new one does; a refusal frees it. */
export async function moveRefundAmounts(em: EntityManager, refundId: string, from: EffectStatus, to: EffectStatus): Promise<void> {
  const [old, now] = [columnOf(from), columnOf(to)]
  if (old === now) return
  const changes = [
    ...(old ? [`${old} = p.${old} - r.amount`] : []),
    ...(now ? [`${now} = p.${now} + r.amount`] : []),
    'updated_at = extract(epoch from clock_timestamp())::bigint',
  ]
  await em.execute(`update payments p set ${changes.join(', ')} from refunds r where r.id = ? and p.id = r.payment_id and p.tenant_id = r.tenant_id`, [
    refundId,
  ])
}
