// The installation's own e-mail to one recipient, sent at most once, and not at all after its `not_after`.
import { config } from '../config.ts'
import { mailEffect } from '../entities/mail/mail.ts'
import { NeverSent, once } from './once.ts'
import { type EmailMessage, sendPlatformEmail } from './providers/mail.ts'

/** The message is rendered and frozen by the request that writes the row: nothing is left to prepare. */
const prepare = async (): Promise<EmailMessage> => {
  throw new NeverSent({ code: 'no_message', message: 'the message is not there' })
}

export const sendEmail = once({ row: mailEffect, prepare, send: sendPlatformEmail, laterS: () => config.mailRetryS })
