// The processes of automation: executions of graphs, their schedules, and exchanges of OAuth codes.
import { describeExecution, describeOauthExchange, type ExecutionFacts, type OauthExchangeFacts } from '../../rules/automation/descriptions.ts'
import { rotating } from '../kit/late-rows.ts'
import { describedTenant, describing, type ProcessRows } from '../kit/process.ts'
import { sql } from '../kit/sql.ts'
import { isForgotten } from '../platform/task-slots.ts'
import { overdueExecutions, postponeWaiting, quarantineExecutions } from './executions.ts'

const isOpen = sql`x.status in ('pending', 'running')`

export const automationProcesses = {
  execution: {
    late: [rotating((em, { idleS, limit }) => overdueExecutions(em, idleS, limit))],
    beforeLook: (em, { limit }) => postponeWaiting(em, 10 * limit),
    // A slot of `computation` is the execution's, another one is of a node that sends.
    slotEnded: sql`case when t.queue = 'computation' then ${isForgotten} or not exists (
        select 1 from executions x
        where x.id = t.id and x.tenant_id = t.tenant_id and ${isOpen})
      else not exists (
        select 1 from node_runs r
        join executions x on x.id = r.execution_id and x.tenant_id = r.tenant_id
        where r.id = t.id and r.tenant_id = t.tenant_id and not r.applied and ${isOpen}) end`,
    describe: describing<ExecutionFacts>(
      (ids) => sql`
        select x.id, x.tenant_id, ${describedTenant}, x.workflow_id, w.key
        from executions x
        join workflows w on w.id = x.workflow_id and w.tenant_id = x.tenant_id
        left join tenants t on t.id = x.tenant_id
        where x.id = any (${ids})`,
      describeExecution,
    ),
    quarantine: [
      {
        when: 'before effects',
        run: async ({ transaction, now }) => `executions: ${await transaction((em) => quarantineExecutions(em, now))} stopped`,
      },
    ],
  },
  // Temporal keeps both: a schedule, and its occurrences.
  schedule: { late: [] },
  scheduled: { late: [] },
  oauth_exchange: {
    late: [],
    describe: describing<OauthExchangeFacts>(
      (ids) => sql`
        select e.id, e.tenant_id, ${describedTenant}, e.kind, e.provider, e.connection_id
        from oauth_exchanges e
        left join tenants t on t.id = e.tenant_id
        where e.id = any (${ids})`,
      describeOauthExchange,
    ),
  },
} satisfies Record<string, ProcessRows>
