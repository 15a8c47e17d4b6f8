// What the mail server of a mailbox made of the messages of one drain: how many are sent at once, and when the drain
// stops.
import { SENDER_REFUSALS_MAX } from './breakers.ts'
import { type Outcome, sendSlotsAfter } from './sending.ts'

export type ServerHealth = {
  /** Messages that are sent at once. */
  slots: number
  /** Messages in a row that the server neither accepted nor refused for good. */
  failuresInARow: number
  /** The server accepted or refused a message for good. */
  hasAnswered: boolean
  /** Refusals of the mailbox's address in a row. */
  senderRefusals: number
}

/** At the beginning of a drain. `senderRefusals`: those that ended the drains before. */
export const newHealth = (connections: number, senderRefusals: number): ServerHealth => ({
  slots: connections,
  failuresInARow: 0,
  hasAnswered: false,
  senderRefusals,
})

/** The server did its work on the message: it accepted it, or refused it for good. */
export const isAnswer = (outcome: Outcome): boolean =>
  outcome === 'succeeded' || outcome === 'rejected' || outcome === 'refused'

function refusalsAfter(refusals: number, outcome: Outcome): number {
  if (outcome === 'sender_refused') return refusals + 1
  return outcome === 'succeeded' || outcome === 'rejected' ? 0 : refusals
}

/** After one message. `connections`: the most that the mailbox may have. */
export function healthAfter(health: ServerHealth, outcome: Outcome, connections: number): ServerHealth {
  const failuresInARow =
    outcome === 'withdrawn' ? health.failuresInARow : isAnswer(outcome) ? 0 : health.failuresInARow + 1
  return {
    slots: sendSlotsAfter(health.slots, failuresInARow, connections),
    failuresInARow,
    hasAnswered: health.hasAnswered || isAnswer(outcome),
    senderRefusals: refusalsAfter(health.senderRefusals, outcome),
  }
}

/**
 * Whether the drain stops after this message: the server refuses the mailbox's address, or every session breaks before
 * a message is accepted.
 */
export function stopsAfter(health: ServerHealth, outcome: Outcome, connections: number): boolean {
  if (outcome === 'sender_refused') return health.senderRefusals >= SENDER_REFUSALS_MAX
  return outcome === 'not_sent' && health.failuresInARow >= Math.max(10, 2 * connections)
}
