// Records every five seconds that this worker is alive and how many slots it has: a store's share is counted over all
// live workers (rules/shares.ts).
import { setTimeout as pause } from 'node:timers/promises'
import { workerId } from '../activities/kit/worker-id.ts'
import { log } from '../adapters/log.ts'
import { type Orm, unitOf } from '../entities/kit/database/orm.ts'
import { recordHeartbeat, removeWorker } from '../entities/platform/task-slots.ts'
import type { SlotPool } from '../rules/queues.ts'

const everyMs = 5_000

/** Resolves after the first heartbeat; `ended` resolves when the worker is removed after the abort. */
export async function startHeartbeat(
  orm: Orm,
  slots: Partial<Record<SlotPool, number>>,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  const record = () =>
    recordHeartbeat(unitOf(orm, null), workerId, slots).catch((error: Error) =>
      log.warn({ err: { message: error.message } }, 'heartbeat'),
    )
  await record()
  const repeat = async () => {
    while (!signal.aborted) {
      await pause(everyMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) await record()
    }
    await removeWorker(unitOf(orm, null), workerId).catch(() => {})
  }
  return { ended: repeat() }
}
