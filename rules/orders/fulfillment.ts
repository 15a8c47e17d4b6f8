// The fulfillment status of an order, and whether items may be shipped: not more than ordered, and not before the
// confirmation.
import type { BookingStatus } from '../scheduling/slots.ts'
import type { FulfillmentStatus, OrderLineStatus, OrderStatus } from './statuses.ts'

/** A line of goods. Goods that are picked up count like shipped ones. */
export type PhysicalLine = {
  status: OrderLineStatus
  requires_shipping: boolean
  quantity: number
  shipped_quantity: number
}

/** `done`: completed; `begun`: at least partly completed. */
const summary = (things: readonly { done: boolean; begun: boolean }[]): FulfillmentStatus => {
  if (things.length === 0) return 'none'
  if (things.every(({ done }) => done)) return 'fulfilled'
  return things.some(({ begun }) => begun) ? 'partially_fulfilled' : 'unfulfilled'
}

/**
 * The summary of shipments and booked services. Cancelled lines and bookings do not count. A cancelled order is
 * `cancelled` if it had anything to fulfil.
 */
export const fulfillmentOf = ({
  cancelled,
  lines,
  bookings,
}: {
  cancelled: boolean
  lines: readonly PhysicalLine[]
  bookings: readonly { status: BookingStatus }[]
}): FulfillmentStatus => {
  const physical = lines.filter(({ requires_shipping }) => requires_shipping)
  if (cancelled) return physical.length + bookings.length > 0 ? 'cancelled' : 'none'
  return summary([
    ...physical
      .filter(({ status }) => status !== 'cancelled')
      .map(({ quantity, shipped_quantity }) => ({ done: shipped_quantity >= quantity, begun: shipped_quantity > 0 })),
    ...bookings
      .filter(({ status }) => status !== 'cancelled')
      .map(({ status }) => status === 'completed' || status === 'no_show')
      .map((done) => ({ done, begun: done })),
  ])
}

export type ShipmentItem = { line_id: string; quantity: number }

/** `order_…` and `already_shipped` are 409, the others 422. `item`: index of the invalid item, `field`: its field. */
export type ShipmentRefused =
  | { ok: false; code: 'order_not_confirmed' | 'order_cancelled'; detail: string }
  | {
      ok: false
      code: 'line_unknown' | 'line_cancelled' | 'not_shippable'
      detail: string
      item: number
      field: 'line_id'
    }
  | {
      ok: false
      code: 'already_shipped'
      detail: string
      item: number
      field: 'quantity'
      line_id: string
      remaining: number
    }

/**
 * Whether these items may be shipped now. `lines`: all lines of the order; no line is named twice in `items`. A check
 * constraint also refuses to ship more than was ordered.
 */
export const mayShip = (
  status: OrderStatus,
  lines: readonly (PhysicalLine & { id: string })[],
  items: readonly ShipmentItem[],
): { ok: true } | ShipmentRefused => {
  if (status === 'pending') return { ok: false, code: 'order_not_confirmed', detail: 'The order is not confirmed.' }
  if (status === 'cancelled') return { ok: false, code: 'order_cancelled', detail: 'The order is cancelled.' }
  for (const [item, { line_id, quantity }] of items.entries()) {
    const at = { ok: false, item, field: 'line_id' } as const
    const line = lines.find(({ id }) => id === line_id)
    if (!line) return { ...at, code: 'line_unknown', detail: 'The order has no such line.' }
    if (line.status === 'cancelled') return { ...at, code: 'line_cancelled', detail: 'The line is cancelled.' }
    if (!line.requires_shipping) return { ...at, code: 'not_shippable', detail: 'The line does not require shipping.' }
    const remaining = line.quantity - line.shipped_quantity
    const detail =
      remaining === 0 ? 'All units of the line are shipped.' : `Only ${remaining} units of the line are left to ship.`
    if (quantity > remaining) return { ...at, code: 'already_shipped', detail, field: 'quantity', line_id, remaining }
  }
  return { ok: true }
}
