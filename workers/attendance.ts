// This worker says every five seconds that it is there and how many slots it has: a tenant's share is counted over all workers (rules/shares.ts).
import { setTimeout as pause } from 'node:timers/promises'
import { workerId } from '../activities/worker-id.ts'
import { log } from '../api/kit/log.ts'
import { type Orm, unitOf } from '../entities/orm.ts'
import { beat, leave } from '../entities/task-slots.ts'
import type { QueueName } from '../rules/processes.ts'

const everyMs = 5_000

/** Resolves when the worker counts; what it resolves to ends when the worker no longer does. */
export async function startAttendance(orm: Orm, slots: Partial<Record<QueueName, number>>, signal: AbortSignal): Promise<{ ended: Promise<void> }> {
  const said = () => beat(unitOf(orm, null), workerId, slots).catch((error: Error) => log.warn({ err: { message: error.message } }, 'attendance'))
  await said()
  const attend = async () => {
    while (!signal.aborted) {
      await pause(everyMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) await said()
    }
    await leave(unitOf(orm, null), workerId).catch(() => {})
  }
  return { ended: attend() }
}
