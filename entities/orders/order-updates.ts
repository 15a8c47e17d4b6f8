// Updates an order under optimistic concurrency: a caller that read an older version gets 409 stale_version with the
// current one. What changes is decided (order-update-plan.ts) before anything is written.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { stateOfParts } from '../../rules/bookings/bookings.ts'
import { notFound } from '../../rules/refusal.ts'
// Backwards: one update changes an order and its bookings, under the order's lock.
import { awaitClosing } from '../bookings/booking-states.ts'
import { OrderBooking } from '../bookings/order-booking.ts'
import { refreshReminders } from '../bookings/reminders.ts'
import { sql } from '../kit/database/sql.ts'
// Backwards: the payment is locked after its order, and ended with it.
import { requestEnd } from '../payments/authorization-ends.ts'
import { wakeCheckout, wakeHold } from '../payments/checkout-steps.ts'
import { lockPayment } from '../payments/payment-lock.ts'
import { confirmItems } from './confirmation.ts'
import { refreshFulfillment } from './fulfillment.ts'
import { Order } from './order.ts'
import { orderUpdated } from './order-events.ts'
import {
  checkChanges,
  type LockedOrder,
  type OrderChanges,
  type OrderUpdatePlan,
  planUpdate,
} from './order-update-plan.ts'
import { cancelOrder } from './release.ts'
import { replaceItems } from './replacement.ts'
import { checkVersion } from './version.ts'

/** Locks the order, then its payment. 404; 409 stale_version. */
async function lockForUpdate(em: EntityManager, id: string, version: number): Promise<LockedOrder> {
  const order = await em.findOne(Order, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!order) throw notFound('order')
  checkVersion(order, version)
  const payment = await lockPayment(em, { order_id: id })
  if (!payment) throw notFound('payment')
  return { order, payment }
}

/**
 * Writes everything but the cancellation, as one version. Requires the locks of lockForUpdate; replaceItems and
 * confirmItems take theirs after them. 409 and 422 as replaceItems says. `now` in Unix seconds.
 */
async function writeChanges(
  em: EntityManager,
  { order, payment }: LockedOrder,
  { edits, confirms, items, empties, move, bookings }: OrderUpdatePlan,
  now: number,
): Promise<void> {
  // Cancelling increments the version itself, now or when the page is closed: one write is one version, and the same
  // request may be repeated.
  const version = move === 'none' ? order.version + 1 : order.version
  em.assign(order, { ...edits, version, updated_at: now })
  if (items && !empties) await replaceItems(em, order, payment, items, now)
  if (confirms)
    em.assign(order, {
      status: 'confirmed',
      ...(order.module ? { booking_status: 'confirmed', hold_until: null } : {}),
    })
  await em.flush()
  if (confirms) await confirmItems(em, order.id, now)
  if (bookings.length > 0 && order.module)
    em.assign(order, { booking_status: stateOfParts(await em.find(OrderBooking, { order_id: order.id })) })
  if (items || bookings.length > 0) await refreshFulfillment(em, order)
  if (items || bookings.length > 0 || confirms) await refreshReminders(em, order.tenant_id, order.id, now)
}

/**
 * Cancels the order, or requests that the provider's page is closed first. Requires the locks of lockForUpdate;
 * cancelOrder takes its own after them. `now` in Unix seconds.
 */
async function cancelOrClose(
  em: EntityManager,
  order: Order,
  { move, changes }: OrderUpdatePlan,
  now: number,
): Promise<void> {
  if (move === 'cancel') {
    await cancelOrder(em, order, now, { reason: 'requested' })
    // Nothing is captured for a booking that ends.
    if (order.approval_required) await requestEnd(em, order.tenant_id, order.id, { kind: 'cancel' }, now)
  }
  if (move !== 'expire_session') return
  if (order.module) return awaitClosing(em, order, 'requested', changes, now)
  // No new version: the same request may be repeated until the page is closed.
  await em.execute(sql`
    update orders
    set cancel_requested = true, updated_at = ${now}
    where id = ${order.id} and tenant_id = ${order.tenant_id}
  `)
  await wakeCheckout(em, order, true)
}

/**
 * `closing`: the order is cancelled when the provider's page is closed. Locks the order, its payment, and then what the
 * changes need. `now` in Unix seconds.
 */
export async function updateOrder(
  em: EntityManager,
  id: string,
  changes: OrderChanges,
  now: number,
): Promise<{ order: Order; closing: boolean }> {
  checkChanges(changes)
  const locked = await lockForUpdate(em, id, changes.version)
  const { order } = locked
  const waited = order.approval_required && order.hold_until !== null
  const plan = await planUpdate(em, locked, changes, now)
  if (plan.changes) await writeChanges(em, locked, plan, now)
  await cancelOrClose(em, order, plan, now)
  const closing = plan.move === 'expire_session'
  // A requested cancellation publishes its event when it is done.
  if ((plan.changes && !(closing && order.module)) || plan.move === 'cancel') await orderUpdated(em, order, now)
  await em.refresh(order)
  if (waited && order.hold_until === null) await wakeHold(em, order)
  return { order, closing }
}
