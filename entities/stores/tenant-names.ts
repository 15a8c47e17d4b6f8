// What tenants are called, in lists of several.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { TenantKind } from '../../rules/stores/tenant-kinds.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

export type TenantName = { id: string; kind: TenantKind; key: string }

/** One statement; none without ids. */
export async function tenantNames(em: EntityManager, ids: Iterable<string>): Promise<Map<string, TenantName>> {
  const some = new Set(ids)
  if (some.size === 0) return new Map()
  const rows: TenantName[] = await em.execute(sql`select id, kind, key from tenants where id = any (${uuids(some)})`)
  return new Map(rows.map((row) => [row.id, row]))
}
