// Work that waits for a slot of its queue gets one, in turns by tenant, as soon as slots are given back (entities/task-slots.ts).
import { setTimeout as pause } from 'node:timers/promises'
import { log } from '../api/kit/log.ts'
import { type Orm, unitOf } from '../entities/orm.ts'
import { grantSlots, queuesWithWaiting } from '../entities/task-slots.ts'

const everyMs = 100

/** Runs until it is stopped. What is granted and the signals that say so are one commit, so that none is lost; an idle round is one small statement. */
export async function turns(orm: Orm, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const queue of await queuesWithWaiting(unitOf(orm, null))) await unitOf(orm, null).transactional((em) => grantSlots(em, queue))
      await pause(everyMs, undefined, { signal }).catch(() => {})
    } catch (error) {
      log.warn({ err: { message: (error as Error).message } }, 'turns')
      await pause(1_000, undefined, { signal }).catch(() => {})
    }
  }
}
