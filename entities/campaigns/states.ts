// Pausing, resuming and cancelling a campaign change one row. Messages are stamped under a share lock of it: once the
// change is committed, none is stamped.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { CampaignStatus } from '../../rules/campaigns/campaigns.ts'
import type { ProblemCode } from '../../rules/problems.ts'
import { conflict, type Refusal } from '../../rules/refusal.ts'
import { SENDER_REFUSED } from '../../rules/sending/sending.ts'
import { json, sql } from '../kit/database/sql.ts'
import { lockForChange } from '../kit/locked-row.ts'
// Backwards: a resumed campaign forgets the failures that paused it.
import { forgetFailures } from '../sending/stops.ts'
import { Campaign } from './campaign.ts'
import { mailboxFaults, refuseUnready, startDispatch, storeFaults } from './launch.ts'

const elsewhere = (code: ProblemCode<409>, status: CampaignStatus, expected: string): Refusal =>
  conflict(code, `The campaign is \`${status}\`. Expected ${expected}.`, { members: { campaign_status: status } })

/** A campaign that is paused is returned as it is. 404; 409 campaign_not_running. `now` in Unix seconds. */
export async function pauseCampaign(em: EntityManager, id: string, now: number): Promise<Campaign> {
  const campaign = await lockForChange(em, Campaign, id, 'campaign')
  if (campaign.status === 'paused') return campaign
  if (campaign.status !== 'running' && campaign.status !== 'scheduled')
    throw elsewhere('campaign_not_running', campaign.status, '`running` or `scheduled`')
  em.assign(campaign, {
    status: 'paused',
    paused_reason: { code: 'operator', message: 'An operator paused the campaign.' },
    updated_at: now,
  })
  await em.flush()
  return campaign
}

/** Pauses all campaigns of a store that run or are scheduled. */
export const pauseCampaignsOf = (
  em: EntityManager,
  tenantId: string,
  reason: { code: string; message: string },
  now: number,
) =>
  // Locked by id: concurrent changes of several campaigns do not deadlock.
  em.execute(sql`
    update campaigns
    set status = 'paused', paused_reason = ${json(reason)}, updated_at = ${now}
    where id in (
      select id
      from campaigns
      where tenant_id = ${tenantId} and status in ('scheduled', 'running')
      order by id
      for no key update
    )
  `)

/**
 * Continues a paused campaign: it is `scheduled` again if its start is ahead. Its mailboxes try their servers at once.
 * One that is running or scheduled is returned as it is. 404; 409 campaign_not_paused; 422 campaign_not_ready. `now` in
 * Unix seconds.
 */
export async function resumeCampaign(em: EntityManager, id: string, now: number): Promise<Campaign> {
  const campaign = await lockForChange(em, Campaign, id, 'campaign')
  if (campaign.status === 'running' || campaign.status === 'scheduled') return campaign
  if (campaign.status !== 'paused') throw elsewhere('campaign_not_paused', campaign.status, '`paused`')
  const archived = await storeFaults(em, campaign)
  await forgetFailures(em, campaign)
  refuseUnready([...archived, ...(await mailboxFaults(em, campaign))])
  const waits = (campaign.scheduled_at ?? 0) > now
  em.assign(campaign, {
    status: waits ? 'scheduled' : 'running',
    begun_at: campaign.begun_at ?? (waits ? null : now),
    paused_reason: null,
    updated_at: now,
  })
  await em.flush()
  await sendRefused(em, campaign)
  await startDispatch(em, campaign)
  return campaign
}

/** Recipients that wait since their servers refused the sender are sent to at once, with all attempts again. */
const sendRefused = (em: EntityManager, { id, tenant_id }: Campaign) =>
  em.execute(sql`
    update campaign_messages m
    set due_at = clock_timestamp(), attempt = 0
    where m.id in (
      select x.id
      from campaign_messages x
      where x.campaign_id = ${id}
        and x.tenant_id = ${tenant_id}
        and x.status = 'requested'
        and x.kind = 'step'
        and x.error ->> 'code' = ${SENDER_REFUSED}
      order by x.id
      for no key update
    )
  `)

/**
 * Ends a campaign for good; its active enrollments are shown as cancelled, and messages that were written ahead fail
 * soon. One that is cancelled is returned as it is. 404; 409 campaign_not_running.
 */
export async function cancelCampaign(em: EntityManager, id: string, now: number): Promise<Campaign> {
  const campaign = await lockForChange(em, Campaign, id, 'campaign')
  if (campaign.status === 'cancelled') return campaign
  if (campaign.status === 'draft' || campaign.status === 'completed')
    throw elsewhere('campaign_not_running', campaign.status, '`scheduled`, `running` or `paused`')
  em.assign(campaign, { status: 'cancelled', paused_reason: null, ended_at: now, updated_at: now })
  await em.flush()
  await startDispatch(em, campaign)
  return campaign
}
