// What is confirmed with an order: its lines, its bookings and their reminders.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type ConfirmedState, meanings } from '../../rules/bookings/bookings.ts'
// Backwards: an order is confirmed with its bookings and their reminders.
import { OrderBooking } from '../bookings/order-booking.ts'
import { refreshReminders } from '../bookings/reminders.ts'
import type { Order } from './order.ts'
import { OrderLine } from './order-line.ts'

/** Confirms the pending lines and bookings of a confirmed order. */
export async function confirmItems(em: EntityManager, orderId: string, now: number): Promise<void> {
  await em.nativeUpdate(OrderLine, { order_id: orderId, status: 'pending' }, { status: 'confirmed', updated_at: now })
  await em.nativeUpdate(
    OrderBooking,
    { order_id: orderId, status: 'pending' },
    { status: 'confirmed', updated_at: now },
  )
}

/**
 * Confirms the lines and parts of an order that was just paid and confirmed, and flushed. A booking has parts alone,
 * and those that others have replaced stay.
 */
export async function confirmPaid(em: EntityManager, order: Order, as: ConfirmedState, now: number): Promise<void> {
  if (!order.module) await confirmItems(em, order.id, now)
  else
    await em.nativeUpdate(
      OrderBooking,
      { order_id: order.id, replaced: false, status: 'pending' },
      { status: meanings[as].part, updated_at: now },
    )
  await refreshReminders(em, order.tenant_id, order.id, now)
}
