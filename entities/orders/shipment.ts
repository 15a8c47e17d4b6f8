// Goods of an order that were shipped or handed over.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { Order } from './order.ts'

const schema = defineEntity({
  name: 'Shipment',
  tableName: 'shipments',
  properties: {
    ...tenantRow,
    order_id: () => p.manyToOne(Order).mapToPk().deleteRule('cascade').joinColumn('order_id'),
    items: p.json<{ line_id: string; quantity: number }[]>(),
    carrier: p.string().nullable(),
    tracking_number: p.string().nullable(),
  },
  indexes: [{ properties: ['order_id', 'created_at', 'id'] }],
})
export class Shipment extends schema.class {}
schema.setClass(Shipment)
