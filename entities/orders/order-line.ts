// A line of an order, as it was sold: a snapshot, with the stock it holds.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/row.ts'
import { Order } from './order.ts'

const schema = defineEntity({
  name: 'OrderLine',
  tableName: 'order_lines',
  properties: {
    ...tenantRow,
    order_id: () => p.manyToOne(Order).mapToPk().deleteRule('cascade').joinColumn('order_id'),
    /** The order's created_at: so rows of one kind come from their index as the list sorts its orders. */
    ordered_at: p.bigint('number'),
    kind: p.enum(['product', 'digital'] as const),
    position: p.integer(),
    product_id: p.uuid(),
    variant_id: p.uuid(),
    sku: p.string().nullable(),
    name: p.string().nullable(),
    requires_shipping: p.boolean(),
    taxable: p.boolean(),
    quantity: p.integer(),
    /** Of the quantity, what shipments name; the table itself refuses more. */
    shipped_quantity: p.integer().default(0),
    unit_price: p.bigint('number'),
    subtotal: p.bigint('number'),
    discount: p.bigint('number'),
    tax: p.bigint('number'),
    total: p.bigint('number'),
    status: p.enum(['pending', 'confirmed', 'cancelled'] as const).default('pending'),
    /** What was taken where; giving back gives back exactly this. */
    allocations: p.json<{ location_id: string; quantity: number }[]>(),
  },
  checks: [{ expression: 'shipped_quantity >= 0 and shipped_quantity <= quantity', name: 'order_lines_shipped' }],
  indexes: [
    { properties: ['order_id', 'position'] },
    { properties: ['tenant_id', 'product_id', 'ordered_at', 'order_id'] },
    { properties: ['tenant_id', 'status', 'ordered_at', 'order_id'] },
  ],
})
export class OrderLine extends schema.class {}
schema.setClass(OrderLine)
