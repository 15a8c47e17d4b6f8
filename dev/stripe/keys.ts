// One idempotency key has one response and one effect. Another request under the same key is refused.

import { part } from '../sim/journal.ts'
import { Refusal } from './errors.ts'

/** `body` is the exact text of the response. */
export type Answer = { status: number; body: string; request: string }
type StoredAnswer = { scope: string; path: string; params: string; answer: Answer; time: number }
type Use = { account: string; key: string | null; method: string; path: string; body: string | null; request: string }

const answers = new Map<string, StoredAnswer>()
const inUse = new Map<string, string>()
const dayMs = 86_400_000

const journal = part<StoredAnswer>('answer', (one) => {
  if (one.time > Date.now() - dayMs) answers.set(one.scope, one)
})

const scopeOf = (call: Use) => `${call.account} ${call.key}`
/** Stripe compares parameters in any order, not bytes. */
const paramsOf = (call: Use) => [...new URLSearchParams(call.body ?? '')].map(String).sort().join('&')

export function begin(call: Use): void {
  if (call.key) inUse.set(scopeOf(call), call.request)
}

export function end(call: Use): void {
  if (call.key && inUse.get(scopeOf(call)) === call.request) inUse.delete(scopeOf(call))
}

export function replay(call: Use): Answer | undefined {
  const { key } = call
  if (!key || call.method !== 'POST') return undefined
  if (key.length > 255) throw new Refusal(400, 'Idempotency-Key must be at most 255 characters long', { stored: false })
  const user = inUse.get(scopeOf(call))
  if (user && user !== call.request)
    throw new Refusal(
      409,
      `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
      { type: 'idempotency_error', code: 'idempotency_key_in_use', stored: false },
    )
  const prior = answers.get(scopeOf(call))
  if (!prior) return undefined
  const other = (what: string) =>
    new Refusal(
      400,
      `Keys for idempotent requests can only be used ${what}. Try using a key other than '${key}' if you meant to execute a different request.`,
      {
        type: 'idempotency_error',
        stored: false,
      },
    )
  if (prior.path !== call.path)
    throw other(`for the same endpoint they were first used for ('${call.path}' vs '${prior.path}')`)
  if (prior.params !== paramsOf(call)) throw other('with the same parameters they were first used with')
  return prior.answer
}

/** Stripe has idempotency keys for POST alone: a repeated DELETE is carried out again. */
export function keepAnswer(call: Use, answer: Answer): void {
  if (!call.key || call.method !== 'POST') return
  const one: StoredAnswer = { scope: scopeOf(call), path: call.path, params: paramsOf(call), answer, time: Date.now() }
  answers.set(one.scope, one)
  journal(one)
}
