// A signed event of the payment provider: stored once by the provider's id, applied once.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'ProviderEvent',
  tableName: 'provider_events',
  properties: {
    id: p.string().primary(),
    type: p.string(),
    account: p.string().nullable(),
    /** Unix seconds: made by the provider, received by us. */
    event_at: p.bigint('number'),
    received_at: p.bigint('number'),
    /** What it did, or why it did nothing. */
    outcome: p.string().nullable(),
  },
  indexes: [{ properties: ['received_at'] }],
})
export class ProviderEvent extends schema.class {}
schema.setClass(ProviderEvent)
