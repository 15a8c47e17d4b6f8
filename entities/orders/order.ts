// What was agreed. Payments, refunds and disputes are rows of their own.
import { defineEntity, p } from '@mikro-orm/core'
import { BookingModule, BookingState, CancelReason } from '../../rules/bookings/bookings.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import type { FormEntry } from '../../rules/content/form-entries.ts'
import type { OrderMoney, ShippingLine } from '../../rules/orders/lines.ts'
import { FulfillmentStatus, OrderStatus } from '../../rules/orders/statuses.ts'
import type { Address, GeoLocation } from '../../rules/stores/addresses.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    ...tenantRow,
    number: p.bigint('number'),
    status: p.enum(OrderStatus.options).default('pending'),
    fulfillment_status: p.enum(FulfillmentStatus.options),
    contact_id: p.uuid(),
    /** The visitor's session that made it, or the operator's account; null in rows of version 0.2.0. */
    made_by: p.uuid().nullable(),
    /** The contact had a verified address at checkout. */
    verified: p.boolean(),
    /** The contact's e-mail address at checkout: a verified one, else the latest that was claimed. */
    email: p.string().length(254).nullable(),
    /** When it was paid; an order without a price is paid at once. */
    paid_at: p.bigint('number').nullable(),
    source_cart_id: p.uuid().unique(),
    payment_id: p.uuid(),
    market: p.string(),
    money: p.json<OrderMoney>(),
    shipping_line: p.json<ShippingLine>().nullable(),
    pickup_location_id: p.uuid().nullable(),
    shipping_address: p.json<Address>().nullable(),
    billing_address: p.json<Address>().nullable(),
    forms: p.json<FormEntry[]>(),
    /** The promo code that was redeemed, as it was written at that time. */
    promo_code: p.string().nullable(),
    version: p.integer().default(1),
    /** When the reservation for a card payment expires; null if no card payment is awaited. */
    hold_until: p.datetime(3).nullable(),
    /** An operator cancelled it, and the provider's open session has to be closed first. */
    cancel_requested: p.boolean().default(false),
    /** A workflow waits for `hold_until`, or was started for it. A booking that has to be decided later has none. */
    hold_started: p.boolean().default(false),
    cancelled_at: p.bigint('number').nullable(),
    /** The contact's next cart, with the same items, if the order was released unpaid. */
    next_cart_id: p.uuid().nullable(),
    /** Set for a booking or reservation of the business surface; null for every other order. */
    module: p.enum(BookingModule.options).nullable(),
    booking_status: p.enum(BookingState.options).nullable(),
    /** Why it is over, or, while its payment form is being closed, why it will be. */
    cancel_reason: p.enum(CancelReason.options).nullable(),
    /** The customer booked a service that has to be approved. */
    approval_required: p.boolean().default(false),
    /** When it has to be decided, in Unix seconds. */
    decide_by: p.bigint('number').nullable(),
    blocks: p.json<Block[]>().nullable(),
    /** The customer's location. */
    coordinates: p.json<GeoLocation>().nullable(),
    /** Fingerprint of the request that made it and of its caller: an equal request is a repetition. */
    fingerprint: p.string().length(64).nullable(),
  },
  checks: [
    {
      name: 'orders_booking',
      expression: `
        (module is null) = (booking_status is null)
        and (
          booking_status is null
          or case status
            when 'pending' then booking_status in ('created', 'pending', 'authorized')
            when 'cancelled' then booking_status in ('cancelled', 'failed')
            else booking_status in ('confirmed', 'completed')
          end
        )
      `,
    },
  ],
  uniques: [{ properties: ['tenant_id', 'number'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { properties: ['tenant_id', 'contact_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'verified', 'created_at', 'id'] },
    {
      name: 'orders_booked',
      expression:
        'create index "orders_booked" on "orders" ("tenant_id", "module", "created_at", "id") where module is not null',
    },
    {
      name: 'orders_fingerprint',
      expression:
        'create index "orders_fingerprint" on "orders" ("tenant_id", "fingerprint") where fingerprint is not null',
    },
    {
      name: 'orders_paid_late',
      expression: `
        create index "orders_paid_late" on "orders" ("paid_at")
        where status = 'cancelled' and paid_at > cancelled_at
      `,
    },
    {
      name: 'orders_cancelling',
      expression: `create index "orders_cancelling" on "orders" ("id") where status = 'pending' and cancel_requested`,
    },
    {
      name: 'orders_held',
      expression:
        'create index "orders_held" on "orders" ("hold_until") where hold_until is not null and status = \'pending\'',
    },
    {
      name: 'orders_undecided',
      expression: `
        create index "orders_undecided" on "orders" ("hold_until")
        where approval_required and status = 'pending' and hold_until is not null and not hold_started
      `,
    },
  ],
})
export class Order extends schema.class {}
schema.setClass(Order)
