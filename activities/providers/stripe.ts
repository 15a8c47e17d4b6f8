// Stripe: one attempt per call, our own idempotency key, and a verdict by what was seen on the wire.
import Stripe from 'stripe'
import { Agent } from 'undici'
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/effect-columns.ts'
import type { Sending, Verdict } from '../once.ts'
import { type Answer, CallFailed, call } from './call.ts'

const agent = new Agent({ connect: { timeout: 5_000 }, keepAliveTimeout: 4_000, pipelining: 1, connections: 64 })

/** A client for one attempt. The SDK's own client repeats once on a reset connection, even with maxNetworkRetries 0: it gets ours. */
export function stripe(o: { limitMs: number; firstByteBy?: number }): Stripe {
  const base = new URL(config.stripe.apiBase)
  const httpClient = {
    getClientName: () => 'undici',
    async makeRequest(host: string, port: string, path: string, method: string, headers: Record<string, string>, body: string, protocol: string) {
      const answer: Answer = await call(agent, `${protocol}://${host}:${port}`, {
        path,
        method,
        headers,
        ...(body ? { body } : {}),
        timeoutMs: o.limitMs,
        ...(o.firstByteBy === undefined ? {} : { firstByteBy: o.firstByteBy }),
      })
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => answer.headers,
        getRawResponse: () => answer,
        toStream: () => {
          throw new Error('streams are not used')
        },
        async toJSON() {
          try {
            return JSON.parse(await answer.body())
          } catch {
            throw new BrokenOff(answer.status)
          }
        },
      }
    },
  }
  return new Stripe(config.stripe.secretKey, {
    httpClient: httpClient as never,
    maxNetworkRetries: 0,
    timeout: o.limitMs,
    telemetry: false,
    host: base.hostname,
    port: base.port || (base.protocol === 'https:' ? 443 : 80),
    protocol: base.protocol.slice(0, -1) as 'http' | 'https',
  })
}

/** The status line came, the body did not. */
class BrokenOff extends Error {
  readonly status: number
  constructor(status: number) {
    super(`the answer broke off after status ${status}`)
    this.status = status
  }
}

type Wrapper = Error & { detail?: unknown; raw?: { exception?: unknown } }

/** The failure itself, under the wrappers that the SDK puts around it: `detail` of a connection error, `raw.exception` of a body that is no JSON. */
function within<T extends Error>(error: unknown, kind: new (...args: never[]) => T): T | undefined {
  for (let at = error as Wrapper | undefined, depth = 0; at instanceof Error && depth < 6; depth++) {
    if (at instanceof kind) return at
    at = (at.cause ?? at.detail ?? at.raw?.exception) as Wrapper | undefined
  }
  return undefined
}

/** What a mutating call proves (design: effects, Verdicts): by phase and by status, never by an error code alone. */
export function verdictOf(error: unknown, lostBody: 'succeeded' | 'pending' | 'unknown'): Verdict {
  const failed = within(error, CallFailed)
  if (failed) {
    const why: EffectError = { code: failed.written ? 'no_answer' : 'not_sent', message: failed.message }
    return failed.written ? { kind: 'unknown', evidence: {}, error: why } : { kind: 'not_sent', error: why }
  }
  const broken = within(error, BrokenOff)
  if (broken) {
    const why = { code: 'broken_answer', message: broken.message, provider_status: broken.status }
    // A 2xx is a yes, though what the body said is lost: what that means is the effect's to say.
    if (broken.status < 300) return { kind: lostBody, evidence: { status: broken.status }, error: why }
    return { kind: certainRefusal(broken.status) ? 'rejected' : 'unknown', evidence: { status: broken.status }, error: why }
  }
  if (error instanceof Stripe.errors.StripeError && error.statusCode) {
    const { statusCode: status, rawType, code, message, requestId } = error
    const why: EffectError = { code: code ?? rawType ?? 'provider_error', message, provider_status: status, ...(code ? { provider_code: code } : {}) }
    const evidence = { status, type: rawType ?? null, code: code ?? null, request_id: requestId ?? null }
    const ambiguous = !certainRefusal(status) || rawType === 'idempotency_error' || code === 'idempotency_key_in_use'
    return { kind: ambiguous ? 'unknown' : 'rejected', evidence, error: why }
  }
  return { kind: 'unknown', evidence: {}, error: { code: 'no_answer', message: error instanceof Error ? error.message : 'no answer' } }
}

/** 4xx says that nothing was done; 408 and 409 say something else (effects: a key in use, a request that took too long). 429: nothing ran. */
const certainRefusal = (status: number): boolean => status === 307 || status === 308 || (status >= 400 && status < 500 && status !== 408 && status !== 409)

/** A mutating call under our key, at most once. */
export async function sendToStripe<T>(
  sending: Sending,
  account: string | null,
  send: (client: Stripe, options: Stripe.RequestOptions) => Promise<Stripe.Response<T>>,
  read: (answer: T) => Verdict,
  lostBody: 'succeeded' | 'pending' | 'unknown' = 'unknown',
): Promise<Verdict> {
  let answer: Stripe.Response<T>
  try {
    const limitMs = Math.max(1, sending.endBy - performance.now())
    answer = await send(stripe({ limitMs, firstByteBy: sending.firstByteBy }), { idempotencyKey: sending.id, ...(account ? { stripeAccount: account } : {}) })
  } catch (error) {
    return verdictOf(error, lostBody)
  }
  return read(answer)
}

/** Reads are not effects: they may repeat, and Temporal repeats them. */
export const reading = (account: string | null): { client: Stripe; options: Stripe.RequestOptions } => ({
  client: stripe({ limitMs: 10_000 }),
  options: account ? { stripeAccount: account } : {},
})
