// Numbers that people read (an order's) count up per store, without a gap. Taken last in a transaction: everybody else of the store waits here.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Counter',
  tableName: 'counters',
  properties: { tenant_id: p.uuid().primary(), name: p.string().primary(), value: p.bigint('number') },
})
export class Counter extends schema.class {}
schema.setClass(Counter)
