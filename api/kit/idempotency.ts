// Idempotency by an id that the caller makes: the same id and payload return the same record, another payload is a
// conflict. On the business surface the caller has no id: the server makes it, of the header Idempotency-Key or of the
// request.
//   const earlier = replay(await em.findOne(Refund, { refund_id }), fingerprintOf({ order_id, amount }))
import { createHash } from 'node:crypto'
import { conflict, invalidInput } from '../../rules/refusal.ts'
import { type Headers, headerOf } from './caller.ts'

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  )
}

/** SHA-256 of the payload and the ids of the path, independent of the order of fields. */
export const fingerprintOf = (payload: Record<string, unknown>): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(payload)))
    .digest('hex')

export const idempotencyConflict = () =>
  conflict('idempotency_conflict', 'The id was used before with another payload. Use a new id for another request.')

type EffectRow = { id: string; fingerprint: string }

/**
 * Returns the earlier record with the caller's id, or null. Must be called under a lock that every writer of such
 * records acquires, so that of two concurrent equal requests one inserts and one replays. 409 idempotency_conflict for
 * another payload.
 */
export function replay<R extends EffectRow>(found: R | null, fingerprint: string): R | null {
  if (found && found.fingerprint !== fingerprint) throw idempotencyConflict()
  return found
}

/**
 * The header of routes that take it (draft-ietf-httpapi-idempotency-key-header). `without`: when a request without it
 * is the same one.
 */
export const idempotencyKeyHeader = (without: string) => ({
  'Idempotency-Key': {
    description:
      'Names this request, in 1 to 255 printable ASCII characters. The same key and body return the same record, and nothing is done twice; another body is 409 ' +
      `\`idempotency_conflict\`. ${without}`,
  },
})
export const repeatsForMinutes =
  'Without the header, an equal request is the same one while the first is in progress or `unknown`, and for 10 minutes.'

/** The `Idempotency-Key` of a request; undefined without one. 422 for one that is no key. */
export function keyIn(headers: Headers): string | undefined {
  const key = headerOf(headers, 'idempotency-key')
  if (key !== undefined && !/^[ -~]{1,255}$/.test(key))
    throw invalidInput([
      { pointer: 'Idempotency-Key', code: 'invalid_format', detail: 'Expected 1 to 255 printable ASCII characters.' },
    ])
  return key
}

/**
 * A UUIDv8 of the parts (RFC 9562, 5.8): the same for the same parts. An id that is made of a key names the caller,
 * too: keys of different callers do not meet.
 */
export function idOf(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const repeatS = 600

/**
 * An earlier request with an equal payload. `isOpen`: it has no outcome, or one that cannot be proved. `isDone`: it did
 * what was asked.
 */
export type Earlier = { id: string; created_at: number; isOpen: boolean; isDone: boolean }

/**
 * The id of a request without a key: that of the last equal one while that is open, and for 10 minutes if it is done;
 * otherwise a new one, which two equal requests at once make alike. `now` in Unix seconds.
 */
export const repeatOf = (parts: readonly string[], last: Earlier | null, now: number): string =>
  last && (last.isOpen || (last.isDone && now - last.created_at < repeatS)) ? last.id : idOf(...parts, last?.id ?? '')
