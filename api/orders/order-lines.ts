// Lines of an order, for operators and for the visitor who ordered: products, digital products and bookings.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { OrderBooking } from '../../entities/bookings/order-booking.ts'
import { ownRecords } from '../../entities/crm/session-rights.ts'
import { mustExist } from '../../entities/kit/find.ts'
import { Order } from '../../entities/orders/order.ts'
import { OrderLine } from '../../entities/orders/order-line.ts'
import { ProductLine } from '../../rules/orders/lines.ts'
import { OrderLineStatus } from '../../rules/orders/statuses.ts'
import { BookingOut } from '../../rules/resources.ts'
import { CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { route } from '../kit/route.ts'

const OrderLineOut = z
  .object({
    ...ProductLine.shape,
    order_id: z.string().describe('Identifier of the order.'),
    status: OrderLineStatus.describe(
      '`pending` until the order is confirmed, then `confirmed`; `cancelled` with the order or when it was replaced.',
    ),
    taxable: z.boolean().describe('Whether tax was calculated for the line.'),
    shipped_quantity: z.int().describe('Units of the line that were shipped.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'OrderLine' })

/** An order of the store, or one that must be the visitor's own. */
type OrderKey = { id: string } & Record<string, unknown>

async function linesOf(em: EntityManager, key: OrderKey, kind: OrderLine['kind']) {
  await mustExist(em, Order, key, 'order')
  return em.find(OrderLine, { order_id: key.id, kind }, { orderBy: { position: 'asc', id: 'asc' } })
}

async function bookingsOf(em: EntityManager, key: OrderKey) {
  await mustExist(em, Order, key, 'order')
  return em.find(OrderBooking, { order_id: key.id }, { orderBy: { position: 'asc', id: 'asc' } })
}

const [lines, bookings] = [z.array(OrderLineOut), z.array(BookingOut)]

export const orderLines = [
  route('GET /v1/stores/{storeId}/orders/{orderId}/products', {
    may: 'admin',
    summary: 'List the product lines of an order',
    out: lines,
    run: ({ em, path }) => linesOf(em, { id: path.orderId }, 'product'),
  }),
  route('GET /v1/stores/{storeId}/orders/{orderId}/digital-products', {
    may: 'admin',
    summary: 'List the digital lines of an order',
    out: lines,
    run: ({ em, path }) => linesOf(em, { id: path.orderId }, 'digital'),
  }),
  route('GET /v1/stores/{storeId}/orders/{orderId}/bookings', {
    may: 'admin',
    summary: 'List the bookings of an order',
    out: bookings,
    run: ({ em, path }) => bookingsOf(em, { id: path.orderId }),
  }),
  route('GET /v1/storefront/orders/{orderId}/products', {
    may: 'visitor',
    accepts: 'former-token',
    summary: "List the product lines of the visitor's own order",
    out: lines,
    run: ({ em, path, caller }) => linesOf(em, { id: path.orderId, ...ownRecords(caller) }, 'product'),
  }),
  route('GET /v1/storefront/orders/{orderId}/digital-products', {
    may: 'visitor',
    accepts: 'former-token',
    summary: "List the digital lines of the visitor's own order",
    out: lines,
    run: ({ em, path, caller }) => linesOf(em, { id: path.orderId, ...ownRecords(caller) }, 'digital'),
  }),
  route('GET /v1/storefront/orders/{orderId}/bookings', {
    may: 'visitor',
    accepts: 'former-token',
    summary: "List the bookings of the visitor's own order",
    out: bookings,
    run: ({ em, path, caller }) => bookingsOf(em, { id: path.orderId, ...ownRecords(caller) }),
  }),
]
