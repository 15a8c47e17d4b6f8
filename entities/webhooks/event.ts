// A domain event with a subscriber, written in the transaction of its change.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    ...tenantRow,
    type: p.string(),
    /** The resource, as the API would have returned it. */
    data: p.json<Record<string, unknown>>(),
  },
  indexes: [{ properties: ['tenant_id', 'created_at', 'id'] }],
})
export class Event extends schema.class {}
schema.setClass(Event)
