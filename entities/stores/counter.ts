// Gapless numbers per store, such as order numbers. A transaction locks its counter last, because all others of the
// store wait for it.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Counter',
  tableName: 'counters',
  properties: { tenant_id: p.uuid().primary(), name: p.string().primary(), value: p.bigint('number') },
})
export class Counter extends schema.class {}
schema.setClass(Counter)
