// Drafts of campaigns change freely; after the launch only the name and the time of the start change, until the
// campaign starts.
import { isDeepStrictEqual } from 'node:util'
import type { EntityManager, EntityName } from '@mikro-orm/postgresql'
import { hasStarted } from '../../rules/campaigns/campaigns.ts'
import { conflict, type Fault, invalidInput } from '../../rules/refusal.ts'
import { newId } from '../kit/ids.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { EmailTemplate } from '../mail/email-template.ts'
import { Mailbox } from '../mail/mailbox.ts'
import { Campaign, type SendWindow, type StepSetup } from './campaign.ts'
import { checkStart, startDispatch } from './launch.ts'

export type CampaignInput = {
  name: string
  mailbox_ids: string[]
  steps?: StepSetup[] | undefined
  variables?: Record<string, unknown> | undefined
  reply_to?: string | null | undefined
  stop_on_reply?: boolean | undefined
  send_window?: SendWindow | null | undefined
  scheduled_at?: number | null | undefined
}
type Named = Pick<Campaign, 'mailbox_ids' | 'steps'>

/** Those of these ids that are no record of the store: one statement. */
export async function unknownOf(
  em: EntityManager,
  entity: EntityName<{ id: string }>,
  ids: readonly string[],
): Promise<Set<string>> {
  const named = [...new Set(ids)]
  const found = named.length === 0 ? [] : await em.find(entity, { id: { $in: named } }, { fields: ['id'] })
  return new Set(named).difference(new Set(found.map(({ id }) => id)))
}

/**
 * Checks the mailboxes and templates of a campaign. 422 mailbox_unknown, template_unknown for records that the store
 * does not have, except for those that the campaign named before.
 */
async function checkNames(
  em: EntityManager,
  { mailbox_ids = [], steps = [] }: Partial<Named>,
  before?: Named,
): Promise<void> {
  const named = new Set([
    ...(before?.mailbox_ids ?? []),
    ...(before?.steps.map(({ template_id }) => template_id) ?? []),
  ])
  const later = (ids: readonly string[]) => ids.filter((id) => !named.has(id))
  const mailboxes = await unknownOf(em, Mailbox, later(mailbox_ids))
  const templates = await unknownOf(em, EmailTemplate, later(steps.map(({ template_id }) => template_id)))
  const faults: Fault[] = []
  for (const [at, id] of mailbox_ids.entries())
    if (mailboxes.has(id))
      faults.push({ pointer: `/mailbox_ids/${at}`, code: 'mailbox_unknown', detail: 'There is no such mailbox.' })
  for (const [at, { template_id }] of steps.entries())
    if (templates.has(template_id))
      faults.push({
        pointer: `/steps/${at}/template_id`,
        code: 'template_unknown',
        detail: 'There is no such e-mail template.',
      })
  if (faults.length > 0) throw invalidInput(faults)
}

/** Creates a draft. 422 mailbox_unknown, template_unknown. `now` in Unix seconds. */
export async function createCampaign(
  em: EntityManager,
  tenantId: string,
  input: CampaignInput,
  now: number,
): Promise<Campaign> {
  await checkNames(em, input)
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now, status: 'draft' as const }
  const { steps = [], variables = {}, stop_on_reply = true, ...given } = input
  const campaign = em.create(Campaign, { ...row, ...given, steps, variables, stop_on_reply }) as Campaign
  await em.flush()
  return campaign
}

const launched = (status: string) =>
  conflict(
    'campaign_launched',
    `The campaign is \`${status}\`. Only \`name\` and \`scheduled_at\` can be changed after the launch, and only until it starts.`,
    {
      members: { campaign_status: status },
    },
  )

/**
 * Updates a campaign. Fields that are left out stay. Waits for a launch. A scheduled campaign that is given another
 * start starts then; with null, at once. 404; 409 campaign_launched; 422 mailbox_unknown, template_unknown,
 * in_the_past. `now` in Unix seconds.
 */
export async function updateCampaign(
  em: EntityManager,
  id: string,
  input: Partial<CampaignInput>,
  now: number,
): Promise<Campaign> {
  const campaign = await lockForChange(em, Campaign, id, 'campaign')
  // A field that is sent back as it was read is no change.
  const changes = Object.fromEntries(
    Object.entries(input).filter(
      ([name, value]) => value !== undefined && !isDeepStrictEqual(value, campaign[name as keyof Campaign] ?? null),
    ),
  )
  const names = Object.keys(changes)
  if (names.length === 0) return campaign
  if (campaign.status !== 'draft') {
    if (hasStarted(campaign) || names.some((name) => name !== 'name' && name !== 'scheduled_at'))
      throw launched(campaign.status)
    if ('scheduled_at' in changes) checkStart(input.scheduled_at, now)
  }
  await checkNames(em, input, campaign)
  em.assign(campaign, { ...changes, updated_at: now })
  if (campaign.status === 'scheduled' && 'scheduled_at' in changes) {
    if (input.scheduled_at === null) em.assign(campaign, { status: 'running', begun_at: now })
    await startDispatch(em, campaign)
  }
  await em.flush()
  return campaign
}

/** Deletes a draft with its enrollments. 404; 409 campaign_launched. */
export async function removeCampaign(em: EntityManager, id: string): Promise<void> {
  const { status } = await lockForChange(em, Campaign, id, 'campaign')
  if (status !== 'draft')
    throw conflict('campaign_launched', `The campaign is \`${status}\`. Only drafts can be deleted.`, {
      members: { campaign_status: status },
    })
  await em.nativeDelete(Campaign, { id })
}
