// Orders of a store. Payment, refunds, disputes and lines are resources of their own.
import { z } from 'zod'
import { membersOf } from '../../entities/audiences/access.ts'
import { hasAddress, soughtAddresses, soughtPhone } from '../../entities/crm/sought-addresses.ts'
import { condition } from '../../entities/kit/database/condition.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { list, type Sql, sql, text } from '../../entities/kit/database/sql.ts'
import { Order } from '../../entities/orders/order.ts'
import { updateOrder } from '../../entities/orders/order-updates.ts'
import { PaymentSession } from '../../entities/payments/payment-session.ts'
import { paidMeanwhile } from '../../entities/payments/payment-sessions.ts'
import { ProductItem } from '../../rules/carts/items.ts'
import { FormEntry } from '../../rules/content/form-entries.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { BookingMove } from '../../rules/orders/orders.ts'
import { OrderLineStatus, OrderStatus } from '../../rules/orders/statuses.ts'
import { invalidInput, unavailable } from '../../rules/refusal.ts'
import { OrderOut } from '../../rules/resources.ts'
import { BookingStatus } from '../../rules/scheduling/slots.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { Address } from '../../rules/stores/addresses.ts'
import { BookingItems, quantityFaults } from '../carts/carts.ts'
import { pricingProblems } from '../carts/pricing-problems.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { Reply } from '../kit/answer/replies.ts'
import { flag, many, searchText } from '../kit/query.ts'
import { route } from '../kit/route.ts'

/** Filters by values of an order's lines and bookings: their table and column. */
const partFilters = {
  product_ids: ['order_lines', 'product_id'],
  product_statuses: ['order_lines', 'status'],
  service_ids: ['order_bookings', 'service_id'],
  provider_ids: ['order_bookings', 'provider_id'],
  booking_statuses: ['order_bookings', 'status'],
} as const

/**
 * Orders with lines and bookings of these values; each filter may match a different row. The condition on ordered_at is
 * redundant: with it, PostgreSQL reads every side from an index in the order of the list and merges them, instead of
 * probing order by order. The `exists` are nested, so that rows without a match in the others are dropped before orders
 * are read.
 */
const having = (sent: Record<string, unknown>) => {
  const wanted = Object.entries(partFilters).flatMap(([name, [table, column]]) =>
    sent[name] === undefined ? [] : [{ table, column, values: sent[name] as readonly string[] }],
  )
  const exists = (order: { id: Sql; tenant: Sql; at: Sql }, at: number): Sql => {
    const part = wanted[at]
    if (!part) return text('true')
    const x = text(`x${at}`)
    const isWanted = part.values.length > 0 ? sql`in (${list(part.values)})` : text('in (null)')
    return sql`
      exists (
        select 1
        from ${text(part.table)} ${x}
        where ${x}.order_id = ${order.id} and ${x}.tenant_id = ${order.tenant} and ${x}.ordered_at = ${order.at}
          and ${x}.${text(part.column)} ${isWanted}
          and ${exists({ id: sql`${x}.order_id`, tenant: sql`${x}.tenant_id`, at: sql`${x}.ordered_at` }, at + 1)}
      )
    `
  }
  return condition((rows) =>
    exists({ id: sql`${rows}.id`, tenant: sql`${rows}.tenant_id`, at: sql`${rows}.created_at` }, 0),
  )
}

/** All part filters of a request make one condition, which the first of them contributes. */
export const partFilter = <T extends z.ZodType>(name: keyof typeof partFilters, value: T) =>
  filter(many(value), (_, sent) =>
    Object.keys(partFilters).find((one) => sent[one] !== undefined) === name ? having(sent) : {},
  )

/**
 * Matches the number of an order, the id of an order or contact, the beginning of a contact's address, or a telephone
 * number in any spelling.
 */
export async function searchOrders(
  text: string,
  _: unknown,
  { em, tenant_id }: { em: EntityManager; tenant_id: string },
): Promise<Record<string, unknown>> {
  const number = /^#?\d{1,15}$/.test(text) ? Number(text.replace('#', '')) : null
  const id = z.guid().safeParse(text)
  if (id.success) return { $or: [{ id: id.data.toLowerCase() }, { contact_id: id.data.toLowerCase() }] }
  if (number === null) return hasAddress(await soughtAddresses(em, tenant_id, text))
  const phone = await soughtPhone(em, tenant_id, text)
  return phone === null ? { number } : { $or: [{ number }, hasAddress([phone])] }
}

export const orders = [
  listing('GET /v1/stores/{storeId}/orders', {
    may: 'admin',
    summary: 'List the orders',
    entity: Order,
    unmanaged: true,
    item: OrderOut,
    sorts: ['number'],
    filters: {
      contact_id: filter(Id, (contact_id) => ({ contact_id })),
      statuses: filter(many(anyCase(OrderStatus)), (statuses) => ({ status: { $in: statuses } })),
      product_statuses: partFilter('product_statuses', anyCase(OrderLineStatus)),
      product_ids: partFilter('product_ids', Id),
      booking_statuses: partFilter('booking_statuses', anyCase(BookingStatus)),
      service_ids: partFilter('service_ids', Id),
      provider_ids: partFilter('provider_ids', Id),
      verified: filter(flag, (verified) => ({ verified })),
      audience_id: filter(Id, (audience) => membersOf(audience)),
      query: filter(
        searchText().describe(
          "Number of an order, identifier of an order or contact, beginning of a contact's address, or a telephone number in any spelling.",
        ),
        searchOrders,
      ),
    },
  }),
  reading('GET /v1/stores/{storeId}/orders/{id}', {
    may: 'admin',
    summary: 'Read an order',
    entity: Order,
    out: OrderOut,
  }),
  route('PUT /v1/stores/{storeId}/orders/{id}', {
    may: 'admin',
    refuses: [
      'booking_cancelled',
      'booking_completed',
      'booking_not_confirmed',
      'booking_not_started',
      'order_cancelled',
      'order_shipped',
      'out_of_stock',
      'payment_captured',
      'payment_in_progress',
      'payment_must_be_refunded',
      'payment_not_captured',
      'refund_in_progress',
      'refund_unknown',
      'slot_taken',
      'stale_version',
      'booking_unknown',
      'cannot_change',
      'cancel_and_replace',
      'capture_unknown',
      'confirm_and_cancel',
      'decision_made',
      ...pricingProblems,
      'engine_unavailable',
      'provider_retryable',
    ],
    summary: 'Confirm, cancel or update an order',
    description:
      'Fields that are left out are kept. Confirming a card order requires its payment; cancelling requires that no captured amount, shipment or completed booking is left. If the ' +
      "provider's payment form of the order is still open, it is closed before the order is cancelled: after 503 `engine_unavailable` or `provider_retryable`, repeat the request. " +
      '409 `stale_version` if the order was changed since `version`; other 409s name what prevents the change.',
    body: z.object({
      version: z
        .int()
        .describe('Current version of the order, from the latest read. Another one returns 409 `stale_version`.'),
      confirm: z.boolean().optional().describe('True confirms the order; a card order must be paid.'),
      cancel: z.boolean().optional().describe('True cancels the order; a captured amount must be refunded first.'),
      shipping_address: Address.nullable()
        .optional()
        .describe('Where the goods are shipped; null removes it. The order is not priced again.'),
      billing_address: Address.nullable()
        .optional()
        .describe('Address of the invoice; null removes it. The order is not priced again.'),
      forms: z.array(FormEntry).max(100).optional().describe('Replaces the form values of the order.'),
      product_items: z
        .array(ProductItem)
        .max(500)
        .optional()
        .describe(
          'Replaces the lines and prices them again, as long as nothing is captured. An order without any item is cancelled.',
        ),
      booking_items: BookingItems.optional().describe(
        'Replaces the bookings and prices them again, as long as nothing is captured. An order without any item is cancelled.',
      ),
      booking_statuses: z
        .array(
          z.strictObject({
            id: Id.describe('Identifier of a booking of the order.'),
            status: anyCase(BookingMove).describe('New status of the booking.'),
          }),
        )
        .max(100)
        .check(distinct(({ id }) => id, 'id'))
        .optional()
        .describe('New statuses of confirmed bookings that have started.'),
    }),
    out: OrderOut,
    async run({ em, path, body, now }) {
      const faults = quantityFaults(body.product_items ?? [])
      if (faults.length > 0) throw invalidInput(faults)
      const { order, closing } = await updateOrder(em, path.id, body, now)
      return new Reply(order, { pending: closing ? order.id : undefined })
    },
    wait: {
      async until({ em, pending: id }) {
        const order = await em.findOneOrFail(Order, { id })
        if (order.status === 'cancelled') return order
        const session = await em.findOne(PaymentSession, { order_id: order.id })
        if (session?.state === 'complete' || order.status === 'confirmed') throw paidMeanwhile()
        return undefined
      },
      late(_, engineAway, order_id) {
        throw unavailable(
          engineAway ? 'engine_unavailable' : 'provider_retryable',
          "The provider's payment form is not closed yet. Repeat the request.",
          {
            order_id,
          },
        )
      },
    },
  }),
]
