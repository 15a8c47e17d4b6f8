// The only door out: claimed by one, stamped before it is sent, sent at most once, and settled by what can be proved.
//   export const sendRefund = (id, token) => once({ table: 'refunds', prepare, send }, id, token)
import { setTimeout as pause } from 'node:timers/promises'
import { DriverException } from '@mikro-orm/core'
import { ApplicationFailure } from '@temporalio/common'
import { config } from '../config.ts'
import type { EffectError } from '../entities/kit/effect-columns.ts'
import type { EffectStatus, EffectTable, Settlement } from '../entities/kit/effects.ts'
import * as effects from '../entities/kit/effects.ts'
import { decrypt, encrypt } from '../entities/kit/encrypted.ts'
import { statement, transaction } from './database.ts'
import { failpoint } from './failpoints.ts'
import { beating } from './heartbeat.ts'

/** What a send can prove (design: effects, Verdicts). `pending`: the provider took it, and a signed event will say how it ends. */
/**
 * `final`: nothing was sent, and no other attempt would fare better. `later`: the provider asked for another attempt after a while; when, the effect's
 * `laterS` says.
 */
export type Verdict =
  | { kind: 'not_sent'; error: EffectError; final?: true; later?: true }
  | ({ kind: 'succeeded' | 'rejected' | 'unknown' | 'pending' } & Omit<Settlement, 'status'>)

/** Times on the clock of performance.now(), counted from before the stamp: a worker that was paused since then finds them over. */
export type Sending = {
  id: string
  /** No first byte later than this. */
  firstByteBy: number
  /** No answer is waited for after this: 3 s before the row's deadline. */
  endBy: number
}

export type Effect<R> = {
  table: EffectTable
  /** Loads, renders and checks what will be sent; an error here was never sent. Frozen in the row: later attempts send the same. */
  prepare(id: string): Promise<R>
  send(request: R, sending: Sending): Promise<Verdict>
  limitMs?: number
  /** Seconds from an attempt whose verdict is `later` to the next one: after the first attempt, the second, … Used up, the verdict is final. */
  laterS?: readonly number[]
}

/** Set when the worker was told to stop: what is not stamped yet is left to another one. */
export const draining = { now: false }

/** It enters the workflow's history: fixed words and our own codes, never what a provider or the database said. */
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
  return beating(() => attempt(effect, id, token))
}

async function attempt<R>({ table, prepare, send, limitMs = config.sendLimitMs, laterS = [] }: Effect<R>, id: string, token: string): Promise<EffectStatus> {
  await failpoint('before_claim', table, id)
  const { claimed, status, wait_ms } = await statement((em) => effects.claim(em, table, id, token))
  if (!claimed) {
    if (status === null) throw failure('NoSuchRow', `${table} has no row ${id}`)
    if (effects.terminal(status)) return status
    // The result of the attempt that was put off was lost.
    if (wait_ms > 0) throw failure('Deferred', 'not_due', wait_ms)
    throw failure('InFlight', 'another attempt is at work')
  }
  await failpoint('after_claim', table, id)

  const back = async (type: string, error: EffectError): Promise<never> => {
    await statement((em) => effects.giveBack(em, table, id, token, error))
    throw failure(type, error.code)
  }
  let request: R
  try {
    request = claimed.request ? (JSON.parse(decrypt(claimed.request)) as R) : await prepare(id)
    if (!claimed.request) await statement((em) => effects.freeze(em, table, id, token, JSON.stringify(request)))
  } catch (error) {
    if (error instanceof NeverSent) return back('Hopeless', error.reason)
    // The words of the database hold our statement, and the row is shown to its store.
    const told = error instanceof Error && !(error instanceof DriverException)
    return back('NotSent', { code: 'not_prepared', message: told ? error.message : 'not prepared' })
  }
  await failpoint('after_prepare', table, id)

  if (draining.now) return back('NotSent', { code: 'worker_stopping', message: 'the worker is stopping' })
  const before = performance.now()
  let stamped: 'stamped' | 'fenced' | 'gone'
  try {
    stamped = await statement((em) => effects.stamp(em, table, id, token, limitMs))
    await failpoint('after_stamp', table, id)
  } catch {
    // Whether it was committed is not known, so nothing may be sent: this attempt is given back, for as long as it takes.
    await untilWritten(() =>
      statement((em) => effects.giveBack(em, table, id, token, { code: 'stamp_not_acknowledged', message: 'the database did not acknowledge the stamp' })),
    )
    throw failure('NotSent', 'stamp_not_acknowledged')
  }
  if (stamped === 'fenced') throw failure('Fenced', 'the claim is no longer ours')
  if (stamped === 'gone') return back('Hopeless', { code: 'no_longer_wanted', message: 'what made it right no longer holds' })

  const verdict = await send(request, { id, firstByteBy: before + Math.min(5_000, limitMs), endBy: before + limitMs })
  await failpoint('after_send', table, id)
  return write(table, id, token, scheduled(verdict, laterS[claimed.attempt - 1]))
}

/** A verdict with the time of the next attempt in it: what is written, and travels sealed where that fails. */
type Written = Verdict & { again_ms?: number }

function scheduled(verdict: Verdict, seconds: number | undefined): Written {
  if (verdict.kind !== 'not_sent' || !verdict.later) return verdict
  return seconds === undefined ? { ...verdict, final: true } : { ...verdict, again_ms: seconds * 1000 }
}

/** Repeats a write until the database takes it, with growing pauses. */
export async function untilWritten(work: () => Promise<unknown>): Promise<void> {
  for (let waitMs = 100; ; waitMs = Math.min(2_000, waitMs * 2)) {
    try {
      await work()
      return
    } catch {
      await pause(waitMs)
    }
  }
}

/** Writes the verdict; where that fails, it travels with the failure, sealed, and the settle step writes it. */
async function write(table: EffectTable, id: string, token: string, verdict: Written): Promise<EffectStatus> {
  let status: EffectStatus | null
  try {
    await failpoint('before_settle', table, id)
    status = await writeVerdict(table, id, token, verdict)
  } catch {
    throw failure('Answered', 'the answer could not be written', encrypt(JSON.stringify(verdict)))
  }
  await failpoint('after_settle', table, id)
  if (verdict.kind === 'not_sent') {
    if (verdict.again_ms !== undefined) throw failure('Deferred', verdict.error.code, verdict.again_ms)
    throw failure(verdict.final ? 'Hopeless' : 'NotSent', verdict.error.code)
  }
  return status ?? (await statement((em) => effects.statusOf(em, table, id))) ?? 'unknown'
}

/** The status that was written; null where somebody settled it before, or nothing was sent. */
export async function writeVerdict(table: EffectTable, id: string, token: string, verdict: Written): Promise<EffectStatus | null> {
  if (verdict.kind === 'not_sent') {
    await statement((em) => effects.giveBack(em, table, id, token, verdict.error, verdict.again_ms))
    return null
  }
  const { kind, ...rest } = verdict
  const status = kind === 'pending' ? 'processing' : kind
  return (await transaction((em) => effects.settle(em, table, id, token, { status, ...rest }))) ? status : null
}

/** The settle step: idempotent, after any failure of an attempt (design: effects, The claim). `sealed`: the verdict that travelled with the failure. */
export async function settleEffect(
  table: EffectTable,
  id: string,
  token: string,
  sealed: string | null,
): Promise<{ status: EffectStatus | null; waitMs: number; answered: boolean }> {
  if (sealed) await writeVerdict(table, id, token, JSON.parse(decrypt(sealed)) as Written)
  return transaction((em) => effects.decide(em, table, id, token))
}

/** No attempt was sent. `requested` is answered where it is tried for as long as it takes. */
export const giveUpEffect = (table: EffectTable, id: string, hopeless = false): Promise<EffectStatus | null> =>
  transaction((em) => effects.giveUp(em, table, id, hopeless))
