// A launch freezes the steps of a campaign and begins it, in a number of statements that does not depend on its
// enrollments. Two launches are one.
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict, type Fault, invalid, Refusal } from '../../rules/refusal.ts'
import { insertions } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { startAll } from '../kit/outbox.ts'
import { EmailTemplate } from '../mail/email-template.ts'
// Backwards: a launch forgets the failures that paused the campaign.
import { forgetFailures } from '../sending/stops.ts'
import { Campaign } from './campaign.ts'
import { CampaignStat } from './campaign-stat.ts'
import { CampaignStep } from './campaign-step.ts'

/** Starts the drains of its mailboxes, or signals them to read their rows again. */
export const startDispatch = (
  em: EntityManager,
  { tenant_id, mailbox_ids }: Pick<Campaign, 'tenant_id' | 'mailbox_ids'>,
): Promise<void> => startAll(em, 'dispatch', mailbox_ids, { tenant_id })

/** Checks the time of a start. 422 in_the_past for a start that is not ahead. */
export function checkStart(scheduledAt: number | null | undefined, now: number): void {
  if (scheduledAt != null && scheduledAt <= now)
    throw invalid('/scheduled_at', 'in_the_past', 'Must be in the future, or null to start at once.')
}

/**
 * What keeps mailboxes of a campaign from sending. Locks them `for share`: none is archived or deleted before the
 * transaction ends.
 */
export async function mailboxFaults(
  em: EntityManager,
  { tenant_id, mailbox_ids }: Pick<Campaign, 'tenant_id' | 'mailbox_ids'>,
): Promise<Fault[]> {
  const rows: { id: string; status: string }[] = await em.execute(sql`
    select id, status
    from mailboxes
    where tenant_id = ${tenant_id} and id = any (${uuids(mailbox_ids)})
    order by id
    for share
  `)
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  return mailbox_ids.flatMap((id, at): Fault[] => {
    const pointer = `/mailbox_ids/${at}`
    if (!statuses.has(id)) return [{ pointer, code: 'mailbox_missing', detail: 'The mailbox was deleted.' }]
    return statuses.get(id) === 'active'
      ? []
      : [{ pointer, code: 'mailbox_archived', detail: 'The mailbox is archived.' }]
  })
}

/**
 * An archived store sends nothing. Locks the store `for share`: one that is archived at the same time pauses the
 * campaign.
 */
export async function storeFaults(em: EntityManager, { tenant_id }: Pick<Campaign, 'tenant_id'>): Promise<Fault[]> {
  const [store]: { status: string }[] = await em.execute(
    sql`select status from tenants where id = ${tenant_id} for share`,
  )
  return store?.status === 'ARCHIVED'
    ? [{ pointer: '', code: 'store_archived', detail: 'The {store} is archived.' }]
    : []
}

function templateFault(template: EmailTemplate | undefined): Omit<Fault, 'pointer'> | null {
  if (!template) return { code: 'template_missing', detail: 'The e-mail template was deleted.' }
  if (template.type !== 'campaign')
    return {
      code: 'template_type',
      detail: `The e-mail template is of the type \`${template.type}\`. Expected \`campaign\`.`,
    }
  return template.status === 'active'
    ? null
    : { code: 'template_not_active', detail: `The e-mail template is \`${template.status}\`. Expected \`active\`.` }
}

async function enrollmentFaults(em: EntityManager, { id, tenant_id }: Campaign): Promise<Fault[]> {
  const [found]: { enrolled: boolean; importing: boolean }[] = await em.execute(sql`
    select
      exists (
        select 1
        from enrollments
        where tenant_id = ${tenant_id} and campaign_id = ${id} and status = 'active'
      ) as enrolled,
      exists (
        select 1
        from campaign_imports
        where tenant_id = ${tenant_id} and campaign_id = ${id} and status = 'running'
      ) as importing
  `)
  const faults: Fault[] = []
  if (found?.importing)
    faults.push({ pointer: '/enrollments', code: 'import_running', detail: 'An import of enrollments is running.' })
  else if (!found?.enrolled)
    faults.push({ pointer: '/enrollments', code: 'no_enrollments', detail: 'No contact is enrolled.' })
  return faults
}

/** Refuses a launch. 422 campaign_not_ready with every reason. */
export function refuseUnready(faults: readonly Fault[]): void {
  if (faults.length === 0) return
  throw new Refusal(422, 'campaign_not_ready', 'The campaign cannot be sent. `errors` lists every reason.', {
    faults: [...faults],
  })
}

/** Copies the steps with the sources of their templates, and inserts the zero counters of each step and mailbox. */
async function freeze(
  em: EntityManager,
  campaign: Campaign,
  templates: ReadonlyMap<string, EmailTemplate>,
  now: number,
): Promise<void> {
  const same = { tenant_id: campaign.tenant_id, campaign_id: campaign.id }
  const steps = campaign.steps.map((step, position) => {
    const { format, subject, body, text = null } = templates.get(step.template_id) as EmailTemplate
    return { id: newId(), position, ...step, format, subject, body, text }
  })
  await em.execute(insertions(em, CampaignStep, { ...same, created_at: now, updated_at: now }, steps))
  const counters = steps.flatMap(({ position }) =>
    campaign.mailbox_ids.map((mailbox_id) => ({ step: position, mailbox_id })),
  )
  await em.execute(insertions(em, CampaignStat, same, counters))
}

/**
 * Launches a draft; one that was launched before is returned as it is. `scheduledAt`: when it starts, in Unix seconds;
 * null: now; undefined: as the campaign says.
 * Waits for updates and imports of the campaign. 404; 422 campaign_not_ready, in_the_past.
 */
export async function launchCampaign(
  em: EntityManager,
  id: string,
  scheduledAt: number | null | undefined,
  now: number,
): Promise<Campaign> {
  const campaign = await lockForChange(em, Campaign, id, 'campaign')
  if (campaign.status !== 'draft') return campaign
  const scheduled_at = scheduledAt === undefined ? (campaign.scheduled_at ?? null) : scheduledAt
  const templateIds = [...new Set(campaign.steps.map(({ template_id }) => template_id))]
  const found = templateIds.length === 0 ? [] : await em.find(EmailTemplate, { id: { $in: templateIds } })
  const templates = new Map(found.map((template) => [template.id, template]))
  const archived = await storeFaults(em, campaign)
  await forgetFailures(em, campaign)
  refuseUnready([
    ...(campaign.steps.length === 0
      ? [{ pointer: '/steps', code: 'no_steps', detail: 'The campaign has no steps.' }]
      : []),
    ...campaign.steps.flatMap(({ template_id }, at) => {
      const fault = templateFault(templates.get(template_id))
      return fault ? [{ pointer: `/steps/${at}/template_id`, ...fault }] : []
    }),
    ...archived,
    ...(await mailboxFaults(em, campaign)),
    ...(await enrollmentFaults(em, campaign)),
  ])
  checkStart(scheduled_at, now)
  await freeze(em, campaign, templates, now)
  em.assign(campaign, {
    status: scheduled_at === null ? 'running' : 'scheduled',
    scheduled_at,
    launched_at: now,
    begun_at: scheduled_at === null ? now : null,
    updated_at: now,
  })
  await em.flush()
  await startDispatch(em, campaign)
  return campaign
}

/** Locks a campaign that contacts may be enrolled in. 404; 409 campaign_not_draft. */
export async function lockDraft(em: EntityManager, id: string): Promise<Campaign> {
  const campaign = await lockForChange(em, Campaign, id, 'campaign')
  const { status } = campaign
  if (status !== 'draft')
    throw conflict('campaign_not_draft', `The campaign is \`${status}\`. Contacts are enrolled before the launch.`, {
      members: { campaign_status: status },
    })
  return campaign
}
