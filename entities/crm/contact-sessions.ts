// How the sessions of visitors end, and until when they are in use.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { provedSql } from './session-rights.ts'

/** Seconds in which the token before a sign-in is taken: requests of the same browser may be under way. */
export const FORMER_S = 10

/**
 * Ends the sessions of a contact that prove no address of it, except for `kept`: the contact has records of another
 * person from now on. A session that another transaction has locked is skipped: it is not accepted at this contact any
 * more (session-rights.ts). Returns how many ended.
 */
export async function endUnproved(
  em: EntityManager,
  tenantId: string,
  contactId: string,
  kept: string | null,
  now: number,
): Promise<number> {
  const ended: unknown[] = await em.execute(sql`
    update contact_sessions
    set revoked_at = ${now}, updated_at = ${now}
    where tenant_id = ${tenantId}
      and id in (
        select s.id
        from contact_sessions s
        where s.tenant_id = ${tenantId}
          and s.contact_id = ${contactId}
          and s.revoked_at is null
          and s.id is distinct from ${kept}::uuid
          and not ${provedSql}
        order by s.id
        for update skip locked
      )
    returning id
  `)
  return ended.length
}

/** How often the use of a session is recorded, in seconds. */
const USED_EVERY_S = 86_400

/** Records that a session is in use, once a day. One statement, or none. `now` in Unix seconds. */
export async function noteUse(
  em: EntityManager,
  tenantId: string,
  { id, used_at }: { id: string; used_at: number | null },
  now: number,
): Promise<void> {
  if (used_at !== null && used_at >= now - USED_EVERY_S) return
  await em.execute(sql`
    update contact_sessions
    set used_at = ${now}
    where tenant_id = ${tenantId} and id = ${id} and coalesce(used_at, 0) < ${now}
  `)
}
