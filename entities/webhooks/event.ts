// A domain event with a subscriber, written in the transaction of its change.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'

/** The id of the record that an event is about, of the columns of its row. The expression of an index, word by word. */
export const recordOfEvent = sql`coalesce(data ->> 'id', data -> 'member' ->> 'id')`

const schema = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    ...tenantRow,
    type: p.string(),
    /** The resource, as the API would have returned it. */
    data: p.json<Record<string, unknown>>(),
  },
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    // The events of a record, for its timeline. Ids sort by their time.
    {
      name: 'events_record',
      expression: `create index "events_record" on "events" ("tenant_id", (${recordOfEvent.sql}), "id")`,
    },
  ],
})
export class Event extends schema.class {}
schema.setClass(Event)
