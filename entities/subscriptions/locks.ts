// A subscription and its member are locked together, the member first: a merge of contacts may move the subscription to
// another member. The store is locked before its own plan, as by its next choice of a plan.
import type { EntityManager } from '@mikro-orm/postgresql'
import { unavailable } from '../../rules/refusal.ts'
import type { RowOf } from '../kit/database/row.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import type { Subscription } from './subscription.ts'

/** A locked subscription, with the provider's id of its price. */
export type LockedSubscription = Omit<RowOf<Subscription>, 'member_id'> & {
  member_id: string | null
  provider_price_id: string | null
}

type Key = { id: string; tenant_id: string }

/**
 * Locks the members of these subscriptions by id, or the store of its own plan, then the subscriptions, and reads them.
 * PostgreSQL runs `locked_tenant` because its rows are counted. One statement.
 */
const lockAll = (tenantId: string, ids: Sql): Sql => sql`
  with locked_members as materialized (
    select m.id
    from audience_members m
    where m.tenant_id = ${tenantId} and m.id in (select s.member_id from subscriptions s where s.id ${ids})
    order by m.id
    for update
  ),
  locked_tenant as materialized (
    select t.id
    from tenants t
    where t.id = ${tenantId} and exists (select 1 from subscriptions s where s.id ${ids} and s.member_id is null)
    for no key update
  )
  select s.*,
    (
      select p.provider_price_id
      from audience_prices p
      where p.id = s.price_id and p.tenant_id = s.tenant_id
    ) as provider_price_id
  from subscriptions s
  where s.tenant_id = ${tenantId}
    and s.id ${ids}
    and (
      s.member_id is null and (select count(*) from locked_tenant) >= 0
      or s.member_id in (select id from locked_members)
    )
  order by s.id
  for update of s
`

/** Locks the member and the subscription. null: there is none. 503 if contacts are merged again and again meanwhile. */
export async function lockSubscription(em: EntityManager, { id, tenant_id }: Key): Promise<LockedSubscription | null> {
  for (let tries = 0; tries < 3; tries++) {
    const rows: LockedSubscription[] = await em.execute(lockAll(tenant_id, sql`= ${id}`))
    if (rows[0]) return rows[0]
    // Its member was merged into another one while this statement waited.
    const there: unknown[] = await em.execute(
      sql`select 1 from subscriptions where id = ${id} and tenant_id = ${tenant_id}`,
    )
    if (there.length === 0) return null
  }
  throw unavailable('database_unavailable', 'The contact of this subscription is being merged; repeat the request.')
}

/** The subscriptions of a member that is locked: those that may still be paid or run. */
export const lockRunning = (em: EntityManager, tenantId: string, memberId: string): Promise<LockedSubscription[]> =>
  em.execute(
    lockAll(
      tenantId,
      sql`
        in (
          select r.id
          from subscriptions r
          where r.member_id = ${memberId} and r.status in ('waiting', 'pending', 'live')
        )
      `,
    ),
  )
