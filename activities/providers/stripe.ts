// Stripe: one attempt per call, our own idempotency key, and a verdict by what was seen on the wire.
import Stripe from 'stripe'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import { isSuccess } from '../../rules/http-verdicts.ts'
import {
  type ProviderObject,
  provesRefusal,
  providerAnswer,
  toldOf,
  unreadable,
} from '../../rules/payments/provider-answers.ts'
import type { Sending, Verdict } from '../kit/once.ts'
import { type Answer, agentFor, CallFailed, call } from './call.ts'

/** Bytes; a list of a hundred sessions is a tenth of it. */
const bodyMax = 8_388_608

/** A connected account, or an account with a secret key of its own; null: the platform's own account. */
export type Access = string | { secret_key: string } | null

/**
 * A client for one attempt; of an effect it has `firstByteBy`. The SDK's own HTTP client retries once on a reset
 * connection, even with maxNetworkRetries 0; ours does not.
 */
function stripe(access: Access, o: { expects: ProviderObject; limitMs: number; firstByteBy?: number }): Stripe {
  const base = new URL(config.stripe.apiBase)
  const httpClient: Stripe.HttpClient = {
    getClientName: () => 'undici',
    async makeRequest(
      host: string,
      port: string,
      path: string,
      method: string,
      headers: Record<string, string | number | string[]>,
      body: string,
      protocol: string,
    ) {
      const answer: Answer = await call(
        agentFor(o.firstByteBy === undefined ? 'read' : 'effect'),
        `${protocol}://${host}:${port}`,
        {
          path,
          method,
          headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
          ...(body ? { body } : {}),
          timeoutMs: o.limitMs,
          ...(o.firstByteBy === undefined ? {} : { firstByteBy: o.firstByteBy }),
          bodyMax,
        },
      )
      return {
        getStatusCode: () => answer.status,
        getHeaders: () =>
          Object.fromEntries(
            Object.entries(answer.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
          ),
        getRawResponse: () => answer,
        toStream: () => {
          throw new Error('streams are not used')
        },
        // The SDK reads only the body: it accepts any object without an `error` as success, and a text or a number ends
        // the process.
        async toJSON() {
          const text = await answer.body().catch(() => null)
          const answered = providerAnswer(answer.status, text, o.expects)
          if (answered.is === 'unreadable') throw new Unreadable(answer.status)
          return answered.is === 'object' ? answered.body : { error: answered.refusal }
        },
      }
    },
  }
  return new Stripe(access !== null && typeof access === 'object' ? access.secret_key : config.stripe.secretKey, {
    httpClient,
    maxNetworkRetries: 0,
    timeout: o.limitMs,
    telemetry: false,
    host: base.hostname,
    port: base.port || (base.protocol === 'https:' ? 443 : 80),
    protocol: base.protocol.slice(0, -1) as 'http' | 'https',
  })
}

const optionsOf = (access: Access): Stripe.RequestOptions =>
  typeof access === 'string' ? { stripeAccount: access } : {}

/** A status line without a body that answers this request. */
class Unreadable extends Error {
  readonly status: number
  constructor(status: number) {
    super(unreadable(status).message)
    this.status = status
  }
}

type Wrapper = Error & { detail?: unknown; raw?: { exception?: unknown } }

/**
 * The failure inside the SDK's wrappers: `detail` of a connection error, `raw.exception` of a body that is not JSON.
 */
function within<T extends Error>(error: unknown, kind: new (...args: never[]) => T): T | undefined {
  for (let at = error as Wrapper | undefined, depth = 0; at instanceof Error && depth < 6; depth++) {
    if (at instanceof kind) return at
    at = (at.cause ?? at.detail ?? at.raw?.exception) as Wrapper | undefined
  }
  return undefined
}

/**
 * What a failed mutating call proves: by phase and status, never by an error code alone. `fault`: the provider's
 * message about our own request.
 */
function failed(
  error: unknown,
  lostBody: 'pending' | 'unknown',
): { verdict: Verdict; fault?: Record<string, unknown> } {
  const lost = within(error, CallFailed)
  if (lost) {
    const why: EffectError = { code: lost.written ? 'no_answer' : 'not_sent', message: lost.message }
    return { verdict: lost.written ? { kind: 'unknown', evidence: {}, error: why } : { kind: 'not_sent', error: why } }
  }
  const broken = within(error, Unreadable)
  if (broken) {
    const { status } = broken
    const kind = isSuccess(status) ? lostBody : 'unknown'
    return { verdict: { kind, evidence: { status }, error: unreadable(status) } }
  }
  if (error instanceof Stripe.errors.StripeError && error.statusCode) {
    const { statusCode: status, rawType: type = 'provider_error', code, message, param, requestId } = error
    const refusal = { type, code, message, param }
    const { error: why, ours } = toldOf(status, refusal)
    const evidence = { status, type, code: code ?? null, ...(param ? { param } : {}), request_id: requestId ?? null }
    return {
      verdict: { kind: provesRefusal(status, refusal) ? 'rejected' : 'unknown', evidence, error: why },
      ...(ours ? { fault: { ...evidence, message } } : {}),
    }
  }
  return {
    verdict: {
      kind: 'unknown',
      evidence: {},
      error: { code: 'no_answer', message: error instanceof Error ? error.message : 'no answer' },
    },
  }
}

/**
 * A mutating call under our key, at most once. `expects`: the object that proves a success. `read`: its verdict; null
 * where the object does not repeat the request, because it answers another one. `lostBody`: the verdict of a 2xx
 * without that object; `pending` where a signed event will settle it.
 */
export async function sendToStripe<T>(
  sending: Sending,
  access: Access,
  expects: ProviderObject,
  send: (client: Stripe, options: Stripe.RequestOptions) => Promise<Stripe.Response<T>>,
  read: (answer: T) => Verdict | null,
  lostBody: 'pending' | 'unknown' = 'unknown',
): Promise<Verdict> {
  let answer: Stripe.Response<T>
  try {
    const limitMs = Math.max(1, sending.endBy - performance.now())
    const client = stripe(access, { expects, limitMs, firstByteBy: sending.firstByteBy })
    answer = await send(client, { idempotencyKey: sending.id, ...optionsOf(access) })
  } catch (error) {
    const { verdict, fault } = failed(error, lostBody)
    if (fault)
      log.error({ effect_id: sending.id, expects, ...fault }, 'the payment provider rejected our request as malformed')
    return verdict
  }
  return read(answer) ?? failed(new Unreadable(answer.lastResponse.statusCode), lostBody).verdict
}

/** Makes a read, which is no effect: Temporal retries it. Throws where the answer is not the expected object. */
export const reading = (
  access: Access,
  expects: ProviderObject,
): { client: Stripe; options: Stripe.RequestOptions } => ({
  client: stripe(access, { expects, limitMs: 10_000 }),
  options: optionsOf(access),
})

/**
 * When the provider answered, by its own clock, in Unix seconds: an event that it made earlier is older than the
 * answer. 0 where it does not say.
 */
export const answeredAt = (answer: { lastResponse: { headers: Record<string, string> } }): number => {
  const date = Date.parse(answer.lastResponse.headers.date ?? '')
  return Number.isNaN(date) ? 0 : Math.floor(date / 1000)
}
