// Whom work for a tenant is counted for: accounts take turns, so that many tenants of one delay nothing of others.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Owner } from '../../rules/fair-queue.ts'
import { type Sql, sql } from '../kit/database/sql.ts'

/**
 * The account that created a tenant: its tenants take turns together, and share a limit. A tenant whose account is
 * deleted stands for itself. Members may come and go:
 * they decide nothing here.
 */
export const accountOf = (tenant: Sql): Sql =>
  sql`coalesce((select o.created_by from tenants o where o.id = ${tenant}), ${tenant})`

/** It never changes but when the account is deleted: processes remember the last ones. */
const owners = new Map<string, Owner>()
const most = 50_000

/** The tenant and its account. */
export async function ownerOf(em: EntityManager, tenantId: string): Promise<Owner> {
  const cachedOwner = owners.get(tenantId)
  if (cachedOwner) return cachedOwner
  const [found]: { account: string }[] = await em.execute(
    sql`select ${accountOf(sql`${tenantId}::uuid`)} as account, ${tenantId}::uuid as tenant_id`,
  )
  const owner = { account: found?.account ?? tenantId, tenant: tenantId }
  if (owners.size >= most) owners.delete(owners.keys().next().value as string)
  owners.set(tenantId, owner)
  return owner
}
