// Automations: a graph that is active can be run to its end, and starts for whoever has its address.
import { z } from 'zod'
import { config } from '../../config.ts'
import { Graph } from '../../entities/automation/graph.ts'
import { Workflow } from '../../entities/automation/workflow.ts'
import { createWorkflow, removeWorkflow, replaceSecret, updateWorkflow, type WorkflowWithGraph, withGraphs } from '../../entities/automation/workflows.ts'
import { isObject } from '../../rules/faults.ts'
import { GraphEdge, GraphNode, NODES_MAX } from '../../rules/graph-shapes.ts'
import { Key } from '../../rules/identities.ts'
import { notFound } from '../../rules/refusal.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { digest, newToken } from '../kit/caller.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

const WorkflowStatus = z.enum(['active', 'draft', 'archived'])

const WorkflowOut = z
  .object({
    id: z.string(),
    key: z.string(),
    status: WorkflowStatus,
    nodes: z.record(z.string(), z.union([GraphNode, z.looseObject({})])).describe('from node id to node; in a draft they may be half-written'),
    edges: z.array(z.union([GraphEdge, z.looseObject({})])),
    schedule: z.string().nullable().describe('cron, five fields, UTC'),
    webhook_url: z.string().describe('POST a JSON object to it to start an execution; whoever has it may'),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Workflow' })

const shown = ({ workflow, graph }: WorkflowWithGraph): z.input<typeof WorkflowOut> => ({
  ...(workflow as never as z.input<typeof WorkflowOut>),
  id: workflow.id,
  nodes: graph.nodes as z.input<typeof WorkflowOut>['nodes'],
  edges: graph.edges as z.input<typeof WorkflowOut>['edges'],
  webhook_url: `${config.publicUrl}/v1/workflows/trigger/${workflow.secret}`,
})

// What is wrong with a node or an edge is told by the rules of graphs, which tell it at its place: these only say what kind of thing is asked for.
/** Of far too many nodes only as many are read as it takes to refuse them. */
const Nodes = z
  .preprocess(
    (nodes: Record<string, unknown>) =>
      isObject(nodes) && !Array.isArray(nodes) && Object.keys(nodes).length > NODES_MAX
        ? Object.fromEntries(Object.entries(nodes).slice(0, NODES_MAX + 1))
        : nodes,
    z.record(z.string(), z.unknown()),
  )
  .describe('from node id ([A-Za-z0-9_-], 64 at most) to a WorkflowNode; 200 at most, one of them the trigger')
const Edges = z.array(z.unknown()).describe('of WorkflowEdge: source, target, output, back_edge')
const Schedule = z.string().max(255).nullable().describe('cron, five fields, UTC; null for none')
const Status = anyCase(WorkflowStatus)

const newSecret = () => {
  const secret = newToken('twwh')
  return { secret, secret_digest: digest(secret) }
}

const like = (word: string) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`

export const workflows = [
  listing('GET /v1/stores/{storeId}/workflows', {
    may: 'admin',
    summary: 'List the workflows',
    entity: Workflow,
    item: WorkflowOut,
    sorts: ['key'],
    filters: {
      ids: filter(many(Id), (ids) => ({ id: { $in: ids } })),
      status: filter(Status, (status) => ({ status })),
      query: filter(z.string().max(200).describe('words that the key holds, in any case'), (query) => ({
        $and: query
          .split(/\s+/)
          .filter((word) => word !== '')
          .map((word) => ({ key: { $ilike: like(word) } })),
      })),
    },
    load: async (em, rows) => (await withGraphs(em, rows as Workflow[])).map(shown),
    children: [{ entity: Graph, column: 'id', own: 'graph_id' }],
  }),
  route('GET /v1/stores/{storeId}/workflows/{id}', {
    may: 'admin',
    summary: 'Read a workflow',
    out: WorkflowOut,
    async run({ em, path }) {
      const workflow = await em.findOneOrFail(Workflow, { id: path.id }, { failHandler: () => notFound('workflow') })
      return shown((await withGraphs(em, [workflow]))[0] as WorkflowWithGraph)
    },
  }),
  route('POST /v1/stores/{storeId}/workflows', {
    may: 'admin',
    summary: 'Add a workflow; it is active unless told otherwise',
    description: '422 `workflow_graph_invalid`: every error points at a node or an edge, and names it. A draft may be half-written.',
    body: z.object({ key: Key, status: Status.optional(), nodes: Nodes, edges: Edges, schedule: Schedule.optional() }),
    out: WorkflowOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) => shown(await createWorkflow(em, tenant_id, body, newSecret(), now)),
  }),
  route('PUT /v1/stores/{storeId}/workflows/{id}', {
    may: 'admin',
    summary: 'Change a workflow; what runs ends with the graph it started with',
    description: 'What is left out stays; `nodes` and `edges` are complete, `schedule: null` clears it. What is or becomes active is checked as a whole.',
    body: z.object({ key: Key.optional(), status: Status.optional(), nodes: Nodes.optional(), edges: Edges.optional(), schedule: Schedule.optional() }),
    out: WorkflowOut,
    run: async ({ em, path, body, now }) => shown(await updateWorkflow(em, path.id, body, now)),
  }),
  route('POST /v1/stores/{storeId}/workflows/{id}/rotate-secret', {
    may: 'admin',
    summary: 'Give a workflow a new address',
    description: 'The one before is no longer good from this moment on.',
    out: WorkflowOut,
    run: async ({ em, path, now }) => shown(await replaceSecret(em, path.id, newSecret(), now)),
  }),
  route('DELETE /v1/stores/{storeId}/workflows/{id}', {
    may: 'admin',
    summary: 'Remove a workflow and its executions, once all of them are over',
    description: '409 `executions_running` with the number of those that are not.',
    out: Success,
    async run({ em, path }) {
      await removeWorkflow(em, path.id)
      return success
    },
  }),
]
