// What buyers have paid for, and have not received.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { OpenRow } from '../../rules/erasure/erasures.ts'
import { sql } from '../kit/database/sql.ts'
import { lostOf } from '../refunds/refund-amounts.ts'

const UNDELIVERED_MAX = 1_000

/**
 * The newest payments that buyers made and did not get back for orders that are cancelled, are not shipped, or have
 * bookings ahead. The account that deletes the business decides whether the money goes back, and afterwards no other
 * row tells of it. Amounts exclude what a lost dispute returned, and what a refund may have returned, which `rows` of
 * the erasure has. `now` in Unix seconds.
 */
export async function undeliveredRows(em: EntityManager, tenantId: string, now: number): Promise<OpenRow[]> {
  return em.execute(sql`
    select 'payments' as table, p.id,
      case o.status when 'cancelled' then 'order_cancelled' else 'not_delivered' end as status,
      amounts.balance::float8 as amount, p.currency, p.order_id, null::uuid as subscription_id, p.provider_account_id,
      p.provider_payment_id, null::text as provider_object_id
    from orders o
    join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id
    cross join lateral (
      select p.captured_amount - p.refunded_amount - p.refund_pending_amount - p.refund_unknown_amount
        - ${lostOf(sql`p.currency`)} as balance
    ) amounts
    where o.tenant_id = ${tenantId}
      and p.captured_amount > p.refunded_amount
      and amounts.balance > 0
      and (
        o.status = 'cancelled'
        or o.fulfillment_status in ('unfulfilled', 'partially_fulfilled')
        or exists (
          select 1
          from order_bookings b
          where b.order_id = o.id and b.tenant_id = o.tenant_id and b.status <> 'cancelled' and b.ends_at > ${now}
        )
      )
    order by p.id desc
    limit ${UNDELIVERED_MAX}
  `)
}
