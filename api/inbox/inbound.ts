// The address that the mail of a mailbox is posted to: replies, bounces and complaints of campaigns are stored and
// applied.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { log } from '../../adapters/log.ts'
import { MailUnreadable, ParserBusy, parseMail } from '../../adapters/mail-parser.ts'
import { config } from '../../config.ts'
import { mailboxOfSecret, type Received, receiveMail } from '../../entities/inbox/inbound.ts'
import type { InboundBox } from '../../entities/inbox/inbound-box.ts'
import { invalid, notFound } from '../../rules/refusal.ts'
import { digest } from '../kit/caller.ts'
import { throttle, tooMany } from '../limits/rate.ts'
import { message } from './message.ts'

const InboundMailOut = z
  .object({
    received: z.literal(true).describe('The mail was read. It is stored only if it is about a message of a campaign.'),
  })
  .meta({ id: 'InboundMailReceived', description: 'The answer to every mail, whether or not it is about a campaign.' })

/** Null: nothing can be read of it, and a mail server that repeats it would change nothing. */
async function read(bytes: Buffer, { id, tenant_id, account_id }: InboundBox): Promise<Received | null> {
  if (bytes.length === 0) throw invalid('', 'required', 'Send the mail as the body.')
  try {
    return {
      mail: await parseMail(bytes, { account: account_id, tenant: tenant_id }),
      digest: createHash('sha256').update(bytes).digest('hex'),
    }
  } catch (error) {
    if (error instanceof ParserBusy) throw tooMany(5)
    if (!(error instanceof MailUnreadable)) throw error
    log.warn({ mailbox: id, tenant: tenant_id, err: { message: error.message } }, 'an inbound mail was skipped')
    return null
  }
}

export const inboundMail = [
  message('POST /v1/mail/{secret}', {
    operation: 'receiveMail',
    textParameters: ['secret'],
    refuses: ['unsupported_media_type', 'too_many_requests', 'required'],
    summary: 'Receive a mail of a mailbox',
    description:
      'The body is the mail as it came, `message/rfc822` of at most 10 MiB. A reply, an automatic reply, a bounce or a complaint that names a message which a campaign of ' +
      'the {store} sent, over this mailbox or another, is stored and applied once, however often it is posted; other mail is not stored. The answer is the same for every mail. 404 if no mailbox has the secret, or ' +
      'if it was rotated. 429 `too_many_requests` beyond 50 calls per second, or while mail of the {store} waits to be read: post it again.',
    out: InboundMailOut,
    type: 'message/rfc822',
    bytes_max: 10 * 1024 * 1024,
    async admit({ em, path }) {
      // Only the digest of the secret is used from here on: neither statements nor rate limits hold the secret.
      const secret = /^[\w-]{40,60}$/.test(path.secret) ? digest(path.secret) : null
      if (secret) throttle(`mail ${secret}`, config.rate.triggerPerS)
      const box = secret && (await mailboxOfSecret(em, secret))
      if (!box) throw notFound('mailbox')
      return box
    },
    read,
    async run({ em, now, admitted, message: received }) {
      if (received) await receiveMail(em, admitted, received, now)
      return { received: true as const }
    },
  }),
]
