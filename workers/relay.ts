// Starts the workflows that outbox rows ask for: a row is leased, the lease is committed, the workflow is started, the
// row is removed. No lock is held across a call.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { log } from '../adapters/log.ts'
import { engineIsAway, startWorkflow } from '../adapters/temporal.ts'
import { described } from '../entities/descriptions.ts'
import { type Orm, unitOf } from '../entities/kit/database/orm.ts'
import { LEASE_EACH, lease, postpone, putBack, remove, waitingKinds } from '../entities/kit/outbox.ts'
import { awakeOnes, isDrain } from '../entities/platform/awake.ts'
import { type ProcessKind, processes, processKinds, type QueueName } from '../rules/processes.ts'

const batch = 100

/** An outage of Temporal is logged once in so long: its error may be one that an operator has to mend. */
const outageLogMs = 10_000
let outageLoggedAt = Number.NEGATIVE_INFINITY
function logOutage(message: string): void {
  if (performance.now() - outageLoggedAt < outageLogMs) return
  outageLoggedAt = performance.now()
  log.warn({ err: { message } }, 'Temporal starts no workflow')
}

async function round(orm: Orm, client: Client, kinds: readonly ProcessKind[]): Promise<number> {
  const rows = await described(unitOf(orm, null), await lease(unitOf(orm, null), kinds, batch, 15))
  const awake = new Set<string>()
  for (const [kind, same] of Map.groupBy(rows, ({ kind }) => kind))
    if (isDrain(kind))
      for (const id of await awakeOnes(
        unitOf(orm, null),
        kind,
        same.map(({ row_id }) => row_id),
      ))
        awake.add(id)
  // The workers of these webhooks and mailboxes read the committed rows without a signal.
  const [needless, asleep] = [
    rows.filter(({ row_id }) => awake.has(row_id)),
    rows.filter(({ row_id }) => !awake.has(row_id)),
  ]
  const started = needless.map(({ id }) => id)
  const waiting: string[] = []
  // Many events for one webhook are one signal.
  const alike = Map.groupBy(asleep, ({ kind, row_id }) => `${kind}/${row_id}`)
  await Promise.all(
    [...alike.values()].map(async (same) => {
      const row = same.find(({ again }) => again) ?? (same[0] as (typeof same)[number])
      try {
        await startWorkflow(client, row, true)
        started.push(...same.map(({ id }) => id))
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (engineIsAway(error)) {
          logOutage(message)
          waiting.push(...same.map(({ id }) => id))
          return
        }
        if (row.tries % 5 === 1)
          log.warn({ kind: row.kind, row_id: row.row_id, tries: row.tries, err: { message } }, 'not started')
        for (const { id, tries } of same) await postpone(unitOf(orm, null), id, tries, message)
      }
    }),
  )
  await remove(unitOf(orm, null), started)
  await putBack(unitOf(orm, null), waiting)
  return rows.length
}

/** Until fewer rows than one lease takes are left. */
async function drain(orm: Orm, client: Client, kinds: readonly ProcessKind[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await round(orm, client, kinds)) >= LEASE_EACH);
}

const lookEveryMs = 25

/**
 * Runs until `signal` is aborted; an outage of the database or of Temporal only makes it wait. One small statement
 * looks for the rows of all kinds. Each queue is drained by itself: the starts of one queue do not wait for those of
 * another.
 */
export async function relay(orm: Orm, client: Client, signal: AbortSignal): Promise<void> {
  const draining = new Map<QueueName, Promise<void>>()
  const warn = async (error: Error) => {
    log.warn({ err: { message: error.message } }, 'relay')
    await pause(1_000, undefined, { signal }).catch(() => {})
  }
  while (!signal.aborted) {
    try {
      for (const queue of new Set(
        (await waitingKinds(unitOf(orm, null), processKinds)).map((kind) => processes[kind].queue),
      )) {
        if (draining.has(queue)) continue
        const kinds = processKinds.filter((kind) => processes[kind].queue === queue)
        draining.set(
          queue,
          drain(orm, client, kinds, signal)
            .catch(warn)
            .finally(() => draining.delete(queue)),
        )
      }
      await pause(lookEveryMs, undefined, { signal }).catch(() => {})
    } catch (error) {
      await warn(error as Error)
    }
  }
  await Promise.all(draining.values())
}
