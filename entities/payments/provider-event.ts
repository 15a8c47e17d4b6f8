// A signed event of the payment provider: stored once by the provider's id, applied once.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'ProviderEvent',
  tableName: 'provider_events',
  properties: {
    id: p.string().primary(),
    type: p.string(),
    account: p.string().nullable(),
    /** Unix seconds: when the provider made it, and when it was received. */
    event_at: p.bigint('number'),
    received_at: p.bigint('number'),
    /** What its application changed, or why it changed nothing. */
    outcome: p.string().nullable(),
    /** The provider's id of the payment that the event waits for, and the event's facts; null if it does not wait. */
    payment_intent: p.string().nullable(),
    facts: p.json<Record<string, unknown>>().nullable(),
  },
  indexes: [
    { properties: ['received_at'] },
    {
      name: 'provider_events_waiting',
      expression: `
        create index "provider_events_waiting" on "provider_events" ("account", "payment_intent")
        where payment_intent is not null
      `,
    },
  ],
})
export class ProviderEvent extends schema.class {}
schema.setClass(ProviderEvent)
