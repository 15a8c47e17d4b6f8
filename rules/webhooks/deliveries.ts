// How an event reaches a webhook: what is signed, when it is tried again, and when the webhook is given up (Standard Webhooks 1.0; design: automation,
// Deliveries).
import { z } from 'zod'
import type { EventType } from './events.ts'

export const DeliveryStatus = z.enum(['pending', 'succeeded', 'failed'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

export const RESPONSE_BYTES_MAX = 4096
/** A secret that was replaced signs for another day. Seconds. */
export const SECRET_OVERLAP_S = 86_400
const retryAfterMaxS = 86_400
/** Failing for so long, a webhook is disabled. Seconds. */
export const FAILING_MAX_S = 5 * 86_400

export type Told = { id: string; type: EventType | 'webhook.test'; created_at: number; store_id: string }

/** The bytes that are sent and signed, the same at every try: `data` is JSON already. */
export const bodyOf = ({ id, type, created_at, store_id }: Told, data: string): string =>
  `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"created_at":${created_at},"store_id":${JSON.stringify(store_id)},"data":${data}}`

/** What the signature is made of; `at` in Unix seconds (Standard Webhooks, Signature scheme). */
export const signedText = (id: string, at: number, body: string): string => `${id}.${at}.${body}`

/** Ours to say in every delivery, or the connection's. */
export const isReservedHeader = (name: string): boolean =>
  /^(webhook-.*|content-type|content-encoding|host|content-length|transfer-encoding|connection|keep-alive|upgrade|http2-settings|te|trailer|expect|accept-encoding|proxy-.*|alt-used|sec-.*)$/i.test(
    name,
  )

/** Seconds to wait, from `Retry-After` as a number of seconds or as a date; a day at most (RFC 9110, 10.2.3). Null: it says nothing that can be read. */
export function retryAfterS(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  const text = header.trim()
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : /[a-z]/i.test(text) ? Math.ceil(Date.parse(text) / 1000) - now : Number.NaN
  return Number.isFinite(seconds) ? Math.min(retryAfterMaxS, Math.max(0, seconds)) : null
}

/** How one try went: a final status line, or none. */
export type Tried = { status: number | null; retry_after_s: number | null }
export type Settled = { status: 'succeeded' | 'failed' } | { status: 'pending'; wait_ms: number }

/**
 * `attempt` is how many tries were begun, this one among them; `scheduleS` the pause before each, in seconds; `random` in [0, 1) spreads them by a fifth either
 * way. 2xx is taken; 410 asks for nothing more; anything else is tried again, not before `Retry-After`.
 */
export function afterTry({ status, retry_after_s }: Tried, attempt: number, scheduleS: readonly number[], random: number): Settled {
  if (status !== null && status >= 200 && status < 300) return { status: 'succeeded' }
  const pause = scheduleS[attempt]
  if (status === 410 || pause === undefined) return { status: 'failed' }
  return { status: 'pending', wait_ms: Math.round(Math.max(pause * (0.8 + 0.4 * random), retry_after_s ?? 0) * 1000) }
}

/** Of one store. Each may hold a slot of the queue for as long as it does not answer. */
export const WEBHOOKS_MAX = 100
/** Of one store: tests that have not ended, those that wait for a slot among them. */
export const OPEN_TESTS_MAX = 10

/** Requests that one webhook may have under way. One that only fails goes on with fewer; one that answers gets them back. */
export const SLOTS_MAX = 32
const slotsMin = 4
export function slotsAfter(slots: number, failedInARow: number): number {
  if (failedInARow === 0) return Math.min(SLOTS_MAX, slots + 2)
  return failedInARow % 8 === 0 ? Math.max(slotsMin, slots >> 1) : slots
}

/** A signing secret (Standard Webhooks 1.0, Signature scheme): `whsec_` and base64, padded, of 24 to 64 bytes. */
export const signingSecret = /^whsec_(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}(?:[A-Za-z0-9+/]{2}==)?|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/
