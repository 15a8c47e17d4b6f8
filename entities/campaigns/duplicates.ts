// A duplicate is a new draft with the setup of a campaign, and, if asked for, an import of its enrollments. Messages,
// replies and history stay with the source.
import type { EntityManager } from '@mikro-orm/postgresql'
import { findRecord } from '../kit/find.ts'
import { newId } from '../kit/ids.ts'
import { Campaign } from './campaign.ts'
import { addImport } from './imports.ts'

/** Creates a draft with the setup of a campaign. 404. `now` in Unix seconds. */
export async function duplicateCampaign(
  em: EntityManager,
  id: string,
  name: string,
  copyEnrollments: boolean,
  now: number,
): Promise<Campaign> {
  const { tenant_id, mailbox_ids, steps, variables, reply_to, stop_on_reply, send_window } = await findRecord(
    em,
    Campaign,
    { id },
    'campaign',
  )
  const setup = { mailbox_ids, steps, variables, reply_to, stop_on_reply, send_window }
  const draft = em.create(Campaign, {
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    name,
    status: 'draft',
    ...setup,
  }) as Campaign
  await em.flush()
  if (copyEnrollments) await addImport(em, draft, { campaign_id: id }, now)
  return draft
}
