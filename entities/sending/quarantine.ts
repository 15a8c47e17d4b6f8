// After a failover or a restore, rows of messages that were sent may be lost, and would be created again: campaigns
// stop, and who may have been sent one gets no more.
import type { EntityManager } from '@mikro-orm/postgresql'
import { hasStarted } from '../../rules/campaigns/campaigns.ts'
import type { Campaign } from '../campaigns/campaign.ts'
import { json, sql } from '../kit/database/sql.ts'

/**
 * The campaigns of all tenants that `quarantineCampaign` changes, also those that were paused long ago: that they were
 * resumed may be lost.
 */
export async function toQuarantineCampaigns(em: EntityManager): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(
    sql`select id from campaigns where status in ('scheduled', 'running', 'paused') order by id`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Pauses the campaign. If it had begun, its active enrollments become unknown, except those whose next step was not due
 * yet: a lease moves `due_at` by a minute at most. Returns how many. It may be repeated. `now` in Unix seconds.
 */
export async function quarantineCampaign(em: EntityManager, id: string, now: number): Promise<number> {
  // The campaign is locked before its enrollments, as by every change of its status.
  const [row]: Pick<Campaign, 'status' | 'scheduled_at' | 'begun_at'>[] = await em.execute(sql`
    select status, scheduled_at::float8 as scheduled_at, begun_at::float8 as begun_at
    from campaigns
    where id = ${id}
    for no key update
  `)
  if (!row || !['scheduled', 'running', 'paused'].includes(row.status)) return 0
  const reason = {
    code: 'quarantined',
    message: 'Commits may have been lost. Enrollments that may have been sent a message are unknown.',
  }
  await em.execute(sql`
    update campaigns
    set status = 'paused', paused_reason = ${json(reason)}, updated_at = ${now}
    where id = ${id}
  `)
  const begun = row.status === 'scheduled' ? (row.scheduled_at ?? 0) <= now : hasStarted(row)
  if (!begun) return 0
  // Locked by id, the order of all statements that change several enrollments.
  const ended: unknown[] = await em.execute(sql`
    with locked_enrollments as materialized (
      select id
      from enrollments
      where campaign_id = ${id}
        and status = 'active'
        and (due_at is null or due_at < clock_timestamp() + interval '10 minutes')
      order by id
      for update
    )
    update enrollments e
    set status = 'unknown', due_at = null, updated_at = ${now}
    from locked_enrollments
    where e.id = locked_enrollments.id
    returning 1
  `)
  return ended.length
}
