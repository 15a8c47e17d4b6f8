// Creates a visitor: a contact and a session. The session's token is returned once.
import type { EntityManager } from '@mikro-orm/postgresql'
import { insertion } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { Contact } from './contact.ts'
import { ContactSession } from './contact-session.ts'

export async function beginVisitor(
  em: EntityManager,
  tenantId: string,
  tokenDigest: string,
  now: number,
): Promise<{ session_id: string; contact_id: string }> {
  const contact_id = newId()
  const session_id = newId()
  const row = { tenant_id: tenantId, created_at: now, updated_at: now }
  const contact = insertion(em, Contact, { ...row, id: contact_id, taxonomies: [], search: '' })
  const session = insertion(em, ContactSession, {
    ...row,
    id: session_id,
    contact_id,
    token_digest: tokenDigest,
    used_at: now,
  })
  await em.execute(sql`with contact as (${contact}) ${session}`)
  return { session_id, contact_id }
}
