// Starts the workflows of the outbox, every 50 ms: a row is leased, committed, started and removed. No lock is held during a call.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { log } from '../adapters/log.ts'
import { engineIsAway, startWorkflow } from '../adapters/temporal.ts'
import { type Orm, unitOf } from '../entities/kit/orm.ts'
import { LEASE_EACH, lease, postpone, putBack, remove } from '../entities/kit/outbox.ts'
import { awakeOnes } from '../entities/webhooks/deliveries.ts'
import { described } from '../entities/worklist.ts'
import { type ProcessKind, processes, processKinds, type QueueName, queueNames } from '../rules/processes.ts'

const batch = 100

async function round(orm: Orm, client: Client, kinds: readonly ProcessKind[]): Promise<number> {
  const rows = await described(unitOf(orm, null), await lease(unitOf(orm, null), kinds, batch, 15))
  const endpoints = rows.flatMap(({ kind, row_id }) => (kind === 'deliver' ? [row_id] : []))
  const awake = new Set(await awakeOnes(unitOf(orm, null), endpoints))
  // The worker of these webhooks reads the committed deliveries without a signal.
  const [needless, asleep] = [rows.filter(({ row_id }) => awake.has(row_id)), rows.filter(({ row_id }) => !awake.has(row_id))]
  const started = needless.map(({ id }) => id)
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
        // Temporal is unreachable: this try does not count.
        if (engineIsAway(error)) {
          for (const { id } of same) await putBack(unitOf(orm, null), id)
          return
        }
        if (row.tries % 5 === 1) log.warn({ kind: row.kind, row_id: row.row_id, tries: row.tries, err: { message } }, 'not started')
        for (const { id, tries } of same) await postpone(unitOf(orm, null), id, tries, message)
      }
    }),
  )
  await remove(unitOf(orm, null), started)
  return rows.length
}

async function relayOf(orm: Orm, client: Client, queue: QueueName, signal: AbortSignal): Promise<void> {
  const kinds = processKinds.filter((kind) => processes[kind].queue === queue)
  while (!signal.aborted) {
    const leased = await round(orm, client, kinds).catch((error: Error) => {
      log.warn({ err: { message: error.message } }, 'relay')
      return null
    })
    // A full lease: there may be more.
    if (leased === null || leased < LEASE_EACH) await pause(leased === null ? 1_000 : 50, undefined, { signal }).catch(() => {})
  }
}

/**
 * Runs until the signal aborts; during an outage of the database or of Temporal it waits. Each queue has a loop of its own, so that ten thousand executions do
 * not delay a refund.
 */
export const relay = (orm: Orm, client: Client, signal: AbortSignal): Promise<unknown> =>
  Promise.all(queueNames.map((queue) => relayOf(orm, client, queue, signal)))
