// E-mail to one recipient, sent at most once, and not at all after its `not_after`: the installation's own, or one of a
// store's template through a mailbox of the store.
import { config } from '../../config.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { Mail, mailEffect } from '../../entities/mail/mail.ts'
import { type TemplateMail, unslotted } from '../../entities/mail/mails.ts'
import { CONFIRM_DAYS, confirmUrl } from '../../rules/audiences/memberships.ts'
import { confirmationMail } from '../../rules/mail/confirmation-mail.ts'
import { storeNameInMail } from '../../rules/stores/store-name.ts'
import { prepareEmail } from '../automation/send-email.ts'
import { database } from '../kit/database.ts'
import { NeverSent, once } from '../kit/once.ts'
import { slotted } from '../kit/slotted.ts'
import { type EmailMessage, type StoreEmail, sendPlatformEmail, sendStoreEmail } from '../providers/mail.ts'

/**
 * A confirmation of version 0.2.0 that no mailbox of the store sends: our sender sends our texts and links
 * alone, and the template and its link are not used.
 */
function confirmationOf({ to, variables }: TemplateMail): EmailMessage {
  const { confirmation_url, store } = variables as { confirmation_url: string; store: { key: string; name: string } }
  const link = confirmUrl(config.publicUrl, new URL(confirmation_url).searchParams.get('token') ?? '')
  return {
    to,
    ...confirmationMail({
      store: storeNameInMail({ key: store.key, settings: { name: store.name } }),
      link,
      days: CONFIRM_DAYS,
    }),
  }
}

/** Other messages are rendered and frozen by the request that writes the row. */
async function prepare(id: string): Promise<EmailMessage | StoreEmail> {
  const em = unitOf(await database(), null)
  const { tenant_id, template_id, mailbox_id, variables } = await em.findOneOrFail(Mail, { id }, anyTenant)
  if (!tenant_id || !template_id || !variables)
    throw new NeverSent({ code: 'no_message', message: 'the message is not there' })
  const mail = JSON.parse(variables) as TemplateMail
  return mailbox_id ? prepareEmail(em, tenant_id, { ...mail, template_id, mailbox_id }) : confirmationOf(mail)
}

const sender = once({
  row: mailEffect,
  prepare,
  async send(message, sending) {
    if (!('smtp' in message)) return sendPlatformEmail(message, sending)
    return (await sendStoreEmail(message, sending)).verdict
  },
  laterS: () => config.mailRetryS,
})

/**
 * A mail through a mailbox of a store is sent while it holds a slot of its store, which it freed if the server deferred
 * it. Throws as `once` does.
 */
export const sendEmail = slotted(sender, unslotted)
