// What the reply to a campaign message means for the message, its mailbox and its next attempt.
import { proved, type Reply, type Stage, textOf } from '../mail/smtp.ts'
import { statusIn } from './bounces.ts'

/** Messages that are written before they can be sent, of a mailbox, and the bytes of their content that a drain keeps in memory. */
export const AHEAD_MAX = 1_000
export const CONTENT_BYTES_MAX = 8 * 1024 * 1024
/** Enrollments of one lease, and how long they are leased. */
export const LEASE_MAX = 200
export const LEASE_S = 60
/** A message that waits for longer is rendered anew before it is sent. Seconds. */
export const FRESH_S = 6 * 3_600
/** A scheduled campaign that could not start within this is paused. Seconds. */
export const MISSED_START_S = 3_600
/** Open connections of one process to the mail servers of all mailboxes. */
export const SESSIONS_MAX = 200
/** From the stamp to the envelope and to the body; then the server's reply may take MAIL_LIMIT_MS. Milliseconds. */
export const ENVELOPE_MS = 5_000
export const BODY_MS = 60_000
/** A mailbox that could not send for so long pauses its campaigns. Seconds. */
export const MAILBOX_DOWN_MAX_S = 86_400

/**
 * `deferred`: not accepted now, and nothing of the body was handed over: the same message later. `retried`: deferred in reply to the final dot: a new message later.
 * `sender_refused`: the server refuses the mailbox's address. `not_sent`: the connection or the server failed before the body.
 */
export type Outcome = 'succeeded' | 'rejected' | 'deferred' | 'retried' | 'unknown' | 'sender_refused' | 'not_sent'

/** RFC 1870, 6.1 and RFC 3463, 3.4: it is the message that is too large. */
function isTooLarge(reply: Reply): boolean {
  const status = statusIn(textOf(reply))
  return status ? /^5\.[23]\.[34]$/.test(status) : reply.code === 552
}

/** RFC 3463, 3.5: 5.4.5 is the sending limit of the account, for any recipient. */
const isLimit = (reply: Reply | undefined): boolean => reply !== undefined && statusIn(textOf(reply)) === '5.4.5'

export function outcomeOf(stage: Stage, reply: Reply | undefined): Outcome {
  switch (proved(stage, reply?.code)) {
    case 'sent':
      return 'succeeded'
    case 'unknown':
      return 'unknown'
    case 'later':
      if (stage === 'dot') return 'retried'
      return reply?.code === 421 ? 'not_sent' : 'deferred'
    case 'rejected':
      // The body of a message is handed over once: in reply to the final dot it is rejected.
      if (stage !== 'dot' && isLimit(reply)) return 'sender_refused'
      return stage === 'mail' && !(reply && isTooLarge(reply)) ? 'sender_refused' : 'rejected'
    default:
      return 'not_sent'
  }
}

/** Milliseconds until a mailbox tries its server again after `failures` in a row: 1 s, doubling, 15 minutes at most. */
export const mailboxPauseMs = (failures: number): number => Math.min(900_000, 1_000 * 2 ** Math.min(20, Math.max(0, failures - 1)))

/** Concurrent sends of a mailbox: repeated failures halve them, each success gives two back. */
export function sendSlotsAfter(slots: number, failedInARow: number, most: number): number {
  if (failedInARow === 0) return Math.min(most, slots + 2)
  return failedInARow % 4 === 0 ? Math.max(1, slots >> 1) : slots
}

/** In lower case, as limits of a domain are counted. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()
