// Every 30 s (RECONCILE_EVERY_MS), rows that are not settled get their workflow started again, or are settled as
// unknown after their deadline.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { effectRows } from '../activities/effects.ts'
import { unixNow } from '../adapters/clock.ts'
import { log } from '../adapters/log.ts'
import { engineIsAway, reasonOf, type StartLike, startWorkflow } from '../adapters/temporal.ts'
import { config } from '../config.ts'
import { described } from '../entities/descriptions.ts'
import { databaseIsAway } from '../entities/kit/database/database-errors.ts'
import { type Orm, unitOf } from '../entities/kit/database/orm.ts'
import { decide, type EffectRow, unfinished } from '../entities/kit/effects.ts'
import type { Late, LateKey, LatePart, LateRow } from '../entities/kit/late-rows.ts'
import type { RowsRun } from '../entities/kit/process.ts'
import { type CountKey, recountSlots, type SlotsEnded } from '../entities/platform/task-slots.ts'
import { processRows, registered } from '../entities/processes.ts'
import { sweep } from '../entities/retention.ts'
import { processOf } from '../rules/processes.ts'

const everyMs = config.reconcileEveryMs
const idleS = Math.max(1, Math.round(everyMs / 1000))
const batch = 200
const startsAtOnce = 500

/** After an outage of the database, workflows first record the verdicts that their failed attempts carry. */
const graceMs = 20_000
let settlesFrom = 0

/** After its deadline an effect is unknown, whether or not Temporal is reachable. */
const settleOverdue = (orm: Orm, row: EffectRow, id: string) =>
  unitOf(orm, null).transactional((em) => decide(em, row, id, null))

const slotsEnded: SlotsEnded = Object.fromEntries(
  registered.flatMap(({ kind, slotEnded }) => (slotEnded ? [[kind, slotEnded]] : [])),
)

/** Frees the slots of work that ended without freeing them. */
export async function recountAllSlots(orm: Orm): Promise<void> {
  let last: CountKey | null = null
  do {
    const after: CountKey | null = last
    last = await unitOf(orm, null).transactional((em) => recountSlots(em, slotsEnded, after, batch))
  } while (last !== null)
}

/** Work of a process on its rows, outside of its workflows. `now` in Unix seconds. */
export const rowsRun = (orm: Orm, now: number): RowsRun => ({
  now,
  statement: (work) => work(unitOf(orm, null)),
  transaction: (work) => unitOf(orm, null).transactional(work),
})

/** A sweep that fails stops no other. */
async function sweepProcesses(orm: Orm): Promise<void> {
  for (const { kind, sweeps = [] } of registered)
    for (const one of sweeps)
      await one(rowsRun(orm, unixNow())).catch((error: Error) =>
        log.warn({ kind, sweep: one.name, err: { message: error.message } }, 'sweep'),
      )
}

/**
 * What waits in its row, and is due within minutes: each batch is a statement. Needs no Temporal: the starts are rows
 * of the outbox.
 */
async function startAhead(orm: Orm, now: number): Promise<void> {
  for (const { startAhead: start } of registered)
    if (start) while ((await start(unitOf(orm, null), startsAtOnce, now)) === startsAtOnce);
}

/**
 * Reads late rows in parts of at most `limit`. Each call reads the next part of the rows of `source`, and after the
 * last part the first one again.
 */
export function newPartReader(limit: number) {
  const places = new Map<unknown, LateKey | null>()
  return async <Row extends LateRow>(source: unknown, find: (part: LatePart) => Promise<Late<Row>>): Promise<Row[]> => {
    const { rows, after } = await find({ idleS, now: unixNow(), limit, after: places.get(source) ?? null })
    places.set(source, after)
    return rows
  }
}

const readNextPart = newPartReader(batch)

/** A row or a look that fails hides no other. Without the database the round ends. */
async function apart(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (databaseIsAway(error)) {
      settlesFrom = Number.POSITIVE_INFINITY
      throw error
    }
    log.warn({ what, err: { message: (error as Error).message } }, 'reconciler')
  }
}

/** Settles what is overdue, and returns the processes that should have moved on. */
export async function lookAround(orm: Orm): Promise<StartLike[]> {
  const lost: StartLike[] = []
  for (const row of effectRows) {
    const kind = processOf(row.name)
    await apart(row.name, async () => {
      const found = await readNextPart(row, (part) => unfinished(unitOf(orm, null), row, part))
      if (settlesFrom === Number.POSITIVE_INFINITY) settlesFrom = performance.now() + graceMs
      for (const { id, process_id, tenant_id, overdue } of found) {
        if (overdue && performance.now() >= settlesFrom)
          await apart(`${row.name} ${id}`, async () => void (await settleOverdue(orm, row, id)))
        if (!processRows[kind].lateCoversEffects) lost.push({ kind, row_id: process_id, tenant_id })
      }
    })
  }
  for (const { kind, late: looks, beforeLook } of registered) {
    if (beforeLook)
      await apart(
        `${kind}, before its rows`,
        async () => void (await beforeLook(unitOf(orm, null), { idleS, limit: batch })),
      )
    for (const late of looks)
      await apart(kind, async () => {
        for (const { id, tenant_id, summary } of await readNextPart(late, (part) => late(unitOf(orm, null), part)))
          lost.push({ kind, row_id: id, tenant_id, ...(summary === undefined ? {} : { summary }) })
      })
  }
  return lost
}

/** So many starts that fail in a row are an outage of Temporal. */
const awayAfter = 3

async function round(orm: Orm, client: Client): Promise<void> {
  const lost = await lookAround(orm)
  // Last, so that an unreachable Temporal does not delay the settling.
  let away = 0
  for (const one of await described(unitOf(orm, null), lost)) {
    try {
      await startWorkflow(client, one)
      away = 0
    } catch (error) {
      // The others are started all the same, unless several fail in a row: then it is not about these workflows.
      log.warn({ kind: one.kind, row_id: one.row_id, err: { message: reasonOf(error) } }, 'not started')
      away = engineIsAway(error) ? away + 1 : 0
      if (away === awayAfter) throw new Error(`Temporal starts nothing: ${reasonOf(error)}`)
    }
  }
}

export async function reconciler(orm: Orm, client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await startAhead(orm, unixNow()).catch((error: Error) =>
      log.warn({ err: { message: error.message } }, 'starts ahead'),
    )
    await round(orm, client).catch((error: Error) => log.warn({ err: { message: error.message } }, 'reconciler'))
    await recountAllSlots(orm).catch((error: Error) => log.warn({ err: { message: error.message } }, 'slots'))
    await sweepProcesses(orm)
    // Last: nothing waits for it. Also while Temporal is unreachable.
    await sweep(unitOf(orm, null), unixNow()).catch((error: Error) =>
      log.warn({ err: { message: error.message } }, 'retention'),
    )
    await pause(everyMs, undefined, { signal }).catch(() => {})
  }
}
