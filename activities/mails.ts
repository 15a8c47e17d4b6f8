// E-mail to one recipient, sent at most once, and not at all after its `not_after`: the installation's own, or one of a store's template.
import { config } from '../config.ts'
import { anyTenant, unitOf } from '../entities/kit/orm.ts'
import { Mail, mailEffect } from '../entities/mail/mail.ts'
import { type TemplateMail, unslotted } from '../entities/mail/mails.ts'
import { freeSlot } from '../entities/platform/task-slots.ts'
import { database, transaction } from './database.ts'
import { NeverSent, once } from './once.ts'
import { type EmailMessage, type StoreEmail, sendPlatformEmail, sendStoreEmail } from './providers/mail.ts'
import { prepareEmail, prepareTemplate } from './send-email.ts'
import { slotted } from './slotted.ts'

/** Other messages are rendered and frozen by the request that writes the row. */
async function prepare(id: string): Promise<EmailMessage | StoreEmail> {
  const em = unitOf(await database(), null)
  const { tenant_id, template_id, mailbox_id, variables } = await em.findOneOrFail(Mail, { id }, anyTenant)
  if (!tenant_id || !template_id || !variables) throw new NeverSent({ code: 'no_message', message: 'the message is not there' })
  const params = { ...(JSON.parse(variables) as TemplateMail), template_id }
  return mailbox_id ? prepareEmail(em, tenant_id, { ...params, mailbox_id }) : prepareTemplate(em, tenant_id, params)
}

const sender = once({
  row: mailEffect,
  prepare,
  async send(message, sending) {
    if (!('smtp' in message)) return sendPlatformEmail(message, sending)
    const { verdict } = await sendStoreEmail(message, sending)
    // The server has answered: while the mail waits for its next attempt, minutes later, others of the store are sent.
    if (verdict.kind === 'not_sent' && verdict.later) await transaction((em) => freeSlot(em, sending.id))
    return verdict
  },
  laterS: () => config.mailRetryS,
})

/** A mail through a mailbox of a store is sent while it holds a slot of its store, which it freed if the server deferred it. Throws as `once` does. */
export const sendEmail = slotted(sender, unslotted)
