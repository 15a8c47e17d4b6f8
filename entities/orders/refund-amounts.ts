// The amounts of a payment follow its refunds in the same transaction: they are counted anew, and so is what a person has to look at.
import type { EntityManager } from '@mikro-orm/postgresql'
import { formatMoney } from '../../rules/currencies.ts'
import { lateAfterAttempts, type RefundTrouble, refundAmounts, refundTrouble } from '../../rules/refunds.ts'

/** A refund is under its payment's lock, always taken first. */
export async function lockPaymentOfRefund(em: EntityManager, refundId: string): Promise<void> {
  await em.execute('select p.id from payments p join refunds r on r.payment_id = p.id and r.tenant_id = p.tenant_id where r.id = ? for update of p', [refundId])
}

type Facts = {
  id: string
  tenant_id: string
  currency: string
  captured_amount: number
  error: ({ code: string } & Record<string, unknown>) | null
  cancelled: boolean
  succeeded: number
  pending: number
  unknown: number
  late: boolean
  flagged: boolean
  /** The newest refund that was asked for in earnest and came to nothing. */
  last_failed: string | null
}

const troubles: readonly unknown[] = ['refund_conflict', 'refund_due'] satisfies RefundTrouble[]

/**
 * Counts the refunds of this refund's payment anew, under the payment's lock: whatever is recorded of them, the payment's amounts fit what was captured.
 * The payment's error says what does not add up or has not gone back, and the refunds that are concerned need attention, until that is over; an error of
 * another kind comes back then. Refunds in a currency that is not the payment's are records only.
 */
export async function countRefunds(em: EntityManager, refundId: string): Promise<void> {
  const rows: Facts[] = await em.execute(
    `select p.id, p.tenant_id, p.currency, p.captured_amount::float8 as captured_amount, p.error, o.status = 'cancelled' as cancelled,
       coalesce(sum(x.amount) filter (where x.status = 'succeeded'), 0)::float8 as succeeded,
       coalesce(sum(x.amount) filter (where x.status in ('requested', 'processing')), 0)::float8 as pending,
       coalesce(sum(x.amount) filter (where x.status = 'unknown'), 0)::float8 as unknown,
       coalesce(bool_or(x.status = 'requested' and x.attempt >= ?), false) as late, coalesce(bool_or(x.needs_attention), false) as flagged,
       (array_agg(x.id order by x.created_at desc, x.id desc) filter (where x.status = 'rejected'
         or x.status = 'failed' and x.error ->> 'code' is distinct from 'amount_exceeds_refundable'))[1] as last_failed
     from refunds r join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id join orders o on o.id = p.order_id and o.tenant_id = p.tenant_id
     left join refunds x on x.payment_id = p.id and x.tenant_id = p.tenant_id and x.currency = p.currency
     where r.id = ? group by p.id, o.status`,
    [lateAfterAttempts, refundId],
  )
  const facts = rows[0]
  if (!facts) return
  const { excess, ...amounts } = refundAmounts(facts.captured_amount, facts)
  const was = facts.error && troubles.includes(facts.error.code) ? facts.error.code : null
  const trouble = refundTrouble({ ...amounts, captured_amount: facts.captured_amount, excess }, { ...facts, was })
  const before = was ? ((facts.error?.before as object | undefined) ?? null) : facts.error
  const money = (amount: number) => formatMoney(amount, facts.currency)
  const messages: Record<RefundTrouble, string> = {
    refund_conflict: `Refunds of ${money(facts.captured_amount + excess)} are recorded, and ${money(facts.captured_amount)} were captured. One of them did not happen: resolve it.`,
    refund_due: `The order is cancelled, and ${money(facts.captured_amount - amounts.refunded_amount)} have not been refunded yet.`,
  }
  const error = trouble ? { code: trouble, message: messages[trouble], ...(before ? { before } : {}) } : before
  await em.execute(
    `update payments set refunded_amount = ?, refund_pending_amount = ?, refund_unknown_amount = ?, error = ?::jsonb, updated_at = extract(epoch from clock_timestamp())::bigint
     where id = ? and tenant_id = ?`,
    [...[amounts.refunded_amount, amounts.refund_pending_amount, amounts.refund_unknown_amount], error && JSON.stringify(error), facts.id, facts.tenant_id],
  )
  if (!trouble && !facts.flagged && facts.unknown === 0) return
  await em.execute(
    `update refunds set needs_attention = not needs_attention where payment_id = ? and tenant_id = ? and needs_attention <>
       (status = 'unknown' or ? and status in ('requested', 'processing', 'succeeded') or ? and (status = 'requested' or id = ?))`,
    [facts.id, facts.tenant_id, trouble === 'refund_conflict', trouble === 'refund_due', facts.last_failed],
  )
}

/** Whether this refund's payment owes its money to the buyer of a cancelled order, and a person has to see to it. */
export async function refundIsDue(em: EntityManager, refundId: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    `select 1 from refunds r join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id where r.id = ? and p.error ->> 'code' = 'refund_due'`,
    [refundId],
  )
  return rows.length > 0
}
