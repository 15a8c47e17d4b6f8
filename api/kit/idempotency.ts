// Insert by the caller's own id, or replay: the same id and payload is the same record, another payload is a conflict.
//   const known = replay(await em.findOne(Refund, { refund_id }), fingerprintOf({ order_id, amount }))
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

/** SHA-256 of the payload and the ids of the path, whatever the order of its fields. */
export const fingerprintOf = (payload: Record<string, unknown>): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(payload)))
    .digest('hex')

export const idempotencyConflict = () => conflict('idempotency_conflict', 'This id was used before, with another payload. A new intention needs a new id.')

type EffectRow = { id: string; fingerprint: string }

/**
 * Finds the record that the caller's id names, or says that there is none yet. Called under a lock that every writer of such records
 * takes, so that two equal requests at once are one insert and one replay. 409 idempotency_conflict for another payload.
 */
export function replay<R extends EffectRow>(found: R | null, fingerprint: string): R | null {
  if (found && found.fingerprint !== fingerprint) throw idempotencyConflict()
  return found
}
