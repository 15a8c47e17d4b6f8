// The only door out: claimed by one, stamped before it is sent, sent at most once, and settled by what can be proved.
//   export const sendRefund = (id, token) => once({ table: 'refunds', prepare, send }, id, token)
import { setTimeout as pause } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { config } from '../config.ts'
import type { EffectError } from '../entities/effect-columns.ts'
import type { EffectStatus, EffectTable, Settlement } from '../entities/effects.ts'
import * as effects from '../entities/effects.ts'
import { decrypt } from '../entities/encrypted.ts'
import { statement, transaction } from './database.ts'
import { failpoint } from './failpoints.ts'

/** What a send can prove (design: effects, Verdicts). `pending`: the provider took it, and a signed event will say how it ends. */
export type Verdict = { kind: 'not_sent'; error: EffectError } | ({ kind: 'succeeded' | 'rejected' | 'unknown' | 'pending' } & Omit<Settlement, 'status'>)

export type Sending = {
  id: string
  /** How long to wait for an answer, from the first byte on. */
  limitMs: number
  /** On the clock of performance.now(): no first byte later than this. */
  firstByteBy: number
}

export type Effect<R> = {
  table: EffectTable
  /** Loads, renders and checks what will be sent; an error here was never sent. Frozen in the row: later attempts send the same. */
  prepare(id: string): Promise<R>
  send(request: R, sending: Sending): Promise<Verdict>
  limitMs?: number
}

/** Set when the worker was told to stop: what is not stamped yet is left to another one. */
export const draining = { now: false }

const failure = (type: string, message: string, ...details: unknown[]) => ApplicationFailure.create({ type, message, nonRetryable: true, details })

/** Throws what prepare refuses for good: the attempt is over, and no other one would fare better. */
export class NeverSent extends Error {
  readonly reason: EffectError
  constructor(reason: EffectError) {
    super(reason.message)
    this.reason = reason
  }
}

export async function once<R>(effect: Effect<R>, id: string, token: string): Promise<EffectStatus> {
  const beat = setInterval(() => Context.current().heartbeat(), 2_000)
  // What is being sent is finished, whoever cancels.
  Context.current().cancelled.catch(() => {})
  try {
    return await attempt(effect, id, token)
  } finally {
    clearInterval(beat)
  }
}

async function attempt<R>({ table, prepare, send, limitMs = config.sendLimitMs }: Effect<R>, id: string, token: string): Promise<EffectStatus> {
  await failpoint('before_claim', table, id)
  const { claimed, status } = await statement((em) => effects.claim(em, table, id, token))
  if (!claimed) {
    if (status === null) throw failure('NoSuchRow', `${table} has no row ${id}`)
    if (effects.terminal(status)) return status
    throw failure('InFlight', 'another attempt is at work')
  }
  await failpoint('after_claim', table, id)

  const back = async (type: string, error: EffectError): Promise<never> => {
    await statement((em) => effects.giveBack(em, table, id, token, error))
    throw failure(type, error.message)
  }
  let request: R
  try {
    request = claimed.request ? (JSON.parse(decrypt(claimed.request)) as R) : await prepare(id)
    if (!claimed.request) await statement((em) => effects.freeze(em, table, id, token, JSON.stringify(request)))
  } catch (error) {
    if (error instanceof NeverSent) return back('Hopeless', error.reason)
    return back('NotSent', { code: 'not_prepared', message: error instanceof Error ? error.message : 'not prepared' })
  }
  await failpoint('after_prepare', table, id)

  if (draining.now) return back('NotSent', { code: 'worker_stopping', message: 'the worker is stopping' })
  let stamped: 'stamped' | 'fenced' | 'gone'
  try {
    stamped = await statement((em) => effects.stamp(em, table, id, token, limitMs))
    await failpoint('after_stamp', table, id)
  } catch (error) {
    // Whether it was committed is not known, so nothing may be sent: this attempt is given back, for as long as it takes.
    await untilWritten(() =>
      statement((em) => effects.giveBack(em, table, id, token, { code: 'stamp_not_acknowledged', message: 'the database did not acknowledge the stamp' })),
    )
    throw failure('NotSent', error instanceof Error ? error.message : 'the stamp was not acknowledged')
  }
  if (stamped === 'fenced') throw failure('Fenced', 'the claim is no longer ours')
  if (stamped === 'gone') return back('Hopeless', { code: 'no_longer_wanted', message: 'what made it right no longer holds' })

  const verdict = await send(request, { id, limitMs, firstByteBy: performance.now() + 5_000 })
  await failpoint('after_send', table, id)
  return write(table, id, token, verdict)
}

async function untilWritten(work: () => Promise<unknown>): Promise<void> {
  for (let waitMs = 100; ; waitMs = Math.min(2_000, waitMs * 2)) {
    try {
      await work()
      return
    } catch {
      await pause(waitMs)
    }
  }
}

/** Writes the verdict; where that fails, it travels with the failure, and the settle step writes it. */
async function write(table: EffectTable, id: string, token: string, verdict: Verdict): Promise<EffectStatus> {
  try {
    await failpoint('before_settle', table, id)
    await writeVerdict(table, id, token, verdict)
  } catch (error) {
    throw failure('Answered', error instanceof Error ? error.message : 'the answer could not be written', verdict)
  }
  await failpoint('after_settle', table, id)
  if (verdict.kind === 'not_sent') throw failure('NotSent', verdict.error.message)
  return (await statement((em) => effects.statusOf(em, table, id))) ?? 'unknown'
}

export async function writeVerdict(table: EffectTable, id: string, token: string, verdict: Verdict): Promise<void> {
  if (verdict.kind === 'not_sent') {
    await statement((em) => effects.giveBack(em, table, id, token, verdict.error))
    return
  }
  const { kind, ...rest } = verdict
  await transaction((em) => effects.settle(em, table, id, token, { status: kind === 'pending' ? 'processing' : kind, ...rest }))
}

/** The settle step: idempotent, after any failure of an attempt (design: effects, The claim). */
export async function settleEffect(
  table: EffectTable,
  id: string,
  token: string,
  verdict: Verdict | null,
): Promise<{ status: EffectStatus | null; waitMs: number; answered: boolean }> {
  if (verdict) await writeVerdict(table, id, token, verdict)
  return transaction((em) => effects.decide(em, table, id, token))
}

/** No attempt was sent, and there will be no other one. */
export const giveUpEffect = (table: EffectTable, id: string): Promise<EffectStatus | null> => transaction((em) => effects.giveUp(em, table, id))
