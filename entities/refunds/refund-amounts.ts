// The refund amounts of a payment are counted again in the transaction that changes a refund, and with them the refunds
// that need an operator's attention.
import type { EntityManager } from '@mikro-orm/postgresql'
import { formatMoney } from '../../rules/payments/currencies.ts'
import {
  lateAfterAttempts,
  owedAmount,
  type RefundTrouble,
  refundAmounts,
  refundTrouble,
} from '../../rules/refunds/refunds.ts'
import { json, type Sql, sql, text } from '../kit/database/sql.ts'
import { startFound } from '../kit/outbox.ts'
import { contradictedSql, provedSql } from '../kit/resolutions.ts'
import { recordRefund } from './unrecorded-refund.ts'

/** A refund changes under the lock of its payment, which is always taken first. */
export async function lockPaymentOfRefund(em: EntityManager, refundId: string): Promise<void> {
  await em.execute(sql`
    select p.id
    from payments p
    join refunds r on r.payment_id = p.id and r.tenant_id = p.tenant_id
    where r.id = ${refundId}
    for update of p
  `)
}

type Facts = {
  id: string
  tenant_id: string
  currency: string
  /** The provider took another currency than the payment's: that one is refunded. */
  foreign: boolean
  captured_amount: number
  error: ({ code: string } & Record<string, unknown>) | null
  of_order: boolean
  cancelled: boolean
  succeeded: number
  pending: number
  unknown: number
  /** Amount lost to disputes. */
  lost: number
  late: boolean
  flagged: boolean
  /** An operator has resolved a refund of it: what is known since may differ. */
  resolved: boolean
  /** The newest refund that was rejected or failed, except for those that were too large from the start. */
  last_failed: string | null
}

const troubles: readonly unknown[] = ['refund_conflict', 'refund_due'] satisfies RefundTrouble[]
export const inTrouble = sql`coalesce(p.error ->> 'code', '') in ('refund_conflict', 'refund_due')`

const isLate = (r: Sql) => sql`
  (
    ${r}.status = 'requested' and ${r}.attempt >= ${lateAfterAttempts}
    or ${r}.status = 'processing' and ${r}.attempt > ${lateAfterAttempts}
  )
`

/** Rejected or failed, except for those that were too large from the start. */
const hasFailed = sql`
  (x.status = 'rejected' or x.status = 'failed' and x.error ->> 'code' is distinct from 'amount_exceeds_refundable')
`

/** The amount that the bank has returned of the payment `p`. */
export const lostOf = (currency: Sql) => sql`
  (
    select coalesce(sum(d.amount), 0)
    from disputes d
    where d.payment_id = p.id and d.tenant_id = p.tenant_id and d.currency = ${currency} and d.status = 'lost'
  )
`

/** What the bank has returned of a payment, in minor units of `currency`. */
export async function lostAmount(
  em: EntityManager,
  { id, tenant_id }: { id: string; tenant_id: string },
  currency: string,
): Promise<number> {
  const [found]: { lost: number }[] = await em.execute(sql`
    select ${lostOf(sql`${currency}`)}::float8 as lost
    from payments p
    where p.id = ${id} and p.tenant_id = ${tenant_id}
  `)
  return found?.lost ?? 0
}

/**
 * All of the payment must be refunded: its order is cancelled, or it was paid beside another subscription, for which
 * the system requested a refund.
 */
export const isOwed = sql`
  coalesce(
    o.status = 'cancelled',
    exists (
      select 1
      from refunds y
      where y.payment_id = p.id and y.tenant_id = p.tenant_id and y.origin = 'system'
    )
  )
`

async function factsOf(em: EntityManager, paymentId: string): Promise<Facts | undefined> {
  // A payment in another currency captured nothing of its own: the system's refund has the captured amount.
  const currency = sql`coalesce(s.currency, p.currency)`
  const [facts]: Facts[] = await em.execute(sql`
    select p.id, p.tenant_id, ${currency} as currency, s.id is not null as foreign,
      coalesce(s.amount, p.captured_amount)::float8 as captured_amount, p.error, p.order_id is not null as of_order,
      ${isOwed} as cancelled, ${lostOf(currency)}::float8 as lost,
      coalesce(sum(x.amount) filter (where x.status = 'succeeded'), 0)::float8 as succeeded,
      coalesce(sum(x.amount) filter (where x.status in ('requested', 'processing')), 0)::float8 as pending,
      coalesce(sum(x.amount) filter (where x.status = 'unknown'), 0)::float8 as unknown,
      coalesce(bool_or(${isLate(sql`x`)}), false) as late,
      exists (
        select 1
        from refunds f
        where f.payment_id = p.id and f.tenant_id = p.tenant_id and f.needs_attention
      ) as flagged,
      exists (
        select 1
        from refunds f
        where f.payment_id = p.id and f.tenant_id = p.tenant_id and f.resolution is not null
      ) as resolved,
      (array_agg(x.id order by x.created_at desc, x.id desc) filter (where ${hasFailed}))[1] as last_failed
    from payments p
    left join orders o on o.id = p.order_id and o.tenant_id = p.tenant_id
    left join refunds s
      on s.payment_id = p.id
      and s.tenant_id = p.tenant_id
      and s.origin = 'system'
      and s.currency <> p.currency
    left join refunds x on x.payment_id = p.id and x.tenant_id = p.tenant_id and x.currency = ${currency}
    where p.id = ${paymentId}
    group by p.id, o.status, s.id
  `)
  return facts
}

/** Counts all refunds of this refund's payment (`countPayment`). */
export async function countRefunds(em: EntityManager, refundId: string): Promise<void> {
  const rows: { payment_id: string }[] = await em.execute(
    sql`select payment_id, tenant_id from refunds where id = ${refundId}`,
  )
  if (rows[0]) await countPayment(em, rows[0].payment_id)
}

/**
 * Counts the refunds of a payment again, under the payment's lock: the payment's amounts never exceed what was
 * captured. While the refunds exceed it, or a cancelled order's money is not refunded, the payment's error says so and
 * the refunds concerned need attention; the error before it is restored afterwards. Refunds in another currency than
 * the payment's are not counted, unless the system refunds a payment that was made in it.
 */
export async function countPayment(em: EntityManager, paymentId: string): Promise<void> {
  let facts = await factsOf(em, paymentId)
  // Before the error is written again: no other record of that refund exists.
  if (facts?.error?.code === 'refund_conflict' && facts.error.provider_refund_id) {
    await recordRefund(em, facts)
    facts = await factsOf(em, paymentId)
  }
  if (!facts) return
  const { captured_amount, lost } = facts
  const { excess, ...amounts } = refundAmounts(captured_amount, facts)
  const was = facts.error && troubles.includes(facts.error.code) ? facts.error.code : null
  const trouble = refundTrouble(
    { ...amounts, captured_amount, excess },
    { ...facts, failed: facts.last_failed !== null, was },
  )
  const before = was ? ((facts.error?.before as object | undefined) ?? null) : facts.error
  const currency = facts.currency
  const money = (amount: number) => formatMoney(amount, currency)
  const messages: Record<RefundTrouble, string> = {
    refund_conflict: `Refunds of ${money(captured_amount + excess)} are recorded, and ${money(captured_amount)} were captured. One of them did not happen: resolve it.`,
    refund_due: `${facts.of_order ? 'The order is cancelled' : 'It was paid beside another subscription'}, and ${money(owedAmount({ ...amounts, captured_amount }, lost))} have not been refunded yet.`,
  }
  const error = trouble ? { code: trouble, message: messages[trouble], ...(before ? { before } : {}) } : before
  const counted = facts.foreign ? { refunded_amount: 0, refund_pending_amount: 0, refund_unknown_amount: 0 } : amounts
  await em.execute(sql`
    update payments
    set refunded_amount = ${counted.refunded_amount}, refund_pending_amount = ${counted.refund_pending_amount},
      refund_unknown_amount = ${counted.refund_unknown_amount}, error = ${json(error)},
      updated_at = extract(epoch from clock_timestamp())::bigint
    where id = ${facts.id} and tenant_id = ${facts.tenant_id}
  `)
  if (was === 'refund_due' && trouble !== was) await concludeRefused(em, facts)
  if (!trouble && !facts.flagged && facts.unknown === 0 && !facts.resolved) return
  // What the provider itself reported needs no look-up, while something else may not have happened.
  const mayBeWrong = (refund: string) => sql`
    ${text(refund)}.status in ('requested', 'processing', 'succeeded', 'unknown') and not ${provedSql(refund)}
  `
  const inConflict = sql`
    ${trouble === 'refund_conflict'}
    and r.status in ('requested', 'processing', 'succeeded')
    and (
      not ${provedSql('r')}
      or not exists (
        select 1
        from refunds n
        where n.payment_id = r.payment_id and n.tenant_id = r.tenant_id and ${mayBeWrong('n')}
      )
    )
  `
  const isDue = sql`${trouble === 'refund_due'} and (${isLate(sql`r`)} or coalesce(id = ${facts.last_failed}, false))`
  await em.execute(sql`
    update refunds r
    set needs_attention = not needs_attention, updated_at = extract(epoch from clock_timestamp())::bigint
    where payment_id = ${facts.id}
      and tenant_id = ${facts.tenant_id}
      and needs_attention <> (
        r.status = 'unknown'
        or ${inConflict}
        or ${isDue}
        or coalesce(${contradictedSql('r')}, false)
      )
  `)
}

/**
 * What is due has changed by something else than a refund's own end: the workflows of refunds that were refused, or not
 * sent, run once more, and conclude by what is due now.
 */
export const concludeRefused = (
  em: EntityManager,
  { id, tenant_id }: { id: string; tenant_id: string },
): Promise<unknown> =>
  startFound(
    em,
    'refund',
    sql`
      select id, tenant_id
      from refunds
      where payment_id = ${id} and tenant_id = ${tenant_id} and status in ('rejected', 'failed')
    `,
    { signal: true },
  )

/** Whether this refund's payment still has to be refunded by an operator, because its order is cancelled. */
export async function refundIsDue(em: EntityManager, refundId: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(sql`
    select 1
    from refunds r
    join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id
    where r.id = ${refundId} and p.error ->> 'code' = 'refund_due'
  `)
  return rows.length > 0
}
