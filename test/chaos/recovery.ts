// The time from the kill of a process until its work is finished.
import type { Connection } from '@temporalio/client'
import type { Pool } from 'pg'
import { effectRows } from '../../activities/effects.ts'
import { processOf, workflowId } from '../../rules/processes.ts'
import type { EffectRow } from './history.ts'
import { tenantTables } from './settling.ts'
import type { Fault } from './timeline.ts'

/** What a process held when it was killed, at `at`. */
export type Held = { name: string; at: number; ids: string[] }
/** `alone`: no other fault between the kill and the end. */
export type Recovered = { what: string; ms: number; alone: boolean }

type Open = { id: string; table: string; process_id: string; status: string; queued: boolean }
const rowOf = (table: string) => effectRows.find((row) => row.table === table) as (typeof effectRows)[number]

/**
 * Rows that are not final at this moment; a paused database has no answer. `queued`: written by a worker, in the order
 * in which they are sent.
 */
async function open(db: Pool): Promise<Open[]> {
  const queued = (table: string) => (table === 'campaign_messages' ? `e.kind = 'step'` : 'false')
  const one = (
    table: string,
  ) => `select '${table}' as table, id, status, (${rowOf(table).processId.sql})::text as process_id, ${queued(table)} as queued from ${table} e
    where status in ('requested', 'processing') and answered_at is null`
  return (await db.query<Open>({ text: tenantTables.map(one).join(' union all '), query_timeout: 3_000 } as never)).rows
}

/** The process that Temporal gave each of these to. */
async function holderOf(engine: Connection, { table, process_id }: Open): Promise<string[]> {
  const workflow = { workflowId: workflowId(processOf(rowOf(table).name), process_id) }
  const about = await engine.withDeadline(Date.now() + 3_000, () =>
    engine.workflowService.describeWorkflowExecution({ namespace: 'default', execution: workflow }),
  )
  return (about.pendingActivities ?? []).flatMap(({ lastWorkerIdentity }) =>
    lastWorkerIdentity ? [lastWorkerIdentity] : [],
  )
}

/**
 * A worker holds what Temporal gave it; an API process what it had written and not started. If neither is known, work
 * that had begun counts as held.
 */
export async function heldBy(db: Pool, engine: Connection, name: string, pid: number, at: number): Promise<Held> {
  const rows = await open(db).catch(() => [])
  if (name.startsWith('api'))
    return { name, at, ids: rows.filter(({ status, queued }) => status === 'requested' && !queued).map(({ id }) => id) }
  const begun = rows.filter(({ status }) => status === 'processing')
  const holders = await Promise.all(begun.map((row) => holderOf(engine, row).catch(() => [`${pid}@`])))
  return {
    name,
    at,
    ids: begun.filter((_, n) => holders[n]?.some((identity) => identity.startsWith(`${pid}@`))).map(({ id }) => id),
  }
}

export function recoveries(
  held: readonly Held[],
  effects: readonly EffectRow[],
  faults: readonly Fault[],
): Recovered[] {
  const rows = new Map(effects.map((row) => [row.id, row]))
  return held.flatMap(({ name, at, ids }) =>
    ids.flatMap((id) => {
      const row = rows.get(id)
      const end = row?.settled_at
      if (!row || end === undefined || end === null) return []
      // The kill itself, and an oracle's fault in another attempt, do not count as other faults.
      const others = faults.filter(
        (fault) => fault.from <= end && (fault.back ?? fault.to) >= at && (fault.key === undefined || fault.key === id),
      )
      const alone = others.every((fault) => fault.victim === name && fault.from === at)
      return [{ what: `${row.table} ${id} (${row.status}) after ${name}`, ms: Math.max(0, end - at), alone }]
    }),
  )
}

/** The smallest value that is not below this share of all; null where there is none. */
export function quantile(values: readonly number[], part: number): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null
}
