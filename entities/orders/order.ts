// A lean order: what was agreed. What was paid, refunded and disputed is in records of its own.
import { defineEntity, p } from '@mikro-orm/core'
import type { Address, FormEntry, OrderMoney, ShippingLine } from '../../rules/shapes.ts'
import { tenantRow } from '../kit/row.ts'

const schema = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    ...tenantRow,
    number: p.bigint('number'),
    status: p.enum(['pending', 'confirmed', 'partially_cancelled', 'cancelled'] as const).default('pending'),
    fulfillment_status: p.enum(['none', 'unfulfilled', 'partially_fulfilled', 'fulfilled', 'cancelled'] as const),
    contact_id: p.uuid(),
    /** The contact had a verified address at checkout. */
    verified: p.boolean(),
    /** The contact's address at checkout: the verified one, else the one that was claimed. */
    email: p.string().length(254).nullable(),
    /** When the money was there; of what costs nothing, at once. */
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
    /** The code that was redeemed, as it was written then. */
    promo_code: p.string().nullable(),
    version: p.integer().default(1),
    /** Until when the reservation waits for a card payment; null where nothing is awaited. */
    hold_until: p.datetime(3).nullable(),
    /** Somebody wants it cancelled, and the provider's open session has to be closed first. */
    cancel_requested: p.boolean().default(false),
    cancelled_at: p.bigint('number').nullable(),
    /** Released unpaid: the contact's next cart, with the same lines. */
    next_cart_id: p.uuid().nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'number'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { properties: ['tenant_id', 'contact_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'verified', 'created_at', 'id'] },
    { name: 'orders_held', expression: 'create index "orders_held" on "orders" ("hold_until") where hold_until is not null and status = \'pending\'' },
  ],
})
export class Order extends schema.class {}
schema.setClass(Order)
