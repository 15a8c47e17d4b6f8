// A version of a workflow's nodes and edges. It never changes, so that an execution ends with the graph that it started
// with.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { Workflow } from './workflow.ts'

const schema = defineEntity({
  name: 'Graph',
  tableName: 'graphs',
  properties: {
    ...tenantRow,
    workflow_id: () => p.manyToOne(Workflow).mapToPk().deleteRule('cascade').joinColumn('workflow_id'),
    nodes: p.json<Record<string, unknown>>(),
    edges: p.json<unknown[]>(),
  },
  indexes: [{ properties: ['workflow_id', 'created_at'] }],
})
export class Graph extends schema.class {}
schema.setClass(Graph)
