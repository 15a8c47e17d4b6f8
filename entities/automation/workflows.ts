// An active workflow has a valid graph. A graph never changes: an update writes another, and running executions end
// with their own.
import { isDeepStrictEqual } from 'node:util'
import { LockMode } from '@mikro-orm/core'
import type { EntityManager, EntityName } from '@mikro-orm/postgresql'
import type { GraphFault } from '../../rules/automation/graph.ts'
import {
  eventsOf,
  type ReferenceField,
  referenceFault,
  referencesOf,
  type SavedGraph,
  savedGraph,
} from '../../rules/automation/saved-graph.ts'
import { conflict, notFound, Refusal } from '../../rules/refusal.ts'
import type { RecordStatus } from '../../rules/shapes.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { start } from '../kit/outbox.ts'
import { EmailTemplate } from '../mail/email-template.ts'
import { Mailbox } from '../mail/mailbox.ts'
import { BuildHook } from './build-hook.ts'
import { Graph } from './graph.ts'
import { Integration } from './integration.ts'
import { Workflow } from './workflow.ts'

/** `nodes` and `edges` as they came: the rules say what is wrong with them. */
export type WorkflowInput = {
  key: string
  status?: RecordStatus | undefined
  nodes: unknown
  edges: unknown
  schedule?: string | null | undefined
}
export type WorkflowSecret = { secret: string; secret_digest: string }
export type WorkflowWithGraph = { workflow: Workflow; graph: Pick<Graph, 'nodes' | 'edges'> }

const faultsMax = 100

function refused(faults: readonly GraphFault[]): Refusal {
  const [first] = faults
  const detail = faults.length === 1 ? `${first?.pointer}: ${first?.detail}` : `The graph has ${faults.length} faults.`
  return new Refusal(422, 'workflow_graph_invalid', detail, { faults: faults.slice(0, faultsMax) })
}

const referenced: Record<ReferenceField, EntityName<{ id: string }>> = {
  mailbox_id: Mailbox,
  template_id: EmailTemplate,
  build_hook_id: BuildHook,
  connection_id: Integration,
}

/** Checks that the records that its nodes refer to belong to the store: one statement per kind. */
async function checkReferences(em: EntityManager, graph: SavedGraph): Promise<void> {
  const found = new Set<string>()
  const references = referencesOf(graph)
  for (const [field, named] of Map.groupBy(references, (one) => one.field)) {
    const ids = [...new Set(named.map(({ id }) => id))]
    const where = field === 'connection_id' ? { id: { $in: ids }, category: 'drive' } : { id: { $in: ids } }
    for (const { id } of await em.find(referenced[field], where, { fields: ['id'] })) found.add(`${field} ${id}`)
  }
  const faults = references
    .filter(({ field, id }) => !found.has(`${field} ${id}`))
    .map(({ node, field }) => referenceFault(node, field))
  if (faults.length > 0) throw refused(faults)
}

/** Validates a graph. 422 workflow_graph_invalid. */
async function accepted(
  em: EntityManager,
  { nodes, edges, schedule, status }: Omit<WorkflowInput, 'key'>,
): Promise<SavedGraph> {
  const { faults, graph } = savedGraph({ nodes, edges, schedule }, status === 'active')
  if (!graph) throw refused(faults)
  if (status === 'active') await checkReferences(em, graph)
  return graph
}

const eventsWhile = (status: RecordStatus, graph: SavedGraph) => (status === 'active' ? eventsOf(graph) : [])

/** Creates a workflow. 409 key_taken, 422 workflow_graph_invalid. */
export async function createWorkflow(
  em: EntityManager,
  tenantId: string,
  { key, status = 'active', schedule = null, nodes, edges }: WorkflowInput,
  secret: WorkflowSecret,
  now: number,
): Promise<WorkflowWithGraph> {
  const saved = await accepted(em, { nodes, edges, schedule, status })
  const row = { tenant_id: tenantId, created_at: now, updated_at: now }
  const [id, graph_id] = [newId(), newId()]
  const workflow = em.create(Workflow, {
    ...row,
    ...secret,
    id,
    key,
    status,
    schedule,
    graph_id,
    events: eventsWhile(status, saved),
  })
  const graph = em.create(Graph, { ...row, ...saved, id: graph_id, workflow_id: id })
  await flushKeyed(em, 'workflow')
  if (schedule !== null) await start(em, 'schedule', id, { tenant_id: tenantId })
  return { workflow, graph }
}

/**
 * Locks the workflow. The start of an execution waits for it, so that no graph is deleted that an execution begins
 * with.
 */
const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('workflow') } as const

/** Deletes the workflow's former graphs that no execution uses. */
const forgetGraphs = ({ tenant_id, id, graph_id }: Workflow, em: EntityManager) =>
  em.execute(sql`
    delete from graphs g
    where g.tenant_id = ${tenant_id}
      and g.workflow_id = ${id}
      and g.id <> ${graph_id}
      and not exists (select 1 from executions x where x.graph_id = g.id and x.tenant_id = g.tenant_id)
  `)

/**
 * Updates a workflow. Fields that are left out stay; a `schedule` of null clears it. 404, 409 key_taken, 422
 * workflow_graph_invalid.
 */
export async function updateWorkflow(
  em: EntityManager,
  id: string,
  input: Partial<WorkflowInput>,
  now: number,
): Promise<WorkflowWithGraph> {
  const workflow = await em.findOneOrFail(Workflow, { id }, lock)
  const graph = await em.findOneOrFail(Graph, { id: workflow.graph_id })
  const { tenant_id } = workflow
  const status = input.status ?? workflow.status
  const schedule = input.schedule === undefined ? workflow.schedule : input.schedule
  const rescheduled = schedule !== workflow.schedule || (schedule !== null && status !== workflow.status)
  em.assign(workflow, { key: input.key ?? workflow.key, status, schedule: schedule ?? null, updated_at: now })
  let current: WorkflowWithGraph['graph'] = graph
  let replaced = false
  // A new key does not validate the graph again: a record that it refers to may be deleted since.
  if (
    input.status !== undefined ||
    input.nodes !== undefined ||
    input.edges !== undefined ||
    input.schedule !== undefined
  ) {
    const saved = await accepted(em, {
      nodes: input.nodes ?? graph.nodes,
      edges: input.edges ?? graph.edges,
      schedule,
      status,
    })
    em.assign(workflow, { events: eventsWhile(status, saved) })
    const { nodes, edges } = graph
    replaced = !isDeepStrictEqual(JSON.parse(JSON.stringify(saved)), { nodes, edges })
    if (replaced) {
      current = em.create(Graph, {
        ...saved,
        id: newId(),
        tenant_id,
        created_at: now,
        updated_at: now,
        workflow_id: id,
      })
      em.assign(workflow, { graph_id: (current as Graph).id })
    }
  }
  await flushKeyed(em, 'workflow')
  if (replaced) await forgetGraphs(workflow, em)
  if (rescheduled) await start(em, 'schedule', id, { tenant_id })
  return { workflow, graph: current }
}

/** Replaces the secret; the former address stops working. 404. */
export async function replaceSecret(
  em: EntityManager,
  id: string,
  secret: WorkflowSecret,
  now: number,
): Promise<WorkflowWithGraph> {
  // The former secret is not read: it may be one that no key decrypts.
  if ((await em.nativeUpdate(Workflow, { id }, { ...secret, updated_at: now })) === 0) throw notFound('workflow')
  const workflow = await em.findOneOrFail(Workflow, { id })
  return { workflow, graph: await em.findOneOrFail(Graph, { id: workflow.graph_id }) }
}

/**
 * Deletes a workflow with its executions. 409 executions_running with their number while one is unfinished, because the
 * outcome of its effects would be lost. 404.
 */
export async function removeWorkflow(em: EntityManager, id: string): Promise<void> {
  const { tenant_id, schedule } = await em.findOneOrFail(
    Workflow,
    { id },
    { ...lock, fields: ['tenant_id', 'schedule'] },
  )
  const [{ count = 0 } = {}]: { count?: number }[] = await em.execute(sql`
    select count(*)::int as count
    from executions
    where tenant_id = ${tenant_id} and workflow_id = ${id} and status in ('pending', 'running')
  `)
  if (count > 0) {
    const detail = `${count} of its executions ${count === 1 ? 'is' : 'are'} not over: cancel them, or archive the workflow.`
    throw conflict('executions_running', detail, { members: { executions: count } })
  }
  await em.nativeDelete(Workflow, { id })
  if (schedule !== null) await start(em, 'schedule', id, { tenant_id })
}

/** The graphs of these workflows, in one statement. */
export async function withGraphs(em: EntityManager, workflows: readonly Workflow[]): Promise<WorkflowWithGraph[]> {
  const graphs = new Map(
    (await em.find(Graph, { id: { $in: workflows.map(({ graph_id }) => graph_id) } })).map((graph) => [
      graph.id,
      graph,
    ]),
  )
  return workflows.map((workflow) => ({ workflow, graph: graphs.get(workflow.graph_id) ?? { nodes: {}, edges: [] } }))
}
