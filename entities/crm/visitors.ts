// A visitor begins: a contact and a session of his own, whose token is told once.
import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../kit/ids.ts'

export async function beginVisitor(em: EntityManager, tenantId: string, tokenDigest: string, now: number): Promise<{ session_id: string; contact_id: string }> {
  const contact_id = newId()
  const session_id = newId()
  await em.execute(
    `with c as (insert into contacts (id, tenant_id, created_at, updated_at, status, taxonomies) values (?, ?, ?, ?, 'active', '[]'))
     insert into contact_sessions (id, tenant_id, created_at, updated_at, contact_id, token_digest) values (?, ?, ?, ?, ?, ?)`,
    [contact_id, tenantId, now, now, session_id, tenantId, now, now, contact_id, tokenDigest],
  )
  return { session_id, contact_id }
}
