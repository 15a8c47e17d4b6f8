// Enrollments as operators see them: an active one of a cancelled campaign is shown as cancelled, as cancelling changes
// one row.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EnrollmentStatus } from '../../rules/campaigns/campaigns.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { lockForChange } from '../kit/locked-row.ts'
// Backwards: a campaign whose last enrollment ends is complete.
import { completeCampaigns } from '../sending/completion.ts'
import { Campaign } from './campaign.ts'
import { Enrollment } from './enrollment.ts'

/** The status that is returned: the active enrollments of a cancelled campaign are cancelled. */
export const shownStatus = (status: EnrollmentStatus, isCancelled: boolean): EnrollmentStatus =>
  isCancelled && status === 'active' ? 'cancelled' : status

/** The stored statuses that are shown as this one. */
export const storedStatuses = (status: EnrollmentStatus, isCancelled: boolean): EnrollmentStatus[] => {
  if (!isCancelled) return [status]
  return status === 'cancelled' ? ['active', 'cancelled'] : status === 'active' ? [] : [status]
}

/** Those of these campaigns that are cancelled. One statement. */
export async function cancelledOf(
  em: EntityManager,
  tenantId: string,
  campaignIds: Iterable<string>,
): Promise<Set<string>> {
  const rows: { id: string }[] = await em.execute(sql`
    select id
    from campaigns
    where tenant_id = ${tenantId} and id = any (${uuids(new Set(campaignIds))}) and status = 'cancelled'
  `)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Ends an active enrollment, or one whose message is unknown: once this is committed, nothing of its campaign is
 * stamped for it. One that is cancelled is returned as it is. 404; 409 enrollment_not_active.
 * `now` in Unix seconds.
 */
export async function cancelEnrollment(
  em: EntityManager,
  tenantId: string,
  id: string,
  now: number,
): Promise<{ row: Enrollment; isCancelled: boolean }> {
  const [found]: { campaign_id: string }[] = await em.execute(
    sql`select campaign_id from enrollments where tenant_id = ${tenantId} and id = ${id}`,
  )
  if (!found) throw notFound('enrollment')
  const campaign = await lockForChange(em, Campaign, found.campaign_id, 'enrollment')
  const row = await lockForChange(em, Enrollment, id, 'enrollment')
  const isCancelled = campaign.status === 'cancelled'
  const status = shownStatus(row.status, isCancelled)
  if (status === 'cancelled') return { row, isCancelled }
  if (status !== 'active' && status !== 'unknown')
    throw conflict('enrollment_not_active', `The enrollment is \`${status}\`. Expected \`active\` or \`unknown\`.`, {
      members: { enrollment_status: status },
    })
  em.assign(row, { status: 'cancelled', due_at: null, updated_at: now })
  await em.flush()
  await completeCampaigns(em, uuids([campaign.id]))
  return { row, isCancelled }
}
