// The fulfillment status of an order follows its lines and bookings.
import type { EntityManager } from '@mikro-orm/postgresql'
import { fulfillmentOf } from '../../rules/orders/fulfillment.ts'
// Backwards: bookings count for the fulfillment status of their order.
import { OrderBooking } from '../bookings/order-booking.ts'
import type { Order } from './order.ts'
import { OrderLine } from './order-line.ts'

/** Requires the changes of lines and bookings to be flushed, and the order's lock. */
export async function refreshFulfillment(em: EntityManager, order: Order): Promise<void> {
  const lines = await em.find(OrderLine, { order_id: order.id })
  const bookings = await em.find(OrderBooking, { order_id: order.id })
  em.assign(order, { fulfillment_status: fulfillmentOf({ cancelled: order.status === 'cancelled', lines, bookings }) })
  await em.flush()
}
