// Enrollments follow their contact to the one that it is merged into, or that a visitor signs in to.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
// Backwards: a campaign whose last enrollment is gone is complete.
import { completeCampaigns } from '../sending/completion.ts'

/**
 * Moves the enrollments of `from` to `to`. Where both are enrolled in one campaign, that of `from` ends and keeps its
 * messages and its contact: a person gets one copy, and none where `from` had unsubscribed, replied or complained.
 * Requires locks on both contacts. One statement, or two where enrollments end. `now` in Unix seconds.
 */
export async function moveEnrollments(
  em: EntityManager,
  tenantId: string,
  from: string,
  to: string,
  now: number,
): Promise<void> {
  const ended: { campaign_id: string }[] = await em.execute(sql`
    with source_enrollments as materialized (
      select e.id, e.campaign_id, e.status,
        exists (select 1 from enrollments t where t.campaign_id = e.campaign_id and t.contact_id = ${to}) as twice
      from enrollments e
      where e.tenant_id = ${tenantId} and e.contact_id = ${from}
      order by e.id
      for update of e
    ),
    moved_enrollments as (
      update enrollments
      set contact_id = ${to}, updated_at = ${now}
      where tenant_id = ${tenantId} and id in (select id from source_enrollments where not twice)
    )
    update enrollments x
    set status = coalesce(duplicates.status, 'cancelled'), due_at = null, updated_at = ${now}
    from (
      select id, null as status
      from source_enrollments
      where twice
      union all
      select t.id, s.status
      from source_enrollments s
      join enrollments t on t.tenant_id = ${tenantId} and t.campaign_id = s.campaign_id and t.contact_id = ${to}
      where s.twice and s.status in ('unsubscribed', 'replied', 'complained')
    ) duplicates
    where x.tenant_id = ${tenantId} and x.id = duplicates.id and x.status in ('active', 'unknown')
    returning x.campaign_id
  `)
  if (ended.length > 0) await completeCampaigns(em, uuids(new Set(ended.map(({ campaign_id }) => campaign_id))))
}
