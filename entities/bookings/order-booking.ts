// Booked time as it was sold. The rows of schedule_days are a projection of these.
import { defineEntity, p } from '@mikro-orm/core'
import type { BookedSlot } from '../../rules/scheduling/occupancy.ts'
import { BookingStatus } from '../../rules/scheduling/slots.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Order } from '../orders/order.ts'

const schema = defineEntity({
  name: 'OrderBooking',
  tableName: 'order_bookings',
  properties: {
    ...tenantRow,
    order_id: () => p.manyToOne(Order).mapToPk().deleteRule('cascade').joinColumn('order_id'),
    /** The order's created_at: an index by it finds bookings in the order in which the list sorts orders. */
    ordered_at: p.bigint('number'),
    position: p.integer(),
    service_id: p.uuid(),
    provider_id: p.uuid(),
    service_key: p.string(),
    provider_key: p.string(),
    /** Sorted by time. Slots of the version before 0.3 have no limit. */
    slots: p.json<BookedSlot[]>(),
    starts_at: p.bigint('number'),
    ends_at: p.bigint('number'),
    quantity: p.integer(),
    unit_price: p.bigint('number'),
    subtotal: p.bigint('number'),
    discount: p.bigint('number'),
    tax: p.bigint('number'),
    total: p.bigint('number'),
    status: p.enum(BookingStatus.options).default('pending'),
    /** Cancelled because other items took its place: it stays cancelled when its order is set back. */
    replaced: p.boolean().default(false),
    /** When the next reminder is due; null if none is due any more. */
    remind_at: p.bigint('number').nullable(),
    /** A workflow waits for `remind_at`, or was started for it. */
    reminder_started: p.boolean().default(false),
    /** Start of the last slot for which a reminder was published. */
    reminded_slot: p.bigint('number').nullable(),
  },
  indexes: [
    { properties: ['order_id', 'position'] },
    { properties: ['tenant_id', 'starts_at'] },
    { properties: ['tenant_id', 'ends_at'] },
    { properties: ['tenant_id', 'service_id', 'ordered_at', 'order_id'] },
    { properties: ['tenant_id', 'provider_id', 'ordered_at', 'order_id'] },
    { properties: ['tenant_id', 'status', 'ordered_at', 'order_id'] },
    {
      name: 'order_bookings_remind',
      expression: 'create index "order_bookings_remind" on "order_bookings" ("remind_at") where remind_at is not null',
    },
    {
      name: 'order_bookings_remind_later',
      expression: `
        create index "order_bookings_remind_later" on "order_bookings" ("remind_at")
        where remind_at is not null and not reminder_started
      `,
    },
  ],
})
export class OrderBooking extends schema.class {}
schema.setClass(OrderBooking)
