// When a worker starts, it repairs the Temporal schedules that are missing, differ from their row, or have none.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { log } from '../adapters/log.ts'
import { startWorkflow } from '../adapters/temporal.ts'
import { type Planned, plannedAfter } from '../entities/automation/schedules.ts'
import { type Orm, unitOf } from '../entities/kit/database/orm.ts'
import { scheduleId } from '../rules/processes.ts'

const batch = 1_000
const prefix = scheduleId('')

async function allPlanned(orm: Orm): Promise<Planned[]> {
  const all: Planned[] = []
  for (;;) {
    const page = await plannedAfter(unitOf(orm, null), all.at(-1)?.id ?? null, batch)
    all.push(...page)
    if (page.length < batch) return all
  }
}

/** Returns how many were repaired. */
async function repair(orm: Orm, client: Client): Promise<number> {
  const there = new Map<string, { note: string | undefined; paused: boolean }>()
  for await (const { scheduleId: id, state } of client.schedule.list({ pageSize: batch }))
    if (id.startsWith(prefix)) there.set(id.slice(prefix.length), { note: state.note, paused: state.paused })
  const planned = await allPlanned(orm)
  const wrong = planned.filter(({ id, schedule, active }) => {
    const found = there.get(id)
    return !found || found.note !== schedule || found.paused === active
  })
  for (const { id } of planned) there.delete(id)
  const orphans = [...there.keys()].map((id) => ({ id, tenant_id: null }))
  for (const { id, tenant_id } of [...wrong, ...orphans])
    await startWorkflow(client, { kind: 'schedule', row_id: id, tenant_id })
  return wrong.length + orphans.length
}

/** Once, as soon as the database and Temporal are reachable. */
export async function schedules(orm: Orm, client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const repaired = await repair(orm, client)
      if (repaired > 0) log.info({ repaired }, 'schedules repaired')
      return
    } catch (error) {
      log.warn({ err: { message: (error as Error).message } }, 'schedules not repaired; trying again')
      await pause(1_000, undefined, { signal }).catch(() => {})
    }
  }
}
