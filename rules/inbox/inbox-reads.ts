// How long an inbox is read, and when again: one whose server is slow has less time, and longer pauses.

/** Seconds between two reads: of a mailbox that awaits mail, and of the others and those that could not sign in. */
export const INBOX_BUSY_S = 60
export const INBOX_IDLE_S = 900

const readMs = 60_000
/** The time for a server that was slow before, or while other inboxes wait. */
const shortMs = 15_000
/** A read that takes longer, and brings less than a message a second, is slow. */
const slowMs = 10_000
const slowMax = 10

/** Milliseconds for a read. `slow`: slow reads in a row before it. */
export const readLimitMs = (slow: number, othersWait: boolean): number => (slow > 0 || othersWait ? shortMs : readMs)

/** Slow reads in a row, with one that took so long and brought so many messages. */
export const slowReads = (before: number, ms: number, messages: number): number =>
  ms > slowMs && messages * 1_000 < ms ? Math.min(slowMax, before + 1) : 0

/**
 * Milliseconds until the next read: doubled for each slow read in a row, up to the longest pause, twice which the
 * reconciler takes a workflow for lost. `left`: the inbox has more.
 */
export function pauseMs(awaitsMail: boolean, slow: number, left = false): number {
  if (left && slow === 0) return 0
  return Math.min(INBOX_IDLE_S, (awaitsMail ? INBOX_BUSY_S : INBOX_IDLE_S) * 2 ** slow) * 1_000
}
