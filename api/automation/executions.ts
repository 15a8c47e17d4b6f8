// Executions of a workflow: their node results and node runs, and how to cancel them.
import { LockMode } from '@mikro-orm/core'
import { z } from 'zod'
import { Execution } from '../../entities/automation/execution.ts'
import { attemptsOf, nodeResults, shownStatus } from '../../entities/automation/node-results.ts'
import { NodeRun } from '../../entities/automation/node-run.ts'
import { resolveRun } from '../../entities/automation/resolving-runs.ts'
import { Workflow } from '../../entities/automation/workflow.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { findRecord, mustExist } from '../../entities/kit/find.ts'
import { start } from '../../entities/kit/outbox.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { ExecutionSource, ExecutionStatus, NodeStatus, RunOutcome } from '../../rules/automation/executions.ts'
import { conflict } from '../../rules/refusal.ts'
import { Force, Note, replacing, resolving } from '../../rules/resolutions.ts'
import { anyCase } from '../../rules/shapes.ts'
import { unixSecondsOf } from '../../rules/unix-seconds.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'
import { ExecutionItem, ExecutionOut, NodeRunItem, NodeRunOut } from './execution-shapes.ts'

type Shown = z.input<typeof ExecutionOut>

const isOver = ({ status }: { status: string }) => status !== 'pending' && status !== 'running'

async function shown(em: EntityManager, execution: Execution): Promise<Shown> {
  return {
    ...asRow(execution),
    id: execution.id,
    input: execution.input,
    results: await nodeResults(em, execution),
  }
}

const read = (em: EntityManager, path: { workflowId: string; executionId: string }): Promise<Execution> =>
  findRecord(em, Execution, { id: path.executionId, workflow_id: path.workflowId }, 'execution', {
    populate: ['input', 'state'],
    refresh: true,
  })

const shownRun = (run: NodeRun): z.input<typeof NodeRunOut> => ({
  ...asRow(run),
  id: run.id,
  status: shownStatus({ status: run.status, error: run.error ?? null, attempt: run.attempt }),
  attempts: attemptsOf(run),
  sent_at: unixSecondsOf(run.sent_at),
  // `finished_at` is set for computed nodes only. An effect finishes when it is settled.
  finished_at: run.finished_at ?? unixSecondsOf(run.settled_at),
  next_attempt_at:
    run.status === 'requested' && run.due_at && run.due_at.getTime() > Date.now() ? unixSecondsOf(run.due_at) : null,
})

const cancelled = 'execution_cancelled'
/** The status of a node run, as a condition on the effect status that is stored. */
const runsThatAre: Record<z.infer<typeof NodeStatus>, Record<string, unknown>> = {
  pending: { status: 'requested', attempt: 0 },
  running: { $or: [{ status: 'processing' }, { status: 'requested', attempt: { $gt: 0 } }] },
  completed: { status: 'succeeded' },
  failed: {
    $or: [
      { status: 'rejected' },
      { status: 'failed', $or: [{ error: null }, { error: { code: { $ne: cancelled } } }] },
    ],
  },
  cancelled: { status: 'failed', error: { code: cancelled } },
  unknown: { status: 'unknown' },
  // A skipped node has no run.
  skipped: { id: null },
}

const root = '/v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}'

export const executions = [
  listing('GET /v1/stores/{storeId}/workflows/{workflowId}/executions', {
    operation: 'listExecutions',
    may: 'admin',
    summary: 'List the executions of a workflow',
    entity: Execution,
    item: ExecutionItem,
    unmanaged: true,
    filters: {
      status: filter(anyCase(ExecutionStatus), (status) => ({ status })),
      source: filter(anyCase(ExecutionSource), (source) => ({ source })),
    },
    async scope({ em, path }) {
      await mustExist(em, Workflow, { id: path.workflowId }, 'workflow')
      return { workflow_id: path.workflowId }
    },
  }),
  route(`GET ${root}`, {
    operation: 'getExecution',
    may: 'admin',
    summary: 'Read an execution with the results of its nodes',
    description:
      'An output of more than 64 KiB is null here: `output_bytes` is its size, and `run_id` the node run that returns it.',
    out: ExecutionOut,
    run: async ({ em, path }) => shown(em, await read(em, path)),
  }),
  route(`POST ${root}/cancel`, {
    operation: 'cancelExecution',
    may: 'admin',
    request: { while: ['pending', 'running'] },
    refuses: ['execution_over'],
    summary: 'Cancel an execution',
    description:
      'Nodes that have not started are cancelled; nodes that have started finish. Cancelling again changes nothing. 409 `execution_over` if the execution has completed or failed.',
    out: ExecutionOut,
    async run({ em, path, tenant_id, now }) {
      const where = { id: path.executionId, workflow_id: path.workflowId }
      const found = await findRecord(em, Execution, where, 'execution', { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (isOver(found) && found.status !== 'cancelled')
        throw conflict('execution_over', `The execution is ${found.status} and cannot be cancelled.`)
      if (!isOver(found)) {
        if (!found.cancel_requested)
          em.assign(found, { cancel_requested: true, updated_at: now, wake_at: new Date(now * 1000) })
        await em.flush()
        const { key } = await em.findOneOrFail(Workflow, { id: path.workflowId })
        const store = await em.findOneOrFail(Tenant, { id: tenant_id })
        await start(em, 'execution', found.id, {
          tenant_id,
          awaited: true,
          signal: true,
          summary: `${[...key].slice(0, 80).join('')} of store ${store.key}`,
        })
      }
      const answer = await shown(em, await read(em, path))
      return new Reply(answer, { pending: isOver(answer) ? undefined : ('running' as const) })
    },
    wait: {
      async until({ em, path }) {
        const execution = await shown(em, await read(em, path))
        return isOver(execution) ? execution : new NotYet(execution)
      },
    },
  }),
  listing(`GET ${root}/runs`, {
    operation: 'listNodeRuns',
    may: 'admin',
    summary: 'List the node runs of an execution',
    entity: NodeRun,
    item: NodeRunItem,
    filters: {
      node: filter(z.string().min(1).max(64), (node) => ({ node })),
      status: filter(anyCase(NodeStatus), (status) => runsThatAre[status]),
    },
    async scope({ em, path }) {
      await mustExist(em, Execution, { id: path.executionId, workflow_id: path.workflowId }, 'execution')
      return { execution_id: path.executionId }
    },
    load: async (_, rows: NodeRun[]) => rows.map(shownRun),
  }),
  route(`GET ${root}/runs/{id}`, {
    operation: 'getNodeRun',
    may: 'admin',
    summary: 'Read a node run with its whole output',
    out: NodeRunOut,
    async run({ em, path }) {
      await mustExist(em, Execution, { id: path.executionId, workflow_id: path.workflowId }, 'execution')
      const where = { id: path.id, execution_id: path.executionId }
      return shownRun(await findRecord(em, NodeRun, where, 'node run', { populate: ['output'] }))
    },
  }),
  route(`POST ${root}/runs/{id}/resolve`, {
    operation: 'resolveNodeRun',
    may: 'owner',
    refuses: ['run_not_unknown', 'contradicts_evidence', 'resolved_otherwise', 'resolved_too_often'],
    summary: 'Resolve a node run whose outcome is unknown',
    description:
      `Records the outcome that an operator found at the receiver. ${resolving} The execution, which has \`failed\`, does not go on: start another one for the rest. 409 \`run_not_unknown\` for ` +
      'a run whose outcome is neither unknown nor was resolved.',
    body: z.object({
      outcome: RunOutcome.describe('`completed` if the receiver carried out the request, `failed` if it did not.'),
      note: Note,
      force: Force,
      replaces: replacing(RunOutcome),
    }),
    out: NodeRunOut,
    async run({ em, path, body, caller, now }) {
      await mustExist(em, Execution, { id: path.executionId, workflow_id: path.workflowId }, 'execution')
      const where = { id: path.id, execution_id: path.executionId }
      await resolveRun(em, where, { ...body, account_id: caller.account_id }, now)
      return shownRun(await findRecord(em, NodeRun, where, 'node run', { populate: ['output'] }))
    },
  }),
]
