// A workflow that has to start, written in the transaction that made it necessary: neither is ever without the other.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'OutboxRow',
  tableName: 'outbox',
  properties: {
    id: p.uuid().primary(),
    tenant_id: p.uuid().nullable(),
    kind: p.string(),
    /** The id of the row that the workflow is about: the workflow's id is kind/row_id. */
    row_id: p.uuid(),
    /** Unix seconds with fractions, of the database's clock. */
    not_before: p.datetime(3).defaultRaw('clock_timestamp()'),
    lease_until: p.datetime(3).nullable(),
    tries: p.integer().default(0),
    /** What Temporal's UI calls it, where kind and id say too little. */
    summary: p.string().nullable(),
    parked: p.boolean().default(false),
    /** The process may run already: it is signalled to look at its rows again. */
    again: p.boolean().default(false),
    error: p.text().nullable(),
  },
  indexes: [{ name: 'outbox_turns', expression: 'create index "outbox_turns" on "outbox" ("kind", "tenant_id", "not_before") where not parked' }],
})
export class OutboxRow extends schema.class {}
schema.setClass(OutboxRow)
