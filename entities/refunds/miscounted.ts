// Payments whose refunds a process before 0.2 wrote by other rules, while it ran beside this version. Counting such a
// payment again corrects it.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { contradictedSql } from '../kit/resolutions.ts'
import { inTrouble, isOwed, lostOf } from './refund-amounts.ts'

/** Days within which such a process may have recorded a refund as failed. */
const mixedDays = 30

/** An unknown refund that no operator sees. */
const unflagged = sql`select payment_id, tenant_id from refunds where status = 'unknown' and not needs_attention`

/** A refund that was resolved against what the provider reported, by a process that did not compare. */
const contradicted = sql`
  select r.payment_id, r.tenant_id
  from refunds r
  where ${contradictedSql('r')} and not r.needs_attention
`

/** A flag on a refund that is settled, or of a payment whose trouble is over. */
const flagged = sql`
  select r.payment_id, r.tenant_id
  from refunds r
  join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id
  where r.needs_attention
    and r.status <> 'unknown'
    and not coalesce(${contradictedSql('r')}, false)
    and case p.error ->> 'code'
      when 'refund_due' then p.captured_amount > 0 and p.captured_amount <= p.refunded_amount
      when 'refund_conflict'
        then p.captured_amount >= (
          select sum(x.amount)
          from refunds x
          where x.payment_id = p.id
            and x.tenant_id = p.tenant_id
            and x.currency = p.currency
            and x.status in ('requested', 'processing', 'succeeded', 'unknown')
        )
      else true
    end
`

/** A refund that failed although the money must go back. */
const failed = sql`
  select r.payment_id, r.tenant_id
  from refunds r
  join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id
  left join orders o on o.id = p.order_id and o.tenant_id = p.tenant_id
  where ${isOwed}
    and r.status in ('rejected', 'failed')
    and r.created_at > extract(epoch from clock_timestamp()) - ${mixedDays * 86_400}
    and not ${inTrouble}
    and p.captured_amount > p.refunded_amount + p.refund_pending_amount + p.refund_unknown_amount
      + ${lostOf(sql`p.currency`)}
`

/** A refund that was made at the provider and has no record. */
const unrecorded = sql`
  select id as payment_id, tenant_id
  from payments
  where error ->> 'provider_refund_id' is not null and error ->> 'code' = 'refund_conflict'
`

/** Captured for an order that was cancelled before, and not refunded: the system has to refund it. */
const unrefunded = sql`
  select p.id as payment_id, p.tenant_id
  from orders o
  join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id
  where o.status = 'cancelled'
    and o.paid_at > o.cancelled_at
    and p.type = 'card'
    and p.captured_amount > 0
    and o.paid_at > extract(epoch from clock_timestamp()) - ${mixedDays * 86_400}
    and not exists (select 1 from refunds r where r.payment_id = p.id and r.tenant_id = p.tenant_id)
`

type PaymentKey = { payment_id: string; tenant_id: string }

/**
 * The first `limit` payments after this id that disagree with their refunds. Covers all tenants; each row names its
 * own.
 */
export const miscountedPayments = (em: EntityManager, after: string, limit: number): Promise<PaymentKey[]> =>
  em.execute(sql`
    select payment_id, tenant_id
    from (
      ${unflagged}
      union
      ${contradicted}
      union
      ${flagged}
      union
      ${failed}
      union
      ${unrecorded}
      union
      ${unrefunded}
    ) miscounted_payments
    where payment_id > ${after}::uuid
    order by payment_id
    limit ${limit}
  `)

/** Locks those of these payments that no other transaction has locked; with `wait`, all of them. */
export const lockPayments = (em: EntityManager, ids: readonly string[], wait: boolean): Promise<PaymentKey[]> =>
  em.execute(sql`
    select id as payment_id, tenant_id
    from payments
    where id = any (${uuids(ids)})
    order by id
    for update ${text(wait ? '' : 'skip locked')}
  `)
