// A store's team changes one step at a time, so that its last super is seen to be the last.
import type { EntityManager } from '@mikro-orm/postgresql'

/** Whoever changes the team of this store waits here for the one before. */
export async function lockTeam(em: EntityManager, tenantId: string): Promise<void> {
  await em.execute('select id from tenants where id = ? for update', [tenantId])
}

/** From here on the unit of work sees the stores of this account, and no other tenant. */
export async function seeStoresOf(em: EntityManager, accountId: string): Promise<void> {
  const rows: { tenant_id: string }[] = await em.execute('select tenant_id from team_members where account_id = ?', [accountId])
  em.setFilterParams('tenant', { tenant: rows.map(({ tenant_id }) => tenant_id) })
}
