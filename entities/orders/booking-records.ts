// Bookings and reservations with their parts and payments, as they are returned.
import type { EntityManager } from '@mikro-orm/postgresql'
import { uuids } from '../kit/ids.ts'
import type { RowOf } from '../kit/row.ts'
import { sql } from '../kit/sql.ts'
import type { Order } from './order.ts'
import type { OrderBooking } from './order-booking.ts'
import type { Payment } from './payment.ts'

type OrderRow = Order | RowOf<Order>

const locationOf = ({ billing_address, coordinates }: OrderRow) => {
  const { country = null, state = null, city = null, postal_code = null } = billing_address ?? {}
  return billing_address || coordinates ? { country, state, city, postal_code, lat: coordinates?.lat ?? null, lng: coordinates?.lng ?? null } : null
}

/** The records of orders of one tenant and module. Their changes must be flushed. Two statements. */
export async function shownBookings(em: EntityManager, rows: readonly OrderRow[]) {
  const tenantId = rows[0]?.tenant_id ?? null
  const ids = uuids(rows.map(({ id }) => id))
  const parts: RowOf<OrderBooking>[] = await em.execute(
    sql`select * from order_bookings where tenant_id = ${tenantId} and order_id = any (${ids}) and not replaced order by position, id`,
  )
  const payments: RowOf<Payment>[] = await em.execute(sql`select * from payments where tenant_id = ${tenantId} and order_id = any (${ids})`)
  const partsByOrder = Map.groupBy(parts, ({ order_id }) => order_id)
  const paymentByOrder = new Map(payments.map((payment) => [payment.order_id, payment]))
  return rows.map((order) => {
    const own = partsByOrder.get(order.id) ?? []
    const sold = ({ id, service_id, provider_id, service_key, provider_key, unit_price, status }: RowOf<OrderBooking>) => ({
      ...{ id, service_id, provider_id, service_key, provider_key, unit_price, status },
    })
    return {
      ...order,
      status: order.booking_status as NonNullable<Order['booking_status']>,
      customer_info: { id: order.contact_id, verified: order.verified },
      payment: paymentByOrder.get(order.id) as never,
      forms: order.forms.map(({ key, entries }) => ({ form_id: key, values: Object.fromEntries(entries.map((one) => [one.key, one.value])) })),
      blocks: order.blocks ?? [],
      location: locationOf(order),
      subtotal: order.money.subtotal,
      total: order.money.total,
      parts: own.map((part) => ({ ...sold(part), slots: part.slots, from: part.starts_at, to: part.ends_at, total: part.total })),
      items: own.flatMap((part) => part.slots.map(({ from, to }) => ({ ...sold(part), from, to }))),
    }
  })
}

export const shownBooking = async (em: EntityManager, order: OrderRow) =>
  (await shownBookings(em, [order]))[0] as Awaited<ReturnType<typeof shownBookings>>[number]
