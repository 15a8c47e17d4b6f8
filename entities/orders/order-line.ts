// A line of goods as it was sold, with the stock that it reserves.
import { defineEntity, p } from '@mikro-orm/core'
import { LineKind } from '../../rules/orders/lines.ts'
import { OrderLineStatus } from '../../rules/orders/statuses.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Order } from './order.ts'

const schema = defineEntity({
  name: 'OrderLine',
  tableName: 'order_lines',
  properties: {
    ...tenantRow,
    order_id: () => p.manyToOne(Order).mapToPk().deleteRule('cascade').joinColumn('order_id'),
    /** The order's created_at: an index by it finds lines in the order in which the list sorts orders. */
    ordered_at: p.bigint('number'),
    kind: p.enum(LineKind.options),
    position: p.integer(),
    product_id: p.uuid(),
    variant_id: p.uuid(),
    sku: p.string().nullable(),
    name: p.string().nullable(),
    requires_shipping: p.boolean(),
    taxable: p.boolean(),
    quantity: p.integer(),
    /** Sum of its shipments; a check of the table limits it to the quantity. */
    shipped_quantity: p.integer().default(0),
    unit_price: p.bigint('number'),
    subtotal: p.bigint('number'),
    discount: p.bigint('number'),
    tax: p.bigint('number'),
    total: p.bigint('number'),
    status: p.enum(OrderLineStatus.options).default('pending'),
    /** The reserved quantities by location; a release returns exactly these. */
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
