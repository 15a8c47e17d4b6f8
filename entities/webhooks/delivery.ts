// The delivery of an event to a webhook: sent at least once, until the endpoint accepts it, always under the event's
// id.
import { defineEntity, p } from '@mikro-orm/core'
import { DeliveryStatus } from '../../rules/webhooks/deliveries.ts'
import { tenantRow } from '../kit/database/row.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { Event } from './event.ts'
import { Webhook } from './webhook.ts'

const schema = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    ...tenantRow,
    webhook_id: () => p.manyToOne(Webhook).mapToPk().deleteRule('cascade').joinColumn('webhook_id'),
    event_id: () => p.manyToOne(Event).mapToPk().deleteRule('cascade').joinColumn('event_id'),
    /** The event's. */
    type: p.string(),
    status: p.enum(DeliveryStatus.options).default('pending'),
    /** Attempts that were begun. */
    attempts: p.integer().default(0),
    /** When the next attempt is due; during an attempt, when its lease expires. */
    due_at: p.datetime(3).nullable(),
    last_attempt_at: p.datetime(3).nullable(),
    settled_at: p.datetime(3).nullable(),
    provider_status_code: p.integer().nullable(),
    /** The beginning of the last answer's body. */
    response_body: p.text().nullable(),
    error: p.json<EffectError>().nullable(),
  },
  indexes: [
    { properties: ['event_id'] },
    { properties: ['webhook_id', 'created_at', 'id'] },
    { properties: ['webhook_id', 'status', 'created_at', 'id'] },
    { properties: ['webhook_id', 'type', 'created_at', 'id'] },
    {
      name: 'deliveries_due',
      expression: 'create index "deliveries_due" on "deliveries" ("webhook_id", "due_at") where status = \'pending\'',
    },
  ],
})
export class Delivery extends schema.class {}
schema.setClass(Delivery)
