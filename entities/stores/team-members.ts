// Changes of a store's team are serialized, so that its last super cannot be removed.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Sql, sql } from '../kit/sql.ts'

/** Serializes changes of this store's team. */
export async function lockTeam(em: EntityManager, tenantId: string): Promise<void> {
  await em.execute(sql`select id from tenants where id = ${tenantId} for update`)
}

/** Limits the unit of work to the stores of this account. */
export async function seeStoresOf(em: EntityManager, accountId: string): Promise<void> {
  const rows: { tenant_id: string }[] = await em.execute(sql`select tenant_id from team_members where account_id = ${accountId}`)
  em.setFilterParams('tenant', { tenant: rows.map(({ tenant_id }) => tenant_id) })
}

/** Whether the address is that of a member of the team. An expression; `email`: one, too. */
export const isOfTeam = (email: Sql, tenantId: string): Sql =>
  sql`exists (select 1 from accounts o join team_members w on w.account_id = o.id where w.tenant_id = ${tenantId} and o.email = ${email})`
