// An order tells at once how far it was handed over.
import type { EntityManager } from '@mikro-orm/postgresql'
import { fulfillmentOf } from '../../rules/orders/fulfillment.ts'
import type { Order } from './order.ts'
import { OrderBooking } from './order-booking.ts'
import { OrderLine } from './order-line.ts'

/** What was changed of its lines and bookings is written before. Under the order's lock. */
export async function refreshFulfillment(em: EntityManager, order: Order): Promise<void> {
  const lines = await em.find(OrderLine, { order_id: order.id })
  const bookings = await em.find(OrderBooking, { order_id: order.id })
  em.assign(order, { fulfillment_status: fulfillmentOf({ cancelled: order.status === 'cancelled', lines, bookings }) })
  await em.flush()
}
