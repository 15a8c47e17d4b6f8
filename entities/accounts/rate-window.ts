// Requests within a time window, counted over all processes.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'RateWindow',
  tableName: 'rate_windows',
  properties: {
    key: p.string().primary(),
    /** Unix seconds. */
    started_at: p.bigint('number').primary(),
    count: p.integer(),
    expires_at: p.bigint('number'),
  },
  indexes: [{ properties: ['expires_at'] }],
})
export class RateWindow extends schema.class {}
schema.setClass(RateWindow)
