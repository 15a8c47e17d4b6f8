// Grants free slots of task queues to work that waits for one, store by store (entities/platform/task-slots.ts).
import { setTimeout as pause } from 'node:timers/promises'
import { log } from '../adapters/log.ts'
import { type Orm, unitOf } from '../entities/kit/database/orm.ts'
import { grantSlots, queuesWithWaitingWork } from '../entities/platform/task-slots.ts'

const everyMs = 100

/**
 * Runs until it is stopped. A grant and the signal of the process that it is for are one commit. An idle round is one
 * small statement.
 */
export async function slotGranting(orm: Orm, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const queue of await queuesWithWaitingWork(unitOf(orm, null)))
        await unitOf(orm, null).transactional((em) => grantSlots(em, queue))
      await pause(everyMs, undefined, { signal }).catch(() => {})
    } catch (error) {
      log.warn({ err: { message: (error as Error).message } }, 'slot granting')
      await pause(1_000, undefined, { signal }).catch(() => {})
    }
  }
}
