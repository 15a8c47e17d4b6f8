// Booked time of an order, as it was sold: a snapshot, and the authority that the schedule's days are a projection of.
import { defineEntity, p } from '@mikro-orm/core'
import type { Slot } from '../../rules/shapes.ts'
import { tenantRow } from '../kit/row.ts'
import { Order } from './order.ts'

const schema = defineEntity({
  name: 'OrderBooking',
  tableName: 'order_bookings',
  properties: {
    ...tenantRow,
    order_id: () => p.manyToOne(Order).mapToPk().deleteRule('cascade').joinColumn('order_id'),
    /** The order's created_at: so rows of one kind come from their index as the list sorts its orders. */
    ordered_at: p.bigint('number'),
    position: p.integer(),
    service_id: p.uuid(),
    provider_id: p.uuid(),
    service_key: p.string(),
    provider_key: p.string(),
    /** In order of time. */
    slots: p.json<Slot[]>(),
    starts_at: p.bigint('number'),
    ends_at: p.bigint('number'),
    quantity: p.integer(),
    unit_price: p.bigint('number'),
    subtotal: p.bigint('number'),
    discount: p.bigint('number'),
    tax: p.bigint('number'),
    total: p.bigint('number'),
    status: p.enum(['pending', 'confirmed', 'completed', 'no_show', 'cancelled'] as const).default('pending'),
    /** When the next reminder is due; null where none is to come. */
    remind_at: p.bigint('number').nullable(),
    /** The start of the last slot that was reminded of. */
    reminded_slot: p.bigint('number').nullable(),
  },
  indexes: [
    { properties: ['order_id', 'position'] },
    { properties: ['tenant_id', 'service_id', 'ordered_at', 'order_id'] },
    { properties: ['tenant_id', 'provider_id', 'ordered_at', 'order_id'] },
    { properties: ['tenant_id', 'status', 'ordered_at', 'order_id'] },
    {
      name: 'order_bookings_ahead',
      expression: `create index "order_bookings_ahead" on "order_bookings" ("tenant_id", "ends_at") where status in ('pending', 'confirmed')`,
    },
    {
      name: 'order_bookings_remind',
      expression: 'create index "order_bookings_remind" on "order_bookings" ("remind_at") where remind_at is not null',
    },
  ],
})
export class OrderBooking extends schema.class {}
schema.setClass(OrderBooking)
