// Every effect is sent through `once`: claimed by one attempt, stamped before it is sent, sent at most once, and
// settled by what can be proved.
//   export const sendRefund = once<Request>({ row: refundEffect, prepare, send })
import { setTimeout as pause } from 'node:timers/promises'
import { DriverException } from '@mikro-orm/core'
import { ApplicationFailure } from '@temporalio/common'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import * as effects from '../../entities/kit/effects.ts'
import { decrypt, encrypt } from '../../entities/kit/encrypted.ts'
import { type EffectName, type EffectStatus, isTerminal } from '../../rules/effects.ts'
import { statement, transaction } from './database.ts'
import { failpoint } from './failpoints.ts'
import { beating } from './heartbeat.ts'

/**
 * What a send proves. `pending`: the provider accepted the request, and a signed event will say how it ends. Of
 * `not_sent`, `final`: no other attempt would have another result; `later`: the provider asked for another attempt,
 * which begins after the effect's `laterS`.
 */
export type Verdict =
  | { kind: 'not_sent'; error: EffectError; final?: true; later?: true }
  | ({ kind: 'succeeded' | 'rejected' | 'unknown' | 'pending' } & Omit<effects.Settlement, 'status'>)

/** Times by performance.now(), from before the stamp: in a worker that was paused since then they have passed. */
export type Sending = {
  id: string
  /** No first byte later than this. */
  firstByteBy: number
  /** No answer is waited for after this: 3 s before the row's deadline. */
  endBy: number
}

/** `R`: the request as it is frozen in the row; `U`: as it is sent. */
type EffectOf<N extends EffectName, R, U> = {
  row: effects.EffectRow<N>
  /**
   * Loads, renders and checks the request; an error here was never sent. Frozen in the row: later attempts send the
   * same request.
   */
  prepare(id: string): Promise<R>
  send(request: U, sending: Sending): Promise<Verdict>
  /**
   * Seconds from an attempt whose verdict is `later` to the next one: after the first attempt, the second, … Used up,
   * the verdict is final.
   */
  laterS?: () => readonly number[]
}

/** The request is sent as it is frozen. */
export type Effect<N extends EffectName, R> = EffectOf<N, R, R> & { unlock?: undefined }
export type LockedEffect<N extends EffectName, R, U> = EffectOf<N, R, U> & {
  /**
   * Adds the secrets that are not stored in the row to a frozen request; before the stamp, so that an error here was
   * never sent.
   */
  unlock(request: R): Promise<U>
}

/**
 * `limitMs`: of one attempt, from its stamp on; SEND_LIMIT_MS without. Throws an ApplicationFailure of the types below.
 */
export type Sender<N extends EffectName = EffectName> = {
  row: effects.EffectRow<N>
  send(id: string, token: string, limitMs?: number): Promise<EffectStatus>
  /**
   * What follows from an outcome outside of its transaction: repeated by the settle step until it succeeds, so it is
   * idempotent.
   */
  follow?(id: string, status: EffectStatus): Promise<void>
}

/** Set when the worker is stopping: an attempt that is not stamped yet is given back. */
export const draining = { now: false }

/**
 * Types: NoSuchRow; InFlight (another attempt has the claim); Deferred (details: milliseconds until the next attempt);
 * NotSent; Hopeless (no other attempt would have another result); Fenced (the claim was lost); Answered (details: the
 * encrypted verdict). It enters the workflow's history: constant texts and our own codes, never the text of a provider
 * or the database.
 */
const failure = (type: string, message: string, ...details: unknown[]) =>
  ApplicationFailure.create({ type, message, nonRetryable: true, details })

const fenced = () => failure('Fenced', 'the claim is no longer ours')

/** Thrown by a prepare that refuses for good: the attempt ends, and no other one would have another result. */
export class NeverSent extends Error {
  readonly reason: EffectError
  constructor(reason: EffectError) {
    super(reason.message)
    this.reason = reason
  }
}

/** The writes of one attempt on its row, under its token. */
const attemptOn = (row: effects.EffectRow, id: string, token: string) => ({
  failpoint: (step: string) => failpoint(step, row.table, id),
  claim: () => statement((em) => effects.claim(em, row, id, token)),
  freeze: (request: string) => statement((em) => effects.freeze(em, row, id, token, request)),
  stamp: (limitMs: number) => statement((em) => effects.stamp(em, row, id, token, limitMs)),
  giveBack: (error: EffectError, againMs?: number) =>
    statement((em) => effects.giveBack(em, row, id, token, error, againMs)),
  settle: (settlement: effects.Settlement) => transaction((em) => effects.settle(em, row, id, token, settlement)),
  status: () => statement((em) => effects.statusOf(em, row, id)),
})
type Attempt = ReturnType<typeof attemptOn>

export function once<R, U, N extends EffectName = EffectName>(effect: LockedEffect<N, R, U>): Sender<N>
export function once<R, N extends EffectName = EffectName>(effect: Effect<N, R>): Sender<N>
export function once<R, U, N extends EffectName>(effect: LockedEffect<N, R, U> | Effect<N, R>): Sender<N> {
  return effect.unlock ? senderOf(effect) : senderOf({ ...effect, unlock: async (request: R) => request })
}

const senderOf = <R, U, N extends EffectName>(effect: LockedEffect<N, R, U>): Sender<N> => ({
  row: effect.row,
  send: (id, token, limitMs = config.sendLimitMs) =>
    beating(() => attempt(effect, id, attemptOn(effect.row, id, token), limitMs)),
})

async function attempt<N extends EffectName, R, U>(
  { row, prepare, unlock, send, laterS }: LockedEffect<N, R, U>,
  id: string,
  at: Attempt,
  limitMs: number,
): Promise<EffectStatus> {
  await at.failpoint('before_claim')
  const { claimed, status, wait_ms } = await at.claim()
  if (!claimed) {
    if (status === null) throw failure('NoSuchRow', `${row.table} has no row ${id}`)
    if (isTerminal(status)) return status
    // The workflow lost the result of the attempt that was deferred.
    if (wait_ms > 0) throw failure('Deferred', 'not_due', wait_ms)
    throw failure('InFlight', 'another attempt is running')
  }
  await at.failpoint('after_claim')

  const back = async (type: string, error: EffectError): Promise<never> => {
    // What was to be prepared may be gone with the row's outcome: a lost claim is no failure of the effect.
    throw (await at.giveBack(error)) ? failure(type, error.code) : fenced()
  }
  let request: U
  try {
    const frozen = claimed.request ? (JSON.parse(decrypt(claimed.request)) as R) : await prepare(id)
    if (!claimed.request) await at.freeze(JSON.stringify(frozen))
    request = await unlock(frozen)
  } catch (error) {
    if (error instanceof NeverSent) return back('Hopeless', error.reason)
    log.warn({ effect: row.name, id, err: error }, 'request not prepared')
    // The message of a database error holds the statement, and the store can read the row.
    const readable = error instanceof Error && !(error instanceof DriverException)
    return back('NotSent', { code: 'not_prepared', message: readable ? error.message : 'not prepared' })
  }
  await at.failpoint('after_prepare')

  if (draining.now) return back('NotSent', { code: 'worker_stopping', message: 'the worker is stopping' })
  const before = performance.now()
  let stamped: 'stamped' | 'fenced' | 'gone'
  try {
    stamped = await at.stamp(limitMs)
    await at.failpoint('after_stamp')
  } catch (error) {
    log.warn({ effect: row.name, id, err: error }, 'stamp not acknowledged')
    // It may have been committed, so nothing may be sent: the attempt is given back, retried until the database
    // acknowledges it.
    await untilWritten(() =>
      at.giveBack({ code: 'stamp_not_acknowledged', message: 'the database did not acknowledge the stamp' }),
    )
    throw failure('NotSent', 'stamp_not_acknowledged')
  }
  if (stamped === 'fenced') throw fenced()
  if (stamped === 'gone')
    return back('Hopeless', { code: 'no_longer_wanted', message: 'the condition for sending it no longer holds' })

  const verdict = await send(request, { id, firstByteBy: before + Math.min(5_000, limitMs), endBy: before + limitMs })
  await at.failpoint('after_send')
  return write(at, deferred(verdict, laterS?.()[claimed.attempt - 1]))
}

/** A verdict with the time of the next attempt: what is written, and travels encrypted where the write fails. */
type Written = Verdict & { again_ms?: number }

function deferred(verdict: Verdict, seconds: number | undefined): Written {
  if (verdict.kind !== 'not_sent' || !verdict.later) return verdict
  return seconds === undefined ? { ...verdict, final: true } : { ...verdict, again_ms: seconds * 1000 }
}

/** Repeats a write until the database acknowledges it, with growing pauses. */
export async function untilWritten(work: () => Promise<unknown>): Promise<void> {
  for (let waitMs = 100; ; waitMs = Math.min(2_000, waitMs * 2)) {
    try {
      await work()
      return
    } catch (error) {
      if (waitMs === 2_000) log.warn({ err: error }, 'write failed; retrying')
      await pause(waitMs)
    }
  }
}

/** Writes the verdict; where that fails, the failure carries it, encrypted, and the settle step writes it. */
async function write(at: Attempt, verdict: Written): Promise<EffectStatus> {
  let status: EffectStatus | null
  try {
    await at.failpoint('before_settle')
    status = await writeTo(at, verdict)
  } catch (error) {
    log.warn({ err: error }, 'verdict not written; the settle step writes it')
    throw failure('Answered', 'the answer could not be written', encrypt(JSON.stringify(verdict)))
  }
  await at.failpoint('after_settle')
  if (verdict.kind === 'not_sent') {
    if (verdict.again_ms !== undefined) throw failure('Deferred', verdict.error.code, verdict.again_ms)
    throw failure(verdict.final ? 'Hopeless' : 'NotSent', verdict.error.code)
  }
  return status ?? (await at.status()) ?? 'unknown'
}

/** The status that was written; null where the row was settled before, or nothing was sent. */
async function writeTo(at: Attempt, verdict: Written): Promise<EffectStatus | null> {
  if (verdict.kind === 'not_sent') {
    await at.giveBack(verdict.error, verdict.again_ms)
    return null
  }
  const { kind, ...rest } = verdict
  const status = kind === 'pending' ? 'processing' : kind
  return (await at.settle({ status, ...rest })) ? status : null
}

/** Writes a verdict that a failure of type Answered carried: `sealed` is its detail. */
export const writeVerdict = (
  row: effects.EffectRow,
  id: string,
  token: string,
  sealed: string,
): Promise<EffectStatus | null> => writeTo(attemptOn(row, id, token), JSON.parse(decrypt(sealed)) as Written)
