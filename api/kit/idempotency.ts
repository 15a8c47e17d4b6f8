// Idempotency by an id that the caller makes: the same id and payload return the same record, another payload is a conflict.
//   const earlier = replay(await em.findOne(Refund, { refund_id }), fingerprintOf({ order_id, amount }))
import { createHash } from 'node:crypto'
import { conflict } from '../../rules/refusal.ts'

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

export const idempotencyConflict = () => conflict('idempotency_conflict', 'The id was used before with another payload. Use a new id for another request.')

type EffectRow = { id: string; fingerprint: string }

/**
 * Returns the earlier record with the caller's id, or null. Must be called under a lock that every writer of such records acquires, so that of two concurrent
 * equal requests one inserts and one replays. 409 idempotency_conflict for another payload.
 */
export function replay<R extends EffectRow>(found: R | null, fingerprint: string): R | null {
  if (found && found.fingerprint !== fingerprint) throw idempotencyConflict()
  return found
}
