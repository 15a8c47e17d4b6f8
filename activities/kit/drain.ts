// A drain sends the rows of one standing thing: leased, sent several at a time, and recorded in batches. It holds a
// slot of its store's share meanwhile.
//   export const drainDeliveries = drains((webhookId) => ({ attend, clear, leave, place, begin }))
import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Context } from '@temporalio/activity'
import { newId } from '../../entities/kit/ids.ts'
import { freeSlot, type Place, takeSlot } from '../../entities/platform/task-slots.ts'
import { statement, transaction } from './database.ts'
import { draining, untilWritten } from './once.ts'
import { workerId } from './worker-id.ts'

/** A drain ends after this, so that its activity's result is recorded, or after a second without a row. */
const longestMs = 20_000
/**
 * While a request is under way it continues, as ending would wait for that request and delay the rows that come due.
 * Less than the activity's timeout minus the longest request (DELIVERY_TIMEOUT_MS, MAIL_LIMIT_MS).
 */
const longestHangingMs = 150_000
const idleMs = 1_000
/** A drain ends after this where other work of its store waits for a slot. Milliseconds. */
const yieldMs = 2_000
/** Pauses between two leases: the first while rows are due, growing to the most while none are. */
const lookMs = { first: 20, most: 200 }
/** Where a lease costs more than a wait: the longest wait for half of the slots. */
const roomMs = 50
/** A change of what is attended to takes effect within this. */
const attendMs = 300
/**
 * Both intervals while all that is in flight waits for an answer and nothing came due for a second: a hundred such
 * drains do not load the database.
 */
const hangingMs = 1_000
const batchMax = 500

/**
 * Writes results in batches, one after the other; `last` waits for all of them and throws if one could not be written.
 * `waitMs`: results that arrive together are written together.
 */
export function newLedger<Result>(
  settle: (batch: Result[]) => Promise<unknown>,
  { waitMs = 5, tries: triesMax = 10 } = {},
): { note(result: Result): void; last(): Promise<void>; lost(): boolean } {
  const noted: Result[] = []
  let writing: Promise<void> | undefined
  let lost: unknown
  async function write(): Promise<void> {
    await pause(waitMs)
    while (noted.length > 0 && lost === undefined) {
      const batch = noted.splice(0, batchMax)
      // Retried while the database restarts.
      for (let tries = 1; ; tries++) {
        try {
          await settle(batch)
          break
        } catch (error) {
          if (tries === triesMax) {
            lost = error
            return
          }
          await pause(500)
        }
      }
    }
  }
  function begin(): void {
    writing ??= write().finally(() => {
      writing = undefined
      // Results that came while the last statement ended.
      if (noted.length > 0 && lost === undefined) begin()
    })
  }
  return {
    note(result) {
      noted.push(result)
      begin()
    },
    async last() {
      while (writing) await writing
      if (lost !== undefined) throw lost
    },
    lost: () => lost !== undefined,
  }
}

/** `others_wait`: other work of the tenant waits for a slot of the queue. */
type Attended = { others_wait: boolean }

type Drain<A extends Attended, Leased> = {
  /** Reads what is attended to, and marks it as awake for `awakeMs`. Null: nothing may be sent. */
  attend(em: EntityManager, awakeMs: number): Promise<A | null>
  /** Removes the mark that a drain that died may have left. */
  clear(em: EntityManager): Promise<unknown>
  /** Ends the mark. Milliseconds until the next row is due, null if none is left. */
  leave(em: EntityManager, attended: A): Promise<number | null>
  place(attended: A): Place
  begin(attended: A): Sending<A, Leased>
}

export type Sending<A extends Attended, Leased> = {
  /** The rows as they were read again. */
  changed(attended: A): void
  /** How many may be in flight, and how many more may be leased while `flying` are. */
  slots(): number
  free(flying: number): number
  lease(free: number): Promise<Leased[]>
  attempt(leased: Leased): Promise<void>
  /** No more is leased. */
  isOver(): boolean
  /** Rows may come due although none is. */
  isBusy?(): boolean
  /** Resolves early where a row came due. */
  idle?(ms: number): Promise<unknown>
  /** Waits until all results are written. */
  end(): Promise<void>
}

/**
 * Milliseconds until the next row is due; null where none is left, none may be sent, or the drain waits for a slot,
 * whose grant signals it.
 */
async function drain<A extends Attended, Leased>(
  id: string,
  of: Drain<A, Leased>,
  stopped: () => boolean,
): Promise<number | null> {
  const attend = (everyMs = attendMs) => statement((em) => of.attend(em, 3 * everyMs))
  const attended = await attend()
  if (!attended) {
    await statement((em) => of.clear(em))
    await statement((em) => freeSlot(em, id))
    return null
  }
  const holder = { id: newId(), worker: workerId }
  try {
    const granted = await transaction(async (em) => {
      if (await takeSlot(em, of.place(attended), holder)) return true
      // The drain leaves in the same commit: a granted slot's signal is sent only where no drain attends.
      await of.leave(em, attended)
      return false
    })
    return granted ? await drainWithSlot(attended, of, attend, stopped) : null
  } finally {
    // The slot may be taken although its commit failed or was not acknowledged.
    await untilWritten(() => statement((em) => freeSlot(em, holder.id)))
  }
}

async function drainWithSlot<A extends Attended, Leased>(
  first: A,
  of: Drain<A, Leased>,
  attend: (everyMs?: number) => Promise<A | null>,
  stopped: () => boolean,
): Promise<number | null> {
  let allowed: A | null = first
  let latest = first
  const begun = performance.now()
  const flying = new Set<Promise<void>>()
  const sending = of.begin(first)
  let room = Promise.withResolvers<void>()
  /**
   * The first attempt that was rejected: the drain ends with it. A rejection without a handler would end the process.
   */
  let failed: { error: unknown } | undefined

  async function sendDue(): Promise<void> {
    let attended = begun
    let seen = begun
    let lookIn = lookMs.first
    while (
      !stopped() &&
      !failed &&
      !sending.isOver() &&
      performance.now() - begun < (flying.size > 0 ? longestHangingMs : longestMs)
    ) {
      const hangs = flying.size > 0 && performance.now() - seen > idleMs
      const everyMs = hangs ? hangingMs : attendMs
      if (performance.now() - attended > everyMs) {
        attended = performance.now()
        allowed = await attend(everyMs)
        if (allowed ? allowed.others_wait && performance.now() - begun > yieldMs : flying.size === 0) return
        if (allowed) {
          latest = allowed
          sending.changed(allowed)
        }
      }
      // What was disabled may be enabled again while its requests are under way.
      const free = allowed ? sending.free(flying.size) : 0
      const due = free > 0 ? await sending.lease(free) : []
      for (const leased of due) {
        const one: Promise<void> = sending
          .attempt(leased)
          .catch((error: unknown) => {
            failed ??= { error }
          })
          .finally(() => {
            flying.delete(one)
            if (flying.size <= sending.slots() / 2 || failed) room.resolve()
          })
        flying.add(one)
      }
      if (allowed && due.length >= free) {
        // More are due: the next lease waits for free slots, so that it takes many.
        room = Promise.withResolvers()
        await Promise.race([room.promise, sending.idle ? sending.idle(roomMs) : pause(10)])
      } else {
        if (due.length > 0 || sending.isBusy?.()) seen = performance.now()
        else if (flying.size === 0 && performance.now() - seen > idleMs) return
        lookIn = due.length > 0 ? lookMs.first : Math.min(hangs ? hangingMs : lookMs.most, lookIn * 1.5)
        await (sending.idle ? sending.idle(lookIn) : pause(lookIn))
      }
    }
  }

  try {
    await sendDue()
  } finally {
    await Promise.all(flying)
    await sending.end()
  }
  if (failed) throw failed.error
  return statement((em) => of.leave(em, latest))
}

/**
 * An activity that sends the rows of a thing that are due until none are. A lost worker's rows are due again when their
 * lease ends.
 */
export const drains =
  <A extends Attended, Leased>(of: (id: string) => Drain<A, Leased>) =>
  async (id: string): Promise<{ wait_ms: number | null }> => {
    const { cancellationSignal } = Context.current()
    const beat = setInterval(() => Context.current().heartbeat(), 500)
    Context.current().cancelled.catch(() => {})
    try {
      return { wait_ms: await drain(id, of(id), () => draining.now || cancellationSignal.aborted) }
    } finally {
      clearInterval(beat)
    }
  }
