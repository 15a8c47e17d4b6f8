// Ends memberships whose time is over. Access does not depend on it: the rule of access looks at the clock.
import type { EntityManager } from '@mikro-orm/postgresql'
import { PENDING_DAYS } from '../../rules/audiences/memberships.ts'
import { uuids } from '../kit/ids.ts'
import { sql } from '../kit/sql.ts'
import { emitAll } from '../webhooks/events.ts'
import { readMembers } from './member-rows.ts'
import { memberData } from './members.ts'

/**
 * Ends up to `limit` active members without access, of all tenants, and publishes `audience.member_access_cancelled`. Returns how many. Locked members are left
 * to the next round. `now` in Unix seconds.
 */
export async function endOverdue(em: EntityManager, limit: number, now: number): Promise<number> {
  const ended: { id: string; tenant_id: string }[] = await em.execute(
    sql`with overdue as materialized (select m.id, m.tenant_id from audience_members m where m.status = 'active' and m.access_until is not null and m.access_until < ${now}
       order by m.access_until limit ${limit} for update skip locked)
     update audience_members m set status = 'expired', ended_at = m.access_until, updated_at = ${now} from overdue o
     where m.id = o.id and m.tenant_id = o.tenant_id returning m.id, m.tenant_id`,
  )
  if (ended.length === 0) return 0
  const tenants = ended.map(({ tenant_id }) => tenant_id)
  await emitAll(
    em,
    tenants,
    'audience.member_access_cancelled',
    async (subscribed) => {
      const events = []
      for (const tenant_id of subscribed) {
        const ids = ended.filter((one) => one.tenant_id === tenant_id).map(({ id }) => id)
        for (const row of await readMembers(em, tenant_id, ids)) events.push({ tenant_id, data: memberData(row, now) })
      }
      return events
    },
    now,
  )
  return ended.length
}

/**
 * Undoes up to `limit` memberships of confirmation audiences that were not confirmed for 30 days: they become what they were before, or are deleted, unless
 * the row holds an opt-out. Returns how
 * many. `now` in Unix seconds.
 */
export async function undoUnconfirmed(em: EntityManager, limit: number, now: number): Promise<number> {
  const found: { id: string; is_new: boolean }[] = await em.execute(
    sql`select m.id, m.status_before is null and m.delivery_status = 'subscribed' as is_new from audience_members m join audiences a on a.id = m.audience_id and a.tenant_id = m.tenant_id
     where m.status = 'pending' and m.pending_since < ${now - PENDING_DAYS * 86_400} and a.type = 'confirmation' order by m.pending_since limit ${limit} for update of m skip locked`,
  )
  const idsOf = (is_new: boolean) => uuids(found.filter((one) => one.is_new === is_new).map(({ id }) => id))
  if (found.length === 0) return 0
  await em.execute(sql`delete from audience_members where id = any (${idsOf(true)})`)
  await em.execute(
    sql`update audience_members set status = coalesce(status_before, 'removed'), ended_at = coalesce(ended_at, ${now}), status_before = null, pending_since = null, updated_at = ${now}
     where id = any (${idsOf(false)})`,
  )
  return found.length
}
