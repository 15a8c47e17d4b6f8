// How many messages the limits of a mailbox allow now. What was allowed and not sent is given back.
import { unixNow } from '../../adapters/clock.ts'
import type { Attended } from '../../entities/sending/dispatching.ts'
import { reserve } from '../../entities/sending/sending.ts'
import { transaction } from '../kit/database.ts'

/** `mailbox`: as it was attended to last. */
export function newAllowance(mailbox: () => Attended) {
  let unused = 0
  let isUsedUp = false
  let waitsUntil = 0
  const isLimited = () => mailbox().limits.per_second !== null || mailbox().limits.per_day !== null

  const reserveNow = (wanted: { count: number; unused: number }) =>
    transaction((em) => reserve(em, mailbox(), mailbox().limits, wanted, unixNow()))

  /** How many of `count` may be sent now. What is unused is given back once, even if the answer is lost. */
  async function reserved(count: number): Promise<number> {
    if (!isLimited()) return count
    if (performance.now() < waitsUntil) return 0
    const givenBack = unused
    unused = 0
    const { granted, wait_ms, used_up } = await reserveNow({ count, unused: givenBack })
    if (granted > 0) return granted
    waitsUntil = performance.now() + wait_ms
    isUsedUp ||= used_up
    return 0
  }

  /** Until it is given back, what is unused counts as sent. */
  async function giveBackUnused(): Promise<void> {
    const givenBack = unused
    unused = 0
    if (givenBack > 0) await reserveNow({ count: 0, unused: givenBack })
  }

  return {
    /** The limit of the day is used up. */
    isUsedUp: () => isUsedUp,
    /** Nothing is allowed yet. */
    isWaiting: () => performance.now() < waitsUntil,
    reserved,
    giveBack(count: number): void {
      if (isLimited()) unused += count
    },
    /** Whether one may be sent now. Where the day is used up, its mailbox rests from here on. */
    async isOpen(): Promise<boolean> {
      const granted = await reserved(1)
      if (isLimited()) unused += granted
      await giveBackUnused()
      return granted > 0
    },
    /** Resolves when all that is unused is given back. */
    ended: giveBackUnused,
  }
}
