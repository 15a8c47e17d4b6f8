// The processes of automation: executions of graphs, their schedules, and exchanges of OAuth codes.
import {
  describeExecution,
  describeOauthExchange,
  type ExecutionFacts,
  type OauthExchangeFacts,
} from '../../rules/automation/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { rotating } from '../kit/late-rows.ts'
import { describing, process } from '../kit/process.ts'
import { isForgotten } from '../platform/task-slots.ts'
import { nodeRunAttention, oauthAttention } from './attention.ts'
import { overdueExecutions, postponeWaiting, quarantineExecutions } from './executions.ts'

const isOpen = sql`x.status in ('pending', 'running')`

export const automationProcesses = [
  process('execution', {
    late: [rotating((em, { idleS, limit }) => overdueExecutions(em, idleS, limit))],
    lateCoversEffects: true,
    beforeLook: (em, { limit }) => postponeWaiting(em, 10 * limit),
    attention: { node_run: nodeRunAttention },
    // A slot of `computation` is the execution's, another one is of a node that sends.
    slotEnded: sql`
      case
        when t.queue = 'computation'
          then ${isForgotten}
            or not exists (select 1 from executions x where x.id = t.id and x.tenant_id = t.tenant_id and ${isOpen})
        else not exists (
          select 1
          from node_runs r
          join executions x on x.id = r.execution_id and x.tenant_id = r.tenant_id
          where r.id = t.id and r.tenant_id = t.tenant_id and not r.applied and ${isOpen}
        )
      end
    `,
    describe: describing<ExecutionFacts>(
      {
        from: sql` executions x join workflows w on w.id = x.workflow_id and w.tenant_id = x.tenant_id`,
        columns: sql`x.workflow_id, w.key`,
      },
      describeExecution,
    ),
    quarantine: [
      {
        when: 'before effects',
        run: async ({ transaction, now }) =>
          `executions: ${await transaction((em) => quarantineExecutions(em, now))} stopped`,
      },
    ],
  }),
  // Temporal keeps both: a schedule, and its occurrences.
  process('schedule', { late: [], attention: {} }),
  process('scheduled', { late: [], attention: {} }),
  process('oauth_exchange', {
    late: [],
    attention: { oauth_exchange: oauthAttention },
    describe: describing<OauthExchangeFacts>(
      {
        from: sql`oauth_exchanges x`,
        columns: sql`x.kind, x.provider, x.connection_id`,
      },
      describeOauthExchange,
    ),
  }),
] as const
