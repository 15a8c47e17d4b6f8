// Reads the items about money that wait for a person.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { AttentionStatus } from '../../../rules/attention.ts'
import type { MoneyItem } from '../../../rules/payments/attention.ts'
import { join, nothing, sql } from '../../kit/database/sql.ts'
import { uuids } from '../../kit/ids.ts'
import type { MoneyScope } from './money-columns.ts'
import {
  changes,
  ends,
  expiries,
  type MoneyRows,
  memberships,
  payments,
  pendingRefunds,
  refunds,
  sessions,
  stuckEnds,
} from './money-rows.ts'

/** Those of requests, whose outcomes are recorded. */
export const recordedRows: readonly MoneyRows[] = [refunds, ends, sessions, expiries, changes, payments]
const parts: readonly MoneyRows[] = [...recordedRows, stuckEnds, memberships]

type Which = { status: AttentionStatus; limit: number; ids?: readonly string[] | undefined }

/** At most `limit` items of these parts, the oldest first; of these ids alone, if there are any. One statement. */
export async function itemsOf(
  em: EntityManager,
  some: readonly MoneyRows[],
  scope: MoneyScope,
  { status, limit, ids }: Which,
): Promise<MoneyItem[]> {
  const all = join(
    some.map((part) => part(scope, status)),
    ' union all ',
  )
  return em.execute(
    // Names of each item that is returned, by its own id.
    sql`
      select a.id, a.tenant_id, a.kind, a.status, a.since, a.amount, a.currency, a.payment_id,
        a.order_id,
        (select o.number::float8 from orders o where o.id = a.order_id and o.tenant_id = a.tenant_id) as order_number,
        (
          select o.status = 'cancelled'
          from orders o
          where o.id = a.order_id and o.tenant_id = a.tenant_id
        ) as order_cancelled,
        a.subscription_id,
        (
          select m.audience_id
          from subscriptions u
          join audience_members m on m.id = u.member_id and m.tenant_id = u.tenant_id
          where u.id = a.subscription_id and u.tenant_id = a.tenant_id
        ) as audience_id,
        (
          select u.member_id
          from subscriptions u
          where u.id = a.subscription_id and u.tenant_id = a.tenant_id
        ) as member_id,
        a.provider_account_id, a.provider_payment_id, a.provider_object_id, a.error, a.evidence, a.late_evidence,
        a.resolution, a.superseded, a.sent_at, a.settled_at
      from (
        select *
        from (${all}) items ${ids ? sql`where items.id = any (${uuids(ids)})` : nothing}
        order by items.since, items.id
        limit ${limit}
      ) a
      order by a.since, a.id
    `,
  )
}

/** All items about money, at most `limit`, the oldest first; of these ids alone, if there are any. One statement. */
export const moneyAttention = (
  em: EntityManager,
  scope: MoneyScope,
  limit: number,
  ids?: readonly string[],
): Promise<MoneyItem[]> =>
  itemsOf(em, typeof scope === 'object' && scope.erasing ? [...parts, pendingRefunds] : parts, scope, {
    ...{ status: 'open', limit, ids },
  })

/**
 * The tenant whose plan the refund, request or payment of this id is about, which only the platform can look up; null
 * if it is about no plan.
 */
export async function planTenantOf(em: EntityManager, id: string): Promise<string | null> {
  const [found]: { tenant_id: string }[] = await em.execute(sql`
    select u.tenant_id
    from (
      select subscription_id, tenant_id
      from refunds
      where id = ${id}
      union all
      select subscription_id, tenant_id
      from payments
      where id = ${id}
      union all
      select subscription_id, tenant_id
      from payment_sessions
      where id = ${id}
      union all
      select subscription_id, tenant_id
      from subscription_changes
      where id = ${id}
      union all
      select f.subscription_id, f.tenant_id
      from session_expiries x
      join payment_sessions f on f.id = x.payment_session_id and f.tenant_id = x.tenant_id
      where x.id = ${id}
    ) owners
    join subscriptions u on u.id = owners.subscription_id and u.tenant_id = owners.tenant_id
    where u.plan_id is not null
  `)
  return found?.tenant_id ?? null
}
