// Optimistic concurrency of orders.
import { conflict } from '../../rules/refusal.ts'

/** Checks the version of an order. 409 stale_version with the current version. Requires the order's lock. */
export function checkVersion(order: { version: number }, version: number): void {
  if (order.version !== version)
    throw conflict('stale_version', `The order changed: its version is ${order.version}.`, {
      members: { version: order.version },
    })
}
