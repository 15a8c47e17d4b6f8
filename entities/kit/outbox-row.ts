// The start of a workflow, written in the transaction of the row that it handles: both commit, or neither.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'OutboxRow',
  tableName: 'outbox',
  properties: {
    id: p.uuid().primary(),
    tenant_id: p.uuid().nullable(),
    kind: p.string(),
    /** The row that the workflow handles: the workflow's id is kind/row_id. */
    row_id: p.uuid(),
    /** Unix seconds with fractions, of the database's clock. */
    not_before: p.datetime(3).defaultRaw('clock_timestamp()'),
    lease_until: p.datetime(3).nullable(),
    tries: p.integer().default(0),
    /** Shown in Temporal's UI beside kind and id. */
    summary: p.string().nullable(),
    parked: p.boolean().default(false),
    /**
     * The workflow may be running: it is signalled to read its rows again (`signal` of the start). The column keeps its
     * name for processes of earlier versions.
     */
    again: p.boolean().default(false),
    error: p.text().nullable(),
  },
  indexes: [
    {
      name: 'outbox_turns',
      expression: 'create index "outbox_turns" on "outbox" ("kind", "tenant_id", "not_before") where not parked',
    },
    {
      name: 'outbox_parked',
      expression: 'create index "outbox_parked" on "outbox" ("tenant_id") where parked',
    },
  ],
})
export class OutboxRow extends schema.class {}
schema.setClass(OutboxRow)
