// How many messages the limits of a mailbox allow now. What was allowed and not sent is given back.
import { unixNow } from '../../adapters/clock.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import type { Attended } from '../../entities/sending/dispatch.ts'
import { reserve } from '../../entities/sending/sending.ts'
import { transaction } from '../kit/database.ts'

/** `mailbox`: as it was attended to last. */
export function newAllowance(mailbox: () => Attended) {
  let unused = 0
  let isUsedUp = false
  let waitsUntil = 0
  const isLimited = () => mailbox().limits.per_second !== null || mailbox().limits.per_day !== null

  /** Takes what is unused: it is given back once, even if the answer is lost. */
  const takeUnused = (): number => {
    const taken = unused
    unused = 0
    return taken
  }
  const reserveOf = (em: EntityManager, wanted: { count: number; unused: number }, now: number) =>
    reserve(em, mailbox(), mailbox().limits, wanted, now)

  function noteWait({ granted, wait_ms, used_up }: Awaited<ReturnType<typeof reserve>>): void {
    if (granted > 0) return
    waitsUntil = performance.now() + wait_ms
    isUsedUp ||= used_up
  }
  const isWaiting = () => performance.now() < waitsUntil

  return {
    /** The limit of the day is used up. */
    isUsedUp: () => isUsedUp,
    /** Nothing is allowed yet. */
    isWaiting,
    /** How many of `count` may be sent now. */
    async reserved(count: number): Promise<number> {
      if (!isLimited()) return count
      if (isWaiting()) return 0
      const wanted = { count, unused: takeUnused() }
      const answer = await transaction((em) => reserveOf(em, wanted, unixNow()))
      noteWait(answer)
      return answer.granted
    },
    giveBack(count: number): void {
      if (isLimited()) unused += count
    },
    /**
     * Whether one may be sent now. What is unused is given back, as it counts as sent until then. Where the day is used
     * up, its mailbox rests from here on.
     */
    async isOpen(): Promise<boolean> {
      if (!isLimited()) return true
      if (isWaiting()) return false
      const wanted = { count: 1, unused: takeUnused() }
      const answer = await transaction(async (em) => {
        const now = unixNow()
        const taken = await reserveOf(em, wanted, now)
        if (taken.granted > 0) await reserveOf(em, { count: 0, unused: taken.granted }, now)
        return taken
      })
      noteWait(answer)
      return answer.granted > 0
    },
    /** Resolves when all that is unused is given back. */
    async ended(): Promise<void> {
      const wanted = { count: 0, unused: takeUnused() }
      if (wanted.unused > 0) await transaction((em) => reserveOf(em, wanted, unixNow()))
    },
  }
}
