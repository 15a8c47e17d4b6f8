// The status of a booking, as its order and its parts say it. Requires the locks of the order and its payment.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type BookingState, type CancelReason, isOver, meanings, reasonFor } from '../../rules/bookings/bookings.ts'
import type { Order } from '../orders/order.ts'
import { orderUpdated } from '../orders/order-events.ts'
import { wakeCheckout } from '../payments/checkout-steps.ts'
import { OrderBooking } from './order-booking.ts'
import { refreshReminders } from './reminders.ts'

/** The parts of a booking, without those that others have replaced. */
export const partsOf = (em: EntityManager, id: string) =>
  em.find(OrderBooking, { order_id: id, replaced: false }, { orderBy: { position: 'asc' } })

/** The caller sets `hold_until` of a booking that waits for a decision. */
export function writeState(em: EntityManager, order: Order, to: BookingState): void {
  const { order: status } = meanings[to]
  em.assign(order, {
    booking_status: to,
    status: status === 'confirmed' && order.status === 'partially_cancelled' ? order.status : status,
    cancel_requested: false,
    cancel_reason: isOver(to) ? reasonFor(to) : null,
    ...(to === 'created' ? {} : { hold_until: null }),
    ...(isOver(to) ? {} : { cancelled_at: null }),
  })
}

export const writeParts = (
  em: EntityManager,
  parts: readonly OrderBooking[],
  status: OrderBooking['status'],
  now: number,
): void => {
  for (const part of parts) if (part.status !== status) em.assign(part, { status, updated_at: now })
}

/**
 * The booking ends when its form is closed, for which it waits like one that was just checked out. `edited`: the caller
 * has changed something else.
 */
export async function awaitClosing(
  em: EntityManager,
  order: Order,
  reason: CancelReason,
  edited: boolean,
  now: number,
): Promise<void> {
  // The same request may be repeated until the form is closed: that alone is no new version.
  const changed = edited || order.booking_status !== 'created'
  if (order.booking_status !== 'created') {
    writeState(em, order, 'created')
    writeParts(em, await partsOf(em, order.id), 'pending', now)
  }
  em.assign(order, {
    cancel_requested: true,
    cancel_reason: reason,
    updated_at: now,
    ...(changed ? { version: order.version + 1 } : {}),
  })
  await em.flush()
  await refreshReminders(em, order.tenant_id, order.id, now)
  await wakeCheckout(em, order, true)
  if (changed) await orderUpdated(em, order, now)
}
