// E-mail of a store's template: rendered and frozen before it is sent.
import type { EntityManager } from '@mikro-orm/postgresql'
import { EmailError, renderEmail } from '../../adapters/mail-renderer.ts'
import { EmailTemplate } from '../../entities/mail/email-template.ts'
import { Mailbox } from '../../entities/mail/mailbox.ts'
import { ownerOf } from '../../entities/stores/tenant-owner.ts'
import { isEmailAddress, recipientForm } from '../../rules/input/email-addresses.ts'
import { NeverSent } from '../kit/once.ts'
import { EgressError } from '../providers/egress-guard.ts'
import { egress } from '../providers/http.ts'
import type { EmailMessage, StoreEmail } from '../providers/mail.ts'

const never = (code: string, message: string): never => {
  throw new NeverSent({ code, message })
}

// The statements name the tenant themselves.
const own = { filters: { tenant: false } }

type TemplateParams = { template_id: string; to: unknown; variables: Record<string, unknown> }

/**
 * Renders a template of the store. Throws NeverSent: template_missing, template_not_active, template_failed,
 * template_timeout, template_too_large, recipient_invalid.
 */
async function prepareTemplate(em: EntityManager, tenantId: string, params: TemplateParams): Promise<EmailMessage> {
  const template =
    (await em.findOne(EmailTemplate, { id: params.template_id, tenant_id: tenantId }, own)) ??
    never('template_missing', 'there is no such template')
  if (template.status !== 'active') never('template_not_active', `the template is ${template.status}`)
  // The part before the @ is sent as given: it may be case-sensitive.
  const to = typeof params.to === 'string' ? recipientForm(params.to) : ''
  if (!isEmailAddress(to)) never('recipient_invalid', 'the recipient is not one e-mail address')
  try {
    return { ...(await renderEmail(template, params.variables, await ownerOf(em, tenantId))), to }
  } catch (error) {
    // The machine is busy, and nothing was sent: the attempt is retried.
    if (error instanceof EmailError && error.code !== 'template_busy') return never(error.code, error.message)
    throw error
  }
}

/**
 * Prepares the e-mail (`once.prepare`) for a mailbox of the store. The SMTP password is in it, so it is stored
 * encrypted and never logged. Throws NeverSent: mailbox_missing, mailbox_archived, egress_refused, and those of
 * prepareTemplate.
 */
export async function prepareEmail(
  em: EntityManager,
  tenantId: string,
  params: TemplateParams & { mailbox_id: string },
): Promise<StoreEmail> {
  const mailbox = await readMailbox(em, tenantId, params.mailbox_id)
  const rendered = await prepareTemplate(em, tenantId, params)
  return { ...rendered, ...(await senderOf(mailbox)) }
}

/** The mailbox. Throws NeverSent: mailbox_missing, mailbox_archived. */
export async function readMailbox(em: EntityManager, tenantId: string, id: string): Promise<Mailbox> {
  const mailbox =
    (await em.findOne(Mailbox, { id, tenant_id: tenantId }, own)) ??
    never('mailbox_missing', 'there is no such mailbox')
  if (mailbox.status === 'archived') never('mailbox_archived', 'the mailbox is archived')
  return mailbox
}

/** Its address and account. Throws NeverSent: egress_refused. */
export async function senderOf(mailbox: Mailbox): Promise<Pick<StoreEmail, 'from' | 'reply_to' | 'smtp'>> {
  const { email, name, reply_to, smtp_host: host, smtp_port: port, smtp_security: security } = mailbox
  const smtp = {
    host,
    port,
    security,
    username: mailbox.smtp_username ?? null,
    password: mailbox.smtp_password ?? null,
  }
  try {
    await egress().checkMailHost({ protocol: 'smtp', host, port, plain: security === 'none' })
  } catch (error) {
    // A name that does not resolve now may resolve later: the attempt decides.
    if (error instanceof EgressError && error.code === 'egress_refused') never(error.code, error.message)
  }
  return { from: { address: email, name: name ?? '' }, reply_to: reply_to ?? null, smtp }
}
