// One run of a node: its output and, if it sends something, the effect.
import { defineEntity, p } from '@mikro-orm/core'
import type { RunOutcome } from '../../rules/automation/executions.ts'
import type { Resolution } from '../../rules/resolutions.ts'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { Execution } from './execution.ts'

const schema = defineEntity({
  name: 'NodeRun',
  tableName: 'node_runs',
  properties: {
    ...tenantRow,
    execution_id: () => p.manyToOne(Execution).mapToPk().deleteRule('cascade').joinColumn('execution_id'),
    /** The reducer's: `<node>`, in a loop with the iteration (rules/automation/execution-state.ts). */
    key: p.string().length(1100),
    node: p.string(),
    output: p.json<unknown>().nullable().lazy(),
    /** The size of `output` as JSON. */
    output_bytes: p.integer().nullable(),
    /** `items`: number of a loop's items. `branch`: the output that a switch took. */
    items: p.integer().nullable(),
    branch: p.string().nullable(),
    /** Not before this moment, of the database's clock. */
    due_at: p.datetime(3).nullable(),
    /**
     * JSON with rendered templates, from which the request is prepared if that needs a mailbox, a build hook or a
     * drive.
     */
    params: p.type(Encrypted).nullable(),
    /** The reducer has applied its end. */
    applied: p.boolean().default(false),
    started_at: p.bigint('number').nullable(),
    finished_at: p.bigint('number').nullable(),
    ...effect,
    /** What an owner found out about a run whose outcome was unknown. */
    resolution: p.json<Resolution<RunOutcome>>().nullable(),
  },
  uniques: [{ properties: ['execution_id', 'key'] }],
  indexes: [
    { properties: ['execution_id', 'created_at', 'id'] },
    {
      name: 'node_runs_open',
      expression: 'create index "node_runs_open" on "node_runs" ("execution_id") where not applied',
    },
    {
      name: 'node_runs_unfinished',
      expression: `
        create index "node_runs_unfinished" on "node_runs" ("created_at")
        where status in ('requested', 'processing')
      `,
    },
    ...attentionIndexes('node_runs'),
  ],
})
export class NodeRun extends schema.class {}
schema.setClass(NodeRun)

export const nodeRunEffect = effectRow('node_run', {
  processId: sql`execution_id`,
  precondition: sql`
    exists (
      select 1
      from executions x
      where x.id = e.execution_id and x.tenant_id = e.tenant_id and not x.cancel_requested
    )
  `,
  // The reconciler starts its execution (entities/automation/executions.ts).
  waits: sql`e.sent_at is null`,
  deferrable: true,
  // A node that only computes.
  refused: sql`e.request is null and e.params is null`,
})
