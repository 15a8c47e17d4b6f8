// What the reply to a campaign message means for the message, its mailbox and its next attempt.
import { concernsSender, type RefusalClass, refusalClassOf, statusIn } from '../mail/refusals.ts'
import { proved, type Reply, type Stage, textOf } from '../mail/smtp.ts'

/**
 * Messages that are written before they can be sent, of a mailbox, and the bytes of their content that a drain keeps in
 * memory.
 */
export const AHEAD_MAX = 1_000
export const CONTENT_BYTES_MAX = 8 * 1024 * 1024
/**
 * Seconds of sending that are written ahead where messages per second are limited: the others wait for a mailbox that
 * is free.
 */
export const AHEAD_S = 10
/**
 * Enrollments of one lease, and how long they are leased. A lease whose drain was killed, or whose commit was not
 * acknowledged, delays its recipients for as long. One that ends while its messages are being rendered costs a second
 * rendering: a message is written once for its enrollment and step.
 */
export const LEASE_MAX = 200
export const LEASE_S = 20
/** A message that waits for longer is rendered again before it is sent. Seconds. */
export const FRESH_S = 6 * 3_600
/** A scheduled campaign that could not start within this is paused. Seconds. */
export const MISSED_START_S = 3_600
/** Open connections of one process to the mail servers of all mailboxes. */
export const SESSIONS_MAX = 200
/** From the stamp to the envelope and to the body; then the server's reply may take MAIL_LIMIT_MS. Milliseconds. */
export const ENVELOPE_MS = 5_000
export const BODY_MS = 60_000
/** A message whose server awaits its body later than this after its stamp is looked at once more. */
export const LAST_LOOK_MS = 2_000
/** A mailbox that could not send for so long pauses its campaigns. Seconds. */
export const MAILBOX_DOWN_MAX_S = 86_400

/**
 * `deferred`: not accepted now, and nothing of the body was handed over: the same message later. `retried`: deferred in
 * reply to the final dot: a new message later.
 * `sender_refused`: the server refuses the mailbox's address, or names its sending limit. `refused`: for a reason that
 * concerns the sender, and not this recipient: later, the same message, or a new one if the body was handed over.
 * `withdrawn`: it was no longer wanted when the server awaited the body. `not_sent`: the connection or the server
 * failed before the body.
 */
export type Outcome =
  | 'succeeded'
  | 'rejected'
  | 'deferred'
  | 'retried'
  | 'unknown'
  | 'sender_refused'
  | 'refused'
  | 'withdrawn'
  | 'not_sent'

/**
 * The code of the error of messages that wait since the sender was refused: they are due when an operator resumes their
 * campaign.
 */
export const SENDER_REFUSED = 'sender_refused'

/** What a permanent refusal is about; null for any other reply. */
export function refusalIn(stage: Stage, reply: Reply | undefined): RefusalClass | null {
  if (reply === undefined || reply.code < 500) return null
  const text = textOf(reply)
  return refusalClassOf({ stage, code: reply.code, status: statusIn(text), text })
}

export function outcomeOf(stage: Stage, reply: Reply | undefined): Outcome {
  switch (proved(stage, reply?.code)) {
    case 'sent':
      return 'succeeded'
    case 'unknown':
      return 'unknown'
    case 'later':
      if (stage === 'dot') return 'retried'
      return reply?.code === 421 ? 'not_sent' : 'deferred'
    case 'rejected': {
      const about = refusalIn(stage, reply)
      if (stage === 'mail') return about === 'size' ? 'rejected' : 'sender_refused'
      // The body of a message is handed over once: after the final dot, a new message waits for the limit.
      if (about === 'rate' && stage !== 'dot') return 'sender_refused'
      return about !== null && concernsSender(about) ? 'refused' : 'rejected'
    }
    default:
      return 'not_sent'
  }
}

/** Milliseconds until a mailbox tries its server again after `failures` in a row: 1 s, doubling, 15 minutes at most. */
export const mailboxPauseMs = (failures: number): number =>
  Math.min(900_000, 1_000 * 2 ** Math.min(20, Math.max(0, failures - 1)))

/** Concurrent sends of a mailbox: repeated failures halve them, each success gives two back. */
export function sendSlotsAfter(slots: number, failedInARow: number, most: number): number {
  if (failedInARow === 0) return Math.min(most, slots + 2)
  return failedInARow % 4 === 0 ? Math.max(1, slots >> 1) : slots
}

/** The domain in lower case, as limits of a domain are counted. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()
