// Every 30 s (RECONCILE_EVERY_MS), rows that are not settled get their workflow started again, or are settled as unknown after their deadline.

import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { effectRows } from '../activities/effects.ts'
import { unixNow } from '../adapters/clock.ts'
import { log } from '../adapters/log.ts'
import { engineIsAway, type StartLike, startWorkflow } from '../adapters/temporal.ts'
import { config } from '../config.ts'
import { lateChannels } from '../entities/agents/channels.ts'
import { overdueTurns } from '../entities/agents/model-turns.ts'
import { endOverdue, type OverdueCursor, readLapsed, undoUnconfirmed } from '../entities/audiences/sweep.ts'
import { overdueExecutions, postponeWaiting } from '../entities/automation/executions.ts'
import { completeIdleCampaigns } from '../entities/campaigns/completing.ts'
import { lateMailboxes } from '../entities/campaigns/dispatching.ts'
import { lateImports } from '../entities/campaigns/imports.ts'
import { lateInboxes, unreadInboxes } from '../entities/campaigns/inbox.ts'
import { lateMedia } from '../entities/content/media-rows.ts'
import { databaseIsAway } from '../entities/kit/database-errors.ts'
import { decide, type EffectRow, unfinished } from '../entities/kit/effects.ts'
import { type Late, type LateKey, type LatePart, type LateRow, type LateRows, rotating } from '../entities/kit/late-rows.ts'
import { type Orm, unitOf } from '../entities/kit/orm.ts'
import { lateWalks } from '../entities/networks/listing-walks.ts'
import { lateCheckouts, startDecisions } from '../entities/orders/checkout-steps.ts'
import { miscountedPayments } from '../entities/orders/refund-amounts.ts'
import { recountPayment } from '../entities/orders/refunds.ts'
import { lateReminders, startReminders } from '../entities/orders/reminders.ts'
import { lateScripts } from '../entities/platform/script-runs.ts'
import { type CountKey, recountSlots } from '../entities/platform/task-slots.ts'
import { sweep } from '../entities/retention.ts'
import { lateAuthorizations } from '../entities/social/authorizations.ts'
import { lateConnections } from '../entities/social/connections.ts'
import { latePublications, startPublications } from '../entities/social/publications.ts'
import { lateSyncs } from '../entities/social/syncing.ts'
import { lateErasures } from '../entities/stores/erasures.ts'
import { endArchived } from '../entities/subscriptions/archiving.ts'
import { repeatCancellations, repeatCards } from '../entities/subscriptions/changes.ts'
import { lateMemberships } from '../entities/subscriptions/membership-steps.ts'
import { lateEndpoints } from '../entities/webhooks/deliveries.ts'
import { described } from '../entities/worklist.ts'
import { type HostProcess, processOf } from '../rules/processes.ts'

const everyMs = config.reconcileEveryMs
const idleS = Math.max(1, Math.round(everyMs / 1000))
const batch = 200
const membersAtOnce = 500
const startsAtOnce = 500

/** After an outage of the database, workflows first record the verdicts that their failed attempts carry. */
const graceMs = 20_000
let settlesFrom = 0

/** After its deadline an effect is unknown, whether or not Temporal is reachable. */
const settleOverdue = (orm: Orm, row: EffectRow, id: string) => unitOf(orm, null).transactional((em) => decide(em, row, id, null))

/** Frees the slots of work that ended without freeing them. */
export async function recountAllSlots(orm: Orm): Promise<void> {
  let last: CountKey | null = null
  do {
    const after: CountKey | null = last
    last = await unitOf(orm, null).transactional((em) => recountSlots(em, after, batch))
  } while (last !== null)
}

/** Payments that a process of an earlier version wrote by other rules. */
async function recountPayments(orm: Orm, now: number): Promise<void> {
  for (const payment of await miscountedPayments(unitOf(orm, null), batch)) await unitOf(orm, null).transactional((at) => recountPayment(at, payment, now))
}

/** Subscriptions of archived audiences, each batch in a transaction of its own, and cancellations and cards that did not reach the provider. */
async function endSubscriptions(orm: Orm, now: number): Promise<void> {
  while (await unitOf(orm, null).transactional((em) => endArchived(em, membersAtOnce, now)));
  await repeatCancellations(unitOf(orm, null), batch, now)
  await repeatCards(unitOf(orm, null), batch, now)
}

/** Memberships whose time is over: many may end at the same second, so a round goes on until none is left, each batch in a transaction of its own. */
export async function endMemberships(orm: Orm, now: number): Promise<void> {
  let after: OverdueCursor | null = null
  do {
    const from: OverdueCursor | null = after
    after = await unitOf(orm, null).transactional((em) => endOverdue(em, membersAtOnce, from, now))
  } while (after !== null)
  await unitOf(orm, null).transactional((em) => readLapsed(em, membersAtOnce, now))
  while ((await unitOf(orm, null).transactional((em) => undoUnconfirmed(em, membersAtOnce, now))) === membersAtOnce);
}

/** What waits in its row, and is due within minutes: each batch in a transaction of its own. Needs no Temporal: the starts are rows of the outbox. */
async function startAhead(orm: Orm, now: number): Promise<void> {
  for (const start of [startReminders, startDecisions]) while ((await start(unitOf(orm, null), startsAtOnce, now)) === startsAtOnce);
  while ((await startPublications(unitOf(orm, null), startsAtOnce, now, config.social.aheadS)) === startsAtOnce);
}

/** The rows of each process that is not one effect; those of effects are found by `unfinished`. A kind that is missing is an error of types. */
export const lateRowsOf: Readonly<Record<HostProcess | 'social_connect', readonly LateRows[]>> = {
  checkout: lateCheckouts,
  membership: lateMemberships,
  model_turn: [rotating((em, { idleS, now, limit }) => overdueTurns(em, idleS, now, limit))],
  channel: [lateChannels],
  booking_reminder: [lateReminders],
  execution: [rotating((em, { idleS, limit }) => overdueExecutions(em, idleS, limit))],
  deliver: [lateEndpoints],
  inbox: [lateInboxes, unreadInboxes],
  dispatch: [lateMailboxes],
  script: [lateScripts],
  erasure: [lateErasures],
  listings: [lateWalks],
  enrollment_import: [lateImports],
  media: [lateMedia],
  social_connect: [lateAuthorizations],
  social_connection: [lateConnections],
  publication: [latePublications],
  social_sync: [lateSyncs],
  // Found by its effects alone.
  portal: [],
  // Kept by Temporal.
  schedule: [],
  scheduled: [],
}

/** Looks at the rows in parts of `limit`: a look goes on where the one before it ended. */
export function newLooks(limit: number) {
  const places = new Map<unknown, LateKey | null>()
  return async <Row extends LateRow>(what: unknown, find: (part: LatePart) => Promise<Late<Row>>): Promise<Row[]> => {
    const { rows, after } = await find({ idleS, now: unixNow(), limit, after: places.get(what) ?? null })
    places.set(what, after)
    return rows
  }
}

const look = newLooks(batch)

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
      const found = await look(row, (part) => unfinished(unitOf(orm, null), row, part))
      if (settlesFrom === Number.POSITIVE_INFINITY) settlesFrom = performance.now() + graceMs
      for (const { id, process_id, tenant_id, overdue } of found) {
        if (overdue && performance.now() >= settlesFrom) await apart(`${row.name} ${id}`, async () => void (await settleOverdue(orm, row, id)))
        // Executions are started below, each once for all of its runs.
        if (kind !== 'execution') lost.push({ kind, row_id: process_id, tenant_id })
      }
    })
  }
  await apart('executions that wait', async () => void (await postponeWaiting(unitOf(orm, null), 10 * batch)))
  await apart('idle campaigns', async () => void (await completeIdleCampaigns(unitOf(orm, null), idleS)))
  for (const [kind, all] of Object.entries(lateRowsOf) as [keyof typeof lateRowsOf, readonly LateRows[]][])
    for (const late of all)
      await apart(kind, async () => {
        for (const { id, tenant_id, summary } of await look(late, (part) => late(unitOf(orm, null), part)))
          lost.push({ kind, row_id: id, tenant_id, ...(summary === undefined ? {} : { summary }) })
      })
  return lost
}

async function round(orm: Orm, client: Client): Promise<void> {
  const lost = await lookAround(orm)
  // Last, so that an unreachable Temporal does not delay the settling.
  for (const one of await described(unitOf(orm, null), lost)) {
    try {
      await startWorkflow(client, one)
    } catch (error) {
      if (engineIsAway(error)) throw error
      // The others are started all the same.
      log.warn({ kind: one.kind, row_id: one.row_id, err: { message: (error as Error).message } }, 'not started')
    }
  }
}

export async function reconciler(orm: Orm, client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await startAhead(orm, unixNow()).catch((error: Error) => log.warn({ err: { message: error.message } }, 'starts ahead'))
    await round(orm, client).catch((error: Error) => log.warn({ err: { message: error.message } }, 'reconciler'))
    await recountAllSlots(orm).catch((error: Error) => log.warn({ err: { message: error.message } }, 'slots'))
    await recountPayments(orm, unixNow()).catch((error: Error) => log.warn({ err: { message: error.message } }, 'payments'))
    await endSubscriptions(orm, unixNow()).catch((error: Error) => log.warn({ err: { message: error.message } }, 'cancellations'))
    await endMemberships(orm, unixNow()).catch((error: Error) => log.warn({ err: { message: error.message } }, 'memberships'))
    // Last: nothing waits for it. Also while Temporal is unreachable.
    await sweep(unitOf(orm, null), unixNow()).catch((error: Error) => log.warn({ err: { message: error.message } }, 'retention'))
    await pause(everyMs, undefined, { signal }).catch(() => {})
  }
}
