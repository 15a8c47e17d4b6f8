// A message to one person, sent at most once, and not at all when what it says is no longer good.
import { config } from '../config.ts'
import type { EffectStatus } from '../entities/kit/effects.ts'
import { NeverSent, once } from './once.ts'
import { type Message, sendMessage } from './providers/mail.ts'

/** The message was rendered and frozen when it was asked for: there is nothing left to prepare. */
const prepare = async (): Promise<Message> => {
  throw new NeverSent({ code: 'no_message', message: 'the message is not there' })
}

export const sendMail = (id: string, token: string): Promise<EffectStatus> =>
  once<Message>({ table: 'mails', prepare, send: sendMessage, laterS: config.mailRetryS }, id, token)
