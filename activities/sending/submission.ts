// Composes a message and hands it to its server, once.
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import { partsOf, unpackBytes } from '../../entities/sending/content.ts'
import type { Attended } from '../../entities/sending/dispatch.ts'
import type { Claimed } from '../../entities/sending/sending.ts'
import type { RefusalClass } from '../../rules/mail/refusals.ts'
import type { Reply, Stage } from '../../rules/mail/smtp.ts'
import { headersOf } from '../../rules/sending/headers.ts'
import { BODY_MS, ENVELOPE_MS, LAST_LOOK_MS, type Outcome, outcomeOf, refusalIn } from '../../rules/sending/sending.ts'
import { manageUrl, unsubscribeUrl } from '../../rules/sending/variables.ts'
import { readableError } from '../providers/mail.ts'
import { SmtpError, type SmtpSession } from '../providers/smtp.ts'
import { composeMessage, linked } from './mime.ts'
import type { Ahead } from './preparation.ts'
import type { Preparing } from './preparing.ts'

/** Larger messages are composed in buffers of their own, so that idle sessions keep little. */
const ROOM_MAX = 131_072

/**
 * Claimed, stamped, and on its session. `before`: the time of the stamp, by performance.now(). `thread`: Message-IDs of
 * the steps before.
 */
export type Stamped = {
  ahead: Ahead
  claimed: Claimed
  token: string
  session: SmtpSession
  before: number
  thread: readonly string[]
}

/**
 * What the server replied, and where the session was; `stage` is null where nothing was sent. `about`: of a permanent
 * refusal.
 */
export type Handed = {
  outcome: Outcome
  reply: Reply | undefined
  error: EffectError | null
  stage: Stage | null
  about: RefusalClass | null
}

/** `mailbox`: as it was attended to last. `stillWanted`: whether a message may still be sent, read again. */
export function newHanding(
  mailbox: () => Attended,
  preparing: Pick<Preparing, 'stepOf' | 'tokenOf'>,
  stillWanted: (id: string) => Promise<boolean>,
) {
  const rooms = new WeakMap<SmtpSession, Buffer>()

  /** For the one message of the session at a time: buffers of their own would be most of what is collected. */
  const roomOf = (session: SmtpSession) => (size: number) => {
    if (size > ROOM_MAX) return Buffer.allocUnsafeSlow(size)
    let room = rooms.get(session)
    if (!room || room.length < size) {
      room = Buffer.allocUnsafeSlow(Math.min(ROOM_MAX, 2 * size))
      rooms.set(session, room)
    }
    return room.subarray(0, size)
  }

  function compose({ ahead, claimed, thread, session }: Stamped): Buffer {
    const { id, campaign_id, audience_id, step, address } = ahead
    const { id: mailbox_id, email, name, reply_to, campaigns } = mailbox()
    const campaign = campaigns.find((one) => one.id === campaign_id)
    const token = preparing.tokenOf(ahead.enrollment_id)
    const content = partsOf(ahead.content ?? unpackBytes(claimed.content as Buffer, preparing.stepOf(ahead).dictionary))
    const page = Buffer.from(manageUrl(config.publicUrl, token))
    const headers = headersOf({
      ...{ id, kind: 'step', campaign_id, audience_id, step, mailbox_id, sender: email, thread },
      unsubscribe_url: unsubscribeUrl(config.publicUrl, token),
    })
    return composeMessage(
      {
        html: linked(content.html, page),
        text: linked(content.text, page),
        id,
        from: { address: email, name },
        to: address,
        reply_to: campaign?.reply_to ?? reply_to,
        subject: claimed.subject ?? '',
        headers,
      },
      new Date(),
      roomOf(session),
    )
  }

  /** Never throws: an error that is none of SMTP came before anything was sent. */
  return async function hand(stamped: Stamped): Promise<Handed> {
    const { ahead, before, session } = stamped
    let isWithdrawn = false
    const looked = async () => {
      const wanted = await stillWanted(ahead.id)
      isWithdrawn = !wanted
      return wanted
    }
    // Most servers are quicker: they cost no statement.
    const isWanted = () => (performance.now() - before < LAST_LOOK_MS ? true : looked())
    try {
      const times = { firstByteBy: before + ENVELOPE_MS, bodyBy: before + BODY_MS, endBy: before + config.mailLimitMs }
      const reply = await session.deliver({ from: mailbox().email, to: ahead.address }, compose(stamped), times, {
        envid: ahead.id,
        isDotted: true,
        isWanted,
      })
      return { outcome: 'succeeded', reply, error: null, stage: 'dot', about: null }
    } catch (error) {
      if (isWithdrawn) return { outcome: 'withdrawn', reply: undefined, error: null, stage: 'data', about: null }
      const why = readableError(error, mailbox().smtp)
      // It could not be composed: nothing was sent.
      if (!(error instanceof SmtpError))
        return { outcome: 'deferred', reply: undefined, error: why, stage: null, about: null }
      const { stage, reply } = error
      return { outcome: outcomeOf(stage, reply), reply, error: why, stage, about: refusalIn(stage, reply) }
    }
  }
}
