// Whom work for a tenant is counted for: accounts take turns, so that many tenants of one delay nothing of others.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Owner } from '../../rules/fair-queue.ts'
import { sql } from '../kit/sql.ts'

/** It never changes but when the account is deleted: processes remember the last ones. */
const owners = new Map<string, Owner>()
const most = 50_000

/** The tenant and the account that created it; a tenant whose account is deleted stands for itself. */
export async function ownerOf(em: EntityManager, tenantId: string): Promise<Owner> {
  const known = owners.get(tenantId)
  if (known) return known
  const [found]: { account: string }[] = await em.execute(
    sql`select t.id as tenant_id, coalesce(t.created_by, t.id) as account from tenants t where t.id = ${tenantId}`,
  )
  const owner = { account: found?.account ?? tenantId, tenant: tenantId }
  if (owners.size >= most) owners.delete(owners.keys().next().value as string)
  owners.set(tenantId, owner)
  return owner
}
