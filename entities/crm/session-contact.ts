// A merge or a sign-in gives a visitor's session another contact, which a request that had identified the visitor
// before does not know yet.
import type { EntityManager } from '@mikro-orm/postgresql'
import { unavailable } from '../../rules/refusal.ts'
import { sql } from '../kit/database/sql.ts'

/**
 * Checks a visitor whose record belongs to another contact: if the visitor has become that contact meanwhile, the
 * transaction is repeated, which reads both again. Nothing for an operator. 503 database_unavailable.
 */
export async function refuseIfMoved(
  em: EntityManager,
  tenantId: string,
  { session_id, contact_id }: { session_id: string | null; contact_id: string | null },
): Promise<void> {
  if (session_id === null) return
  const rows: unknown[] = await em.execute(sql`
    select 1
    from contact_sessions
    where tenant_id = ${tenantId} and id = ${session_id} and contact_id is distinct from ${contact_id}
  `)
  if (rows.length > 0) throw unavailable('database_unavailable', 'The visitor is signing in. Repeat the request.')
}
