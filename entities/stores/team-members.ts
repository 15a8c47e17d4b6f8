// Changes of a store's team are serialized, so that its last super cannot be removed. A member who was added accepts by
// acting in the store.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { type Seat, teamUpdated } from './account-events.ts'

/** Serializes changes of this store's team. */
export async function lockTeam(em: EntityManager, tenantId: string): Promise<void> {
  await em.execute(sql`select id from tenants where id = ${tenantId} for update`)
}

/** Limits the unit of work to the stores of this account. */
export async function seeStoresOf(em: EntityManager, accountId: string): Promise<void> {
  const rows: { tenant_id: string }[] = await em.execute(
    sql`select tenant_id from team_members where account_id = ${accountId}`,
  )
  em.setFilterParams('tenant', { tenant: rows.map(({ tenant_id }) => tenant_id) })
}

/** Whether the address is that of a member of the team who has acted in it. */
export async function isOfTeam(em: EntityManager, tenantId: string, email: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(sql`
    select 1
    from team_members m
    join accounts a on a.id = m.account_id
    where m.tenant_id = ${tenantId} and a.email = ${email} and m.accepted_at is not null
  `)
  return rows.length > 0
}

/**
 * Records that a member acts in the store, and publishes the member with the name that the team sees from now on.
 * Nothing if it was recorded before. `now` in Unix seconds.
 */
export async function acceptMembership(
  em: EntityManager,
  { tenant_id, account_id }: { tenant_id: string; account_id: string },
  now: number,
): Promise<void> {
  const accepted: Seat[] = await em.execute(sql`
    update team_members m
    set accepted_at = ${now}
    from accounts a
    where m.tenant_id = ${tenant_id} and m.account_id = ${account_id} and m.accepted_at is null and a.id = m.account_id
    returning m.tenant_id, m.account_id, a.email, a.name, m.role, m.accepted_at, m.created_at, m.updated_at
  `)
  if (accepted.length > 0) await teamUpdated(em, 'member_updated', accepted, now)
}
