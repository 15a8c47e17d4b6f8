// The amounts of a payment follow its refunds in the same transaction: they are counted anew, and so is what an operator has to look at.
import type { EntityManager } from '@mikro-orm/postgresql'
import { formatMoney } from '../../rules/orders/currencies.ts'
import { lateAfterAttempts, owed, type RefundTrouble, refundAmounts, refundTrouble } from '../../rules/orders/refunds.ts'
import { newId } from '../kit/ids.ts'

/** A refund is under its payment's lock, always taken first. */
export async function lockPaymentOfRefund(em: EntityManager, refundId: string): Promise<void> {
  await em.execute('select p.id from payments p join refunds r on r.payment_id = p.id and r.tenant_id = p.tenant_id where r.id = ? for update of p', [refundId])
}

type Facts = {
  id: string
  tenant_id: string
  currency: string
  /** The provider took another currency than the payment's: that is what goes back. */
  foreign: boolean
  captured_amount: number
  error: ({ code: string } & Record<string, unknown>) | null
  cancelled: boolean
  succeeded: number
  pending: number
  unknown: number
  /** To disputes. */
  lost: number
  late: boolean
  flagged: boolean
  /** The newest refund that was asked for in earnest and came to nothing. */
  last_failed: string | null
}

const troubles: readonly unknown[] = ['refund_conflict', 'refund_due'] satisfies RefundTrouble[]
const inTrouble = `coalesce(p.error ->> 'code', '') in ('refund_conflict', 'refund_due')`

const isLate = (r: string) =>
  `(${r}.status = 'requested' and ${r}.attempt >= ${lateAfterAttempts} or ${r}.status = 'processing' and ${r}.attempt > ${lateAfterAttempts})`

/** Asked for in earnest, and came to nothing. */
const hasFailed = (r: string) => `(${r}.status = 'rejected' or ${r}.status = 'failed' and ${r}.error ->> 'code' is distinct from 'amount_exceeds_refundable')`

const lostOf = (currency: string) => `(select coalesce(sum(d.amount), 0) from disputes d
  where d.order_id = p.order_id and d.tenant_id = p.tenant_id and d.currency = ${currency} and d.status = 'lost')`

async function factsOf(em: EntityManager, paymentId: string): Promise<Facts | undefined> {
  // A payment in another currency captured nothing of its own: its system's refund says what was taken.
  const currency = 'coalesce(s.currency, p.currency)'
  const rows: Facts[] = await em.execute(
    `select p.id, p.tenant_id, ${currency} as currency, s.id is not null as foreign, coalesce(s.amount, p.captured_amount)::float8 as captured_amount, p.error,
       o.status = 'cancelled' as cancelled, ${lostOf(currency)}::float8 as lost,
       coalesce(sum(x.amount) filter (where x.status = 'succeeded'), 0)::float8 as succeeded,
       coalesce(sum(x.amount) filter (where x.status in ('requested', 'processing')), 0)::float8 as pending,
       coalesce(sum(x.amount) filter (where x.status = 'unknown'), 0)::float8 as unknown, coalesce(bool_or(${isLate('x')}), false) as late,
       exists (select 1 from refunds f where f.payment_id = p.id and f.tenant_id = p.tenant_id and f.needs_attention) as flagged,
       (array_agg(x.id order by x.created_at desc, x.id desc) filter (where ${hasFailed('x')}))[1] as last_failed
     from payments p join orders o on o.id = p.order_id and o.tenant_id = p.tenant_id
     left join refunds s on s.payment_id = p.id and s.tenant_id = p.tenant_id and s.origin = 'system' and s.currency <> p.currency
     left join refunds x on x.payment_id = p.id and x.tenant_id = p.tenant_id and x.currency = ${currency}
     where p.id = ? group by p.id, o.status, s.id`,
    [paymentId],
  )
  return rows[0]
}

/** A process of an earlier version writes what was refunded at the provider, and does not fit, into the payment's error alone: here it becomes a record. Whether it succeeded is not written there. */
async function recordToldRefund(em: EntityManager, { id: paymentId, tenant_id }: Facts): Promise<void> {
  const id = newId()
  await em.execute(
    `insert into refunds (id, tenant_id, created_at, updated_at, refund_id, order_id, payment_id, amount, currency, origin, provider_account_id, provider_refund_id,
       fingerprint, status, attempt, sent_at, settled_at, evidence, error)
     select ?, p.tenant_id, p.updated_at, p.updated_at, ?, p.order_id, p.id, x.amount, p.currency, 'provider', p.provider_account_id, p.error ->> 'provider_refund_id',
       '', 'unknown', 0, to_timestamp(p.updated_at), to_timestamp(p.updated_at), jsonb_build_object('provider_refund_id', p.error ->> 'provider_refund_id'),
       jsonb_build_object('code', 'outcome_unknown', 'message', 'It was made at the provider, and whether it succeeded was not recorded.')
     from payments p, lateral (select substring(p.error ->> 'message' from 'refunded ([0-9]+),')::bigint as amount where p.id is not null) x
     where p.id = ? and p.tenant_id = ? and x.amount > 0 on conflict do nothing`,
    [id, id, paymentId, tenant_id],
  )
}

/** The refunds of this refund's payment (`countPayment`). */
export async function countRefunds(em: EntityManager, refundId: string): Promise<void> {
  const rows: { payment_id: string }[] = await em.execute('select payment_id, tenant_id from refunds where id = ?', [refundId])
  if (rows[0]) await countPayment(em, rows[0].payment_id)
}

/**
 * Counts the refunds of a payment anew, under the payment's lock: the payment's amounts always fit what was captured.
 * The payment's error says what does not add up or has not gone back, and the refunds that are concerned need attention, until that is over; an error of
 * another kind comes back then. Refunds in a currency that is not the payment's are records only, but where the system refunds a payment that was made in it.
 */
export async function countPayment(em: EntityManager, paymentId: string): Promise<void> {
  let facts = await factsOf(em, paymentId)
  if (facts?.error?.code === 'refund_conflict' && facts.error.provider_refund_id) {
    await recordToldRefund(em, facts)
    facts = await factsOf(em, paymentId)
  }
  if (!facts) return
  const { captured_amount, lost } = facts
  const { excess, ...amounts } = refundAmounts(captured_amount, facts)
  const was = facts.error && troubles.includes(facts.error.code) ? facts.error.code : null
  const trouble = refundTrouble({ ...amounts, captured_amount, excess }, { ...facts, failed: facts.last_failed !== null, was })
  const before = was ? ((facts.error?.before as object | undefined) ?? null) : facts.error
  const currency = facts.currency
  const money = (amount: number) => formatMoney(amount, currency)
  const messages: Record<RefundTrouble, string> = {
    refund_conflict: `Refunds of ${money(captured_amount + excess)} are recorded, and ${money(captured_amount)} were captured. One of them did not happen: resolve it.`,
    refund_due: `The order is cancelled, and ${money(owed({ ...amounts, captured_amount }, lost))} have not been refunded yet.`,
  }
  const error = trouble ? { code: trouble, message: messages[trouble], ...(before ? { before } : {}) } : before
  const counted = [amounts.refunded_amount, amounts.refund_pending_amount, amounts.refund_unknown_amount]
  await em.execute(
    `update payments set refunded_amount = ?, refund_pending_amount = ?, refund_unknown_amount = ?, error = ?::jsonb, updated_at = extract(epoch from clock_timestamp())::bigint
     where id = ? and tenant_id = ?`,
    [...(facts.foreign ? [0, 0, 0] : counted), error && JSON.stringify(error), facts.id, facts.tenant_id],
  )
  if (!trouble && !facts.flagged && facts.unknown === 0) return
  await em.execute(
    `update refunds r set needs_attention = not needs_attention, updated_at = extract(epoch from clock_timestamp())::bigint
     where payment_id = ? and tenant_id = ? and needs_attention <>
       (status = 'unknown' or ? and status in ('requested', 'processing', 'succeeded') or ? and (${isLate('r')} or id = ?))`,
    [facts.id, facts.tenant_id, trouble === 'refund_conflict', trouble === 'refund_due', facts.last_failed],
  )
}

/** Whether this refund's payment owes its money to the buyer of a cancelled order, and an operator has to refund it. */
export async function refundIsDue(em: EntityManager, refundId: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    `select 1 from refunds r join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id where r.id = ? and p.error ->> 'code' = 'refund_due'`,
    [refundId],
  )
  return rows.length > 0
}

/** Days within which a refund may still end as failed by the hand of a process of an earlier version. */
const mixedDays = 30

// What a process of an earlier version leaves behind while it runs beside this one. Counting the payment anew ends each of them.

/** An unknown refund that no operator sees. */
const unflagged = `select payment_id, tenant_id from refunds where status = 'unknown' and not needs_attention limit ?`

/** A flag on a refund that is settled, or of a payment whose trouble is over. */
const flagged = `select r.payment_id, r.tenant_id from refunds r join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id
   where r.needs_attention and r.status <> 'unknown' and case p.error ->> 'code'
     when 'refund_due' then p.captured_amount > 0 and p.captured_amount <= p.refunded_amount
     when 'refund_conflict' then p.captured_amount >= (select sum(x.amount) from refunds x where x.payment_id = p.id and x.tenant_id = p.tenant_id
       and x.currency = p.currency and x.status in ('requested', 'processing', 'succeeded', 'unknown'))
     else true end limit ?`

/** A refund that failed although the money must go back. */
const failed = `select r.payment_id, r.tenant_id from refunds r join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id
     join orders o on o.id = p.order_id and o.tenant_id = p.tenant_id and o.status = 'cancelled'
   where r.status in ('rejected', 'failed') and r.created_at > extract(epoch from clock_timestamp()) - ${mixedDays * 86_400} and not ${inTrouble}
     and p.captured_amount > p.refunded_amount + p.refund_pending_amount + p.refund_unknown_amount + ${lostOf('p.currency')} limit ?`

/** A refund that was made at the provider and has no record. */
const told = `select id as payment_id, tenant_id from payments where error ->> 'provider_refund_id' is not null and error ->> 'code' = 'refund_conflict' limit ?`

type PaymentKey = { payment_id: string; tenant_id: string }

/** Payments that disagree with their refunds. For all tenants: rows leave with theirs. */
export async function miscountedPayments(em: EntityManager, limit: number): Promise<PaymentKey[]> {
  const found: PaymentKey[] = [
    ...(await em.execute<PaymentKey[]>(unflagged, [limit])),
    ...(await em.execute<PaymentKey[]>(flagged, [limit])),
    ...(await em.execute<PaymentKey[]>(failed, [limit])),
    ...(await em.execute<PaymentKey[]>(told, [limit])),
  ]
  return [...new Map(found.map((one) => [one.payment_id, one])).values()]
}

export async function recountPayment(em: EntityManager, { payment_id, tenant_id }: PaymentKey): Promise<void> {
  await em.execute('select id from payments where id = ? and tenant_id = ? for update', [payment_id, tenant_id])
  await countPayment(em, payment_id)
}
