// An automation: its key, its triggers, and its current graph.
import { defineEntity, p } from '@mikro-orm/core'
import { RecordStatus } from '../../rules/shapes.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'Workflow',
  tableName: 'workflows',
  properties: {
    ...tenantRow,
    key: p.string(),
    status: p.enum(RecordStatus.options).default('active'),
    graph_id: p.uuid(),
    /** Five fields, UTC. */
    schedule: p.string().nullable(),
    /** Domain events that its trigger names; empty in a draft. */
    events: p.json<string[]>(),
    /** The secret of its webhook's address, which is found by the digest. */
    secret: p.type(Encrypted),
    secret_digest: p.string().length(64),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }, { properties: ['secret_digest'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    {
      name: 'workflows_scheduled',
      expression: 'create index "workflows_scheduled" on "workflows" ("id") where schedule is not null',
    },
  ],
})
export class Workflow extends schema.class {}
schema.setClass(Workflow)
