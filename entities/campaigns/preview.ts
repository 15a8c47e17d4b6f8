// What a preview or a test of a step is made of: the template as it will be sent, and the recipient.
import type { EntityManager } from '@mikro-orm/postgresql'
import { notFound } from '../../rules/refusal.ts'
import type { Recipient } from '../../rules/sending/variables.ts'
import { storeName } from '../../rules/stores/store-name.ts'
import { findRecord } from '../kit/find.ts'
import { EmailTemplate } from '../mail/email-template.ts'
import { Mailbox } from '../mail/mailbox.ts'
// Backwards: a preview is made of what would be sent.
import { readRecipients, readThreads } from '../sending/recipients.ts'
import { Tenant } from '../stores/tenant.ts'
import type { Campaign } from './campaign.ts'
import { CampaignStep } from './campaign-step.ts'
import { Enrollment } from './enrollment.ts'

type Source = Pick<CampaignStep, 'template_id' | 'variables' | 'format' | 'subject' | 'body' | 'text' | 'in_thread'>

export type PreviewFacts = {
  store: { key: string; name: string }
  step: Source
  mailbox_id: string
  /** Address of the mailbox. */
  sender: string
  audience_id: string | null
  thread: string[]
  /** Null without an enrollment. */
  recipient: Recipient | null
}

/** The source of a step: the template of a draft as it is now, that of a launched campaign as it was at the launch. */
async function sourceOf(em: EntityManager, campaign: Campaign, position: number): Promise<Source | null> {
  const launched = await em.findOne(CampaignStep, { campaign_id: campaign.id, position })
  if (launched) return launched
  const setup = campaign.steps[position]
  const template = setup && (await em.findOne(EmailTemplate, { id: setup.template_id }))
  if (!setup || !template) return null
  const { format, subject, body, text } = template
  return { ...setup, format, subject, body, text: text ?? null }
}

/**
 * Reads what a preview is rendered from. Null if the campaign has no such step, or its template was deleted. 404 for an
 * enrollment of another campaign, and for a mailbox that was deleted.
 */
export async function previewFacts(
  em: EntityManager,
  campaign: Campaign,
  position: number,
  enrollmentId: string | null,
): Promise<PreviewFacts | null> {
  const step = await sourceOf(em, campaign, position)
  if (!step) return null
  const { tenant_id } = campaign
  const enrollment =
    enrollmentId === null
      ? null
      : await findRecord(em, Enrollment, { id: enrollmentId, campaign_id: campaign.id }, 'enrollment')
  const mailbox_id = enrollment?.mailbox_id ?? campaign.mailbox_ids[0]
  if (mailbox_id === undefined) throw notFound('mailbox')
  const { email: sender } = await findRecord(em, Mailbox, { id: mailbox_id }, 'mailbox')
  const { key, settings } = await em.findOneOrFail(Tenant, { id: tenant_id })
  const thread =
    enrollment && step.in_thread ? ((await readThreads(em, tenant_id, [enrollment.id])).get(enrollment.id) ?? []) : []
  const recipient = enrollment
    ? ((await readRecipients(em, tenant_id, [enrollment.id])).get(enrollment.id) ?? null)
    : null
  return {
    store: { key, name: storeName({ key, settings }) },
    step,
    mailbox_id,
    sender,
    audience_id: enrollment?.audience_id ?? null,
    thread,
    recipient,
  }
}
