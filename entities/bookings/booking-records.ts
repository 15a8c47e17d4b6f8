// Bookings and reservations with their parts and payments, as they are returned.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { RowOf } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import type { Order } from '../orders/order.ts'
import type { Payment } from '../payments/payment.ts'
import type { OrderBooking } from './order-booking.ts'

const locationOf = ({ billing_address, coordinates }: RowOf<Order>) => {
  const { country = null, state = null, city = null, postal_code = null } = billing_address ?? {}
  return billing_address || coordinates
    ? { country, state, city, postal_code, lat: coordinates?.lat ?? null, lng: coordinates?.lng ?? null }
    : null
}

type Part = Pick<
  OrderBooking,
  'id' | 'service_id' | 'provider_id' | 'service_key' | 'provider_key' | 'unit_price' | 'status' | 'slots' | 'total'
> & {
  from: number
  to: number
}

/** A payment that belongs to an order. */
type OrderPayment = RowOf<Payment> & { order_id: string }

/** The parts of the order of a payment p, as JSON. */
const parts = sql`
  coalesce(
    (
      select jsonb_agg(
        jsonb_build_object(
          'id', b.id, 'service_id', b.service_id, 'provider_id', b.provider_id, 'service_key', b.service_key,
          'provider_key', b.provider_key, 'unit_price', b.unit_price, 'status', b.status, 'slots', b.slots, 'total',
          b.total, 'from', b.starts_at, 'to', b.ends_at
        ) order by b.position,
        b.id
      )
      from order_bookings b
      where b.tenant_id = p.tenant_id and b.order_id = p.order_id and not b.replaced
    ),
    '[]'
  ) as parts
`

const shown = (order: RowOf<Order>, payment: OrderPayment, parts: readonly Part[]) => ({
  ...order,
  status: order.booking_status as NonNullable<Order['booking_status']>,
  customer_info: { id: order.contact_id, verified: order.verified },
  payment,
  forms: order.forms.map(({ key, entries }) => ({
    form_id: key,
    values: Object.fromEntries(entries.map((one) => [one.key, one.value])),
  })),
  blocks: order.blocks ?? [],
  location: locationOf(order),
  subtotal: order.money.subtotal,
  total: order.money.total,
  parts,
  items: parts.flatMap(({ slots, ...part }) => slots.map(({ from, to }) => ({ ...part, from, to }))),
})

/**
 * The records of these orders of one tenant as they are in the database now. One statement, orders included: they may
 * have changed since they were found, and a record is one state.
 */
export async function readBookings(em: EntityManager, orders: readonly Pick<Order, 'id' | 'tenant_id'>[]) {
  const rows: (RowOf<Order> & { of_order: OrderPayment; parts: Part[] })[] = await em.execute(sql`
    select o.*, to_jsonb(p) as of_order, ${parts}
    from orders o
    join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id
    where o.tenant_id = ${orders[0]?.tenant_id ?? null} and o.id = any (${uuids(orders.map(({ id }) => id))})
  `)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return orders.flatMap(({ id }) => {
    const row = byId.get(id)
    return row ? [shown(row, row.of_order, row.parts)] : []
  })
}

/** Its changes must be flushed. */
export async function readBooking(em: EntityManager, order: Pick<Order, 'id' | 'tenant_id'>) {
  const [booking] = await readBookings(em, [order])
  if (!booking) throw new Error(`there is no booking ${order.id}`)
  return booking
}
