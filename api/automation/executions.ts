// What a workflow did, node by node and run by run, and how to stop it.

import { LockMode } from '@mikro-orm/core'
import { z } from 'zod'
import { Execution } from '../../entities/automation/execution.ts'
import { attemptsOf, nodeResults, shownStatus } from '../../entities/automation/node-results.ts'
import { NodeRun } from '../../entities/automation/node-run.ts'
import { Workflow } from '../../entities/automation/workflow.ts'
import type { EntityManager } from '../../entities/kit/orm.ts'
import { start } from '../../entities/kit/outbox.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { ExecutionSource, ExecutionStatus, NodeStatus } from '../../rules/automation/executions.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { anyCase } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { route } from '../kit/route.ts'
import { ExecutionItem, ExecutionOut, NodeRunItem, NodeRunOut } from './execution-shapes.ts'

type Shown = z.input<typeof ExecutionOut>

const over = ({ status }: { status: string }) => status !== 'pending' && status !== 'running'

async function shown(em: EntityManager, execution: Execution): Promise<Shown> {
  return { ...(execution as never as Shown), id: execution.id, input: execution.input, results: await nodeResults(em, execution) }
}

const read = (em: EntityManager, path: { workflowId: string; executionId: string }): Promise<Execution> =>
  em.findOneOrFail(
    Execution,
    { id: path.executionId, workflow_id: path.workflowId },
    { populate: ['input', 'state'], failHandler: () => notFound('execution'), refresh: true },
  )

const unix = (time: Date | null | undefined) => (time ? Math.floor(time.getTime() / 1000) : null)
const shownRun = (run: NodeRun): z.input<typeof NodeRunOut> => ({
  ...(run as never as z.input<typeof NodeRunOut>),
  id: run.id,
  status: shownStatus({ status: run.status, error: run.error ?? null, attempt: run.attempt }),
  attempts: attemptsOf(run),
  sent_at: unix(run.sent_at),
  // A step writes `finished_at` of what it computed. An effect finishes when it is settled.
  finished_at: run.finished_at ?? unix(run.settled_at),
  next_attempt_at: run.status === 'requested' && run.due_at && run.due_at.getTime() > Date.now() ? unix(run.due_at) : null,
})

const cancelled = 'execution_cancelled'
/** The words of an execution, as an effect's status. */
const runsThatAre: Record<z.infer<typeof NodeStatus>, Record<string, unknown>> = {
  pending: { status: 'requested', attempt: 0 },
  running: { $or: [{ status: 'processing' }, { status: 'requested', attempt: { $gt: 0 } }] },
  completed: { status: 'succeeded' },
  failed: { $or: [{ status: 'rejected' }, { status: 'failed', $or: [{ error: null }, { error: { code: { $ne: cancelled } } }] }] },
  cancelled: { status: 'failed', error: { code: cancelled } },
  unknown: { status: 'unknown' },
  // Nothing runs for such a node.
  skipped: { id: null },
}

const one = '/v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}'

export const executions = [
  listing('GET /v1/stores/{storeId}/workflows/{workflowId}/executions', {
    operation: 'listExecutions',
    may: 'admin',
    summary: 'List the executions of a workflow',
    entity: Execution,
    item: ExecutionItem,
    plain: true,
    filters: {
      status: filter(anyCase(ExecutionStatus), (status) => ({ status })),
      source: filter(anyCase(ExecutionSource), (source) => ({ source })),
    },
    async within({ em, path }) {
      if ((await em.count(Workflow, { id: path.workflowId })) === 0) throw notFound('workflow')
      return { workflow_id: path.workflowId }
    },
  }),
  route(`GET ${one}`, {
    operation: 'getExecution',
    may: 'admin',
    summary: 'Read an execution with the results of its nodes',
    description: 'An output of more than 64 KiB is null here; `output_bytes` says how large it is, and `run_id` where it is read.',
    out: ExecutionOut,
    run: async ({ em, path }) => shown(em, await read(em, path)),
  }),
  route(`POST ${one}/cancel`, {
    operation: 'cancelExecution',
    may: 'admin',
    refuses: ['execution_over'],
    summary: 'Cancel an execution',
    description: 'Repeating it changes nothing. 409 `execution_over` if it was completed or has failed.',
    out: ExecutionOut,
    async run({ em, path, tenant_id, now }) {
      const where = { id: path.executionId, workflow_id: path.workflowId }
      const found = await em.findOneOrFail(Execution, where, { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('execution') })
      if (over(found) && found.status !== 'cancelled') throw conflict('execution_over', `The execution is ${found.status}: there is nothing to stop.`)
      if (!over(found)) {
        if (!found.cancel_requested) em.assign(found, { cancel_requested: true, updated_at: now, wake_at: new Date(now * 1000) })
        await em.flush()
        const { key } = await em.findOneOrFail(Workflow, { id: path.workflowId })
        const store = await em.findOneOrFail(Tenant, { id: tenant_id })
        await start(em, 'execution', found.id, { tenant_id, awaited: true, again: true, summary: `${[...key].slice(0, 80).join('')} of store ${store.key}` })
      }
      return shown(em, await read(em, path))
    },
    wait: {
      when: ({ status }) => !over({ status }),
      async until({ em, path }) {
        if ((await em.count(Execution, { id: path.executionId, status: { $in: ['pending', 'running'] } })) > 0) return undefined
        return shown(em, await read(em, path))
      },
      late: (result) => result,
    },
  }),
  listing(`GET ${one}/runs`, {
    operation: 'listNodeRuns',
    may: 'admin',
    summary: 'List the node runs of an execution',
    entity: NodeRun,
    item: NodeRunItem,
    filters: {
      node: filter(z.string().min(1).max(64), (node) => ({ node })),
      status: filter(anyCase(NodeStatus), (status) => runsThatAre[status]),
    },
    async within({ em, path }) {
      if ((await em.count(Execution, { id: path.executionId, workflow_id: path.workflowId })) === 0) throw notFound('execution')
      return { execution_id: path.executionId }
    },
    load: async (_, rows) => (rows as NodeRun[]).map(shownRun),
  }),
  route(`GET ${one}/runs/{id}`, {
    operation: 'getNodeRun',
    may: 'admin',
    summary: 'Read a node run with its whole output',
    out: NodeRunOut,
    async run({ em, path }) {
      if ((await em.count(Execution, { id: path.executionId, workflow_id: path.workflowId })) === 0) throw notFound('execution')
      const where = { id: path.id, execution_id: path.executionId }
      return shownRun(await em.findOneOrFail(NodeRun, where, { populate: ['output'], failHandler: () => notFound('run') }))
    },
  }),
]
