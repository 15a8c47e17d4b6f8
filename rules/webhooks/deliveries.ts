// Delivery of events to webhooks: signature, retries, and when a webhook is disabled (Standard Webhooks 1.0).
import { z } from 'zod'
import { isSuccess } from '../http-verdicts.ts'
import { serialize } from '../serialize.ts'
import type { TenantKind } from '../stores/tenant-kinds.ts'
import { businessEventShapes } from './event-shapes.ts'
import { type EventType, eventNameForBusiness } from './events.ts'

export const DeliveryStatus = z.enum(['pending', 'succeeded', 'failed'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

export const RESPONSE_BYTES_MAX = 4096
/** Seconds for which a replaced secret still signs deliveries. */
export const SECRET_OVERLAP_S = 86_400
const retryAfterMaxS = 86_400
/** Seconds of failing attempts after which a webhook is disabled. */
export const FAILING_MAX_S = 5 * 86_400

export type EventHead = { id: string; type: EventType; created_at: number; tenant_id: string; kind: TenantKind }

/** An event as its receiver gets it: that of a business is spelled by the business surface. */
export function eventOf({ id, type, created_at, tenant_id, kind }: EventHead, data: unknown): Record<string, unknown> {
  if (kind === 'store') return { id, type, created_at, store_id: tenant_id, data }
  const name = eventNameForBusiness(type)
  return serialize(
    businessEventShapes[name] as z.ZodType,
    { id, type: name, created_at, business_id: tenant_id, data },
    'business',
  ) as Record<string, unknown>
}

/** The body that is sent and signed, the same in every attempt. `data` is JSON. */
export function bodyOf(head: EventHead, data: string): string {
  if (head.kind !== 'store') return JSON.stringify(eventOf(head, JSON.parse(data)))
  // The text is not parsed: it may be long.
  return `${JSON.stringify(eventOf(head, null)).slice(0, -'null}'.length)}${data}}`
}

/** The text that is signed; `at` in Unix seconds (Standard Webhooks, Signature scheme). */
export const signedText = (id: string, at: number, body: string): string => `${id}.${at}.${body}`

/** Headers that the server or the connection sets. */
export const isReservedHeader = (name: string): boolean =>
  /^(webhook-.*|content-type|content-encoding|host|content-length|transfer-encoding|connection|keep-alive|upgrade|http2-settings|te|trailer|expect|accept-encoding|proxy-.*|alt-used|sec-.*)$/i.test(
    name,
  )

/**
 * Seconds to wait by `Retry-After`, a number of seconds or a date; a day at most (RFC 9110, 10.2.3). Null if it cannot
 * be parsed.
 */
export function retryAfterS(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  const text = header.trim()
  const seconds = /^\d{1,10}$/.test(text)
    ? Number(text)
    : /[a-z]/i.test(text)
      ? Math.ceil(Date.parse(text) / 1000) - now
      : Number.NaN
  return Number.isFinite(seconds) ? Math.min(retryAfterMaxS, Math.max(0, seconds)) : null
}

/** Result of an attempt. `status` is null without a final status line. */
export type Tried = { status: number | null; retry_after_s: number | null }
export type Settled = { status: 'succeeded' | 'failed' } | { status: 'pending'; wait_ms: number }

/**
 * `attempt`: the number of attempts so far, including this one; `scheduleS`: the pause before each attempt, in seconds;
 * `random` in [0, 1) varies it by a fifth in both directions. 2xx succeeds, 410 fails, anything else is retried, not
 * before `Retry-After`.
 */
export function afterTry(
  { status, retry_after_s }: Tried,
  attempt: number,
  scheduleS: readonly number[],
  random: number,
): Settled {
  if (status !== null && isSuccess(status)) return { status: 'succeeded' }
  const pause = scheduleS[attempt]
  if (status === 410 || pause === undefined) return { status: 'failed' }
  return { status: 'pending', wait_ms: Math.round(Math.max(pause * (0.8 + 0.4 * random), retry_after_s ?? 0) * 1000) }
}

/** Webhooks of one store. A webhook that does not answer occupies a slot of the task queue until it times out. */
export const WEBHOOKS_MAX = 100
/** Tests of one store that have no outcome yet. */
export const OPEN_TESTS_MAX = 10

/** Concurrent requests to one webhook. Repeated failures reduce the number, successes increase it. */
export const SLOTS_MAX = 32
const slotsMin = 4
export function slotsAfter(slots: number, failedInARow: number): number {
  if (failedInARow === 0) return Math.min(SLOTS_MAX, slots + 2)
  return failedInARow % 8 === 0 ? Math.max(slotsMin, slots >> 1) : slots
}

/** A signing secret (Standard Webhooks 1.0, Signature scheme): `whsec_` and base64, padded, of 24 to 64 bytes. */
export const signingSecret =
  /^whsec_(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}(?:[A-Za-z0-9+/]{2}==)?|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/
