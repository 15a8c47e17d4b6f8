// One run of a graph, from what started it to how it ended.
import { defineEntity, p } from '@mikro-orm/core'
import type { State } from '../../rules/automation/execution-state.ts'
import { ExecutionSource, ExecutionStatus } from '../../rules/automation/executions.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Workflow } from './workflow.ts'

const schema = defineEntity({
  name: 'Execution',
  tableName: 'executions',
  properties: {
    ...tenantRow,
    workflow_id: () => p.manyToOne(Workflow).mapToPk().deleteRule('cascade').joinColumn('workflow_id'),
    graph_id: p.uuid(),
    status: p.enum(ExecutionStatus.options).default('pending'),
    /** What started it. */
    source: p.enum(ExecutionSource.options),
    /** The schedule's time or the event's id, which starts at most one execution. */
    occurrence: p.string().nullable(),
    /** What the trigger passes on: the webhook's body, the event, or the schedule's time. */
    input: p.json<Record<string, unknown>>().lazy(),
    /** The state of the reducer (rules/automation/execution-state.ts); null before its first step. */
    state: p.json<State>().nullable().lazy(),
    /** Incremented by every step of the reducer: of two concurrent steps one is written. */
    step: p.integer().default(0),
    /** Number of node runs so far. */
    runs: p.integer().default(0),
    cancel_requested: p.boolean().default(false),
    error: p.json<{ code: string; message: string; node?: string }>().nullable(),
    started_at: p.bigint('number').nullable(),
    finished_at: p.bigint('number').nullable(),
    /** When the reconciler checks it, of the database's clock. */
    wake_at: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['workflow_id', 'occurrence'] }],
  indexes: [
    { properties: ['workflow_id', 'created_at', 'id'] },
    { properties: ['workflow_id', 'updated_at', 'id'] },
    { properties: ['workflow_id', 'status', 'created_at', 'id'] },
    { properties: ['workflow_id', 'source', 'created_at', 'id'] },
    { properties: ['graph_id'] },
    {
      name: 'executions_open',
      expression: `create index "executions_open" on "executions" ("wake_at") where status in ('pending', 'running')`,
    },
  ],
})
export class Execution extends schema.class {}
schema.setClass(Execution)
