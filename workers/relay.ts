// Starts the workflows that outbox rows ask for: a row is leased, the lease is committed, the workflow is started, the
// row is removed. No lock is held across a call.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { log } from '../adapters/log.ts'
import { engineIsAway, lacksSearchAttributes, reasonOf, startWorkflow } from '../adapters/temporal.ts'
import { described } from '../entities/descriptions.ts'
import { type Orm, unitOf } from '../entities/kit/database/orm.ts'
import { LEASE_EACH, lease, postpone, putBack, remove, waitingKinds } from '../entities/kit/outbox.ts'
import { awakeOnes, isDrain } from '../entities/platform/awake.ts'
import { type ProcessKind, processes, processKinds } from '../rules/processes.ts'
import type { QueueName } from '../rules/queues.ts'

const batch = 100

/** Bounds a start with all retries of the client: a start that hangs must end before the lease of its row. */
const startLimitMs = 5_000
const leaseS = 15
/** A code of gRPC. */
const deadlineExceeded = 4

/** How long a queue waits after a round that started nothing, and failed to start so many workflows or more. */
const awayPauseMs = 1_000
const awayFrom = 3

/** An outage of Temporal is logged once in so long: its error may be one that an operator has to mend. */
const outageLogMs = 10_000
let outageLoggedAt = Number.NEGATIVE_INFINITY

/** When this process last started a workflow. */
let lastStartedAt = Number.NEGATIVE_INFINITY

type Leased = Awaited<ReturnType<typeof lease>>[number]
type Failure = { same: readonly Leased[]; row: Leased; begunAt: number; error: unknown }

async function startInTime(client: Client, row: Leased): Promise<void> {
  const limit = new AbortController()
  try {
    await Promise.race([
      startWorkflow(client, row, true),
      pause(startLimitMs, undefined, { signal: limit.signal }).then(() => {
        throw Object.assign(new Error('No answer in time.'), { code: deadlineExceeded })
      }),
    ])
    lastStartedAt = performance.now()
  } finally {
    limit.abort()
  }
}

/** Waits for Temporal: such a try does not count. `prepare` adds to the namespace what every start needs. */
async function awaitEngine(orm: Orm, failures: readonly Failure[], prepare: () => Promise<void>): Promise<void> {
  const [first] = failures
  if (!first) return
  await putBack(
    unitOf(orm, null),
    failures.flatMap(({ same }) => same.map(({ id }) => id)),
  )
  if (performance.now() - outageLoggedAt < outageLogMs) return
  outageLoggedAt = performance.now()
  const { kind, row_id } = first.row
  log.warn({ kind, row_id, rows: failures.length, err: { message: reasonOf(first.error) } }, 'Temporal starts nothing')
  // Not awaited: no queue waits for it.
  if (failures.some(({ error }) => lacksSearchAttributes(error)))
    void prepare().catch((error: Error) => log.warn({ err: { message: reasonOf(error) } }, 'search attributes'))
}

async function postponeAll(orm: Orm, failures: readonly Failure[]): Promise<void> {
  for (const { same, row, error } of failures) {
    const message = reasonOf(error)
    if (row.tries % 5 === 1)
      log.warn({ kind: row.kind, row_id: row.row_id, tries: row.tries, err: { message } }, 'not started')
    for (const { id, tries } of same) await postpone(unitOf(orm, null), id, tries, message, engineIsAway(error))
  }
}

type Round = { leased: number; started: number; waiting: number }

async function round(
  orm: Orm,
  client: Client,
  kinds: readonly ProcessKind[],
  prepare: () => Promise<void>,
): Promise<Round> {
  const rows = await described(unitOf(orm, null), await lease(unitOf(orm, null), kinds, batch, leaseS))
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
  const failures: Failure[] = []
  // Many events for one webhook are one signal.
  const alike = Map.groupBy(asleep, ({ kind, row_id }) => `${kind}/${row_id}`)
  await Promise.all(
    [...alike.values()].map(async (same) => {
      const row = same.find(({ again }) => again) ?? (same[0] as Leased)
      const begunAt = performance.now()
      try {
        await startInTime(client, row)
        started.push(...same.map(({ id }) => id))
      } catch (error) {
        failures.push({ same, row, begunAt, error })
      }
    }),
  )
  // A failure is of its own row, with any code, if Temporal has started another workflow since.
  const waiting = failures.filter(({ begunAt, error }) => engineIsAway(error) && lastStartedAt < begunAt)
  const ends = await Promise.allSettled([
    remove(unitOf(orm, null), started),
    awaitEngine(orm, waiting, prepare),
    postponeAll(
      orm,
      failures.filter((failure) => !waiting.includes(failure)),
    ),
  ])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return { leased: rows.length, started: started.length, waiting: waiting.length }
}

/** Until fewer rows than one lease takes are left. */
async function drain(
  orm: Orm,
  client: Client,
  kinds: readonly ProcessKind[],
  prepare: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { leased, started, waiting } = await round(orm, client, kinds, prepare)
    if (started === 0 && waiting >= awayFrom) await pause(awayPauseMs, undefined, { signal }).catch(() => {})
    if (leased < LEASE_EACH) return
  }
}

const lookEveryMs = 25

/**
 * Runs until `signal` is aborted; an outage of the database or of Temporal only makes it wait. One small statement
 * looks for the rows of all kinds. Each queue is drained by itself: the starts of one queue do not wait for those of
 * another. `prepare` adds to Temporal's namespace what every start needs.
 */
export async function relay(
  orm: Orm,
  client: Client,
  prepare: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
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
          drain(orm, client, kinds, prepare, signal)
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
