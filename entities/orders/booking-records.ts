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

type Part = Pick<OrderBooking, 'id' | 'service_id' | 'provider_id' | 'service_key' | 'provider_key' | 'unit_price' | 'status' | 'slots' | 'total'> & {
  from: number
  to: number
}

/** The parts of the order of a payment p, as JSON. */
const parts = sql`coalesce((select jsonb_agg(jsonb_build_object('id', b.id, 'service_id', b.service_id, 'provider_id', b.provider_id, 'service_key', b.service_key,
    'provider_key', b.provider_key, 'unit_price', b.unit_price, 'status', b.status, 'slots', b.slots, 'total', b.total, 'from', b.starts_at, 'to', b.ends_at) order by b.position, b.id)
  from order_bookings b where b.tenant_id = p.tenant_id and b.order_id = p.order_id and not b.replaced), '[]') as parts`

const shown = (order: OrderRow, payment: RowOf<Payment>, parts: readonly Part[]) => ({
  ...order,
  status: order.booking_status as NonNullable<Order['booking_status']>,
  customer_info: { id: order.contact_id, verified: order.verified },
  payment: payment as never,
  forms: order.forms.map(({ key, entries }) => ({ form_id: key, values: Object.fromEntries(entries.map((one) => [one.key, one.value])) })),
  blocks: order.blocks ?? [],
  location: locationOf(order),
  subtotal: order.money.subtotal,
  total: order.money.total,
  parts,
  items: parts.flatMap(({ slots, ...part }) => slots.map(({ from, to }) => ({ ...part, from, to }))),
})

/** The records of orders of one tenant and module. Their changes must be flushed. One statement. */
export async function shownBookings(em: EntityManager, rows: readonly OrderRow[]) {
  const payments: (RowOf<Payment> & { parts: Part[] })[] = await em.execute(
    sql`select p.*, ${parts} from payments p where p.tenant_id = ${rows[0]?.tenant_id ?? null} and p.order_id = any (${uuids(rows.map(({ id }) => id))})`,
  )
  const byOrder = new Map(payments.map((payment) => [payment.order_id, payment]))
  return rows.flatMap((order) => {
    const payment = byOrder.get(order.id)
    return payment ? [shown(order, payment, payment.parts)] : []
  })
}

export const shownBooking = async (em: EntityManager, order: OrderRow) =>
  (await shownBookings(em, [order]))[0] as Awaited<ReturnType<typeof shownBookings>>[number]

/** The record as it is in the database now. One statement. */
export async function readBooking(em: EntityManager, tenantId: string, id: string) {
  const [row]: (RowOf<Order> & { of_order: RowOf<Payment>; parts: Part[] })[] = await em.execute(
    sql`select o.*, to_jsonb(p) as of_order, ${parts} from orders o join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id
     where o.id = ${id} and o.tenant_id = ${tenantId}`,
  )
  if (!row) throw new Error(`there is no booking ${id}`)
  return shown(row, row.of_order, row.parts)
}
