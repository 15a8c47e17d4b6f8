// Order events carry the order as the API returns it at that moment. A booking of the business surface publishes events
// of its own instead.
import type { EntityManager } from '@mikro-orm/postgresql'
import { BookingRecord, ReservationRecord } from '../../rules/bookings/booking-records.ts'
import { OrderOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import type { EventType } from '../../rules/webhooks/events.ts'
// Backwards: an order that is a booking is published as its own module returns it.
import { readBooking } from '../bookings/booking-records.ts'
import type { RowOf } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { isEitherWanted, writeEvents } from '../webhooks/events.ts'
import type { Order } from './order.ts'

type Shown = { module: Order['module']; data: unknown }

/** The order as GET …/orders/{id} returns it, or the booking as its own module does. Its changes must be flushed. */
async function orderShown(em: EntityManager, tenantId: string, id: string): Promise<Shown> {
  const rows: RowOf<Order>[] = await em.execute(sql`select * from orders where id = ${id} and tenant_id = ${tenantId}`)
  const [row] = rows
  if (!row) throw new Error(`there is no order ${id}`)
  const { module } = row
  if (!module) return { module, data: serialize(OrderOut, row) }
  return {
    module,
    data: serialize(module === 'booking' ? BookingRecord : ReservationRecord, await readBooking(em, row)),
  }
}

/** The name of the event of an order or a booking. */
export const createdEvent = (isBooking: boolean): EventType => (isBooking ? 'booking.created' : 'order.created')

/** Publishes the creation of an order that has a subscriber. `now` in Unix seconds. */
export async function orderCreated(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  const { module, data } = await orderShown(em, tenantId, id)
  await writeEvents(em, createdEvent(module !== null), [{ tenant_id: tenantId, data }], now)
}

/**
 * Publishes `order.updated`, or `booking.updated`, once per transaction and as its last step: for every new version of
 * an order, and for a cash payment. The order's changes must be flushed. One statement if there is no subscriber. `now`
 * in Unix seconds.
 */
export async function orderUpdated(
  em: EntityManager,
  { id, tenant_id }: { id: string; tenant_id: string },
  now: number,
): Promise<void> {
  if (!(await isEitherWanted(em, tenant_id, 'order.updated', 'booking.updated'))) return
  const { module, data } = await orderShown(em, tenant_id, id)
  await writeEvents(em, module ? 'booking.updated' : 'order.updated', [{ tenant_id, data }], now)
}
