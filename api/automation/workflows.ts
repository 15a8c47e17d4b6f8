// Workflows: automation graphs with their trigger address and schedule. An active graph is valid.
import { z } from 'zod'
import { config } from '../../config.ts'
import { Graph } from '../../entities/automation/graph.ts'
import { Workflow } from '../../entities/automation/workflow.ts'
import {
  createWorkflow,
  removeWorkflow,
  replaceSecret,
  updateWorkflow,
  type WorkflowWithGraph,
  withGraphs,
} from '../../entities/automation/workflows.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { decryptIfPossible, UNREADABLE } from '../../entities/kit/encrypted.ts'
import { GraphEdge, GraphNode, NODES_MAX } from '../../rules/automation/graph-shapes.ts'
import { Key } from '../../rules/input/identities.ts'
import { isObject } from '../../rules/input/validation-errors.ts'
import { anyCase, CreatedAt, RecordStatus, UpdatedAt } from '../../rules/shapes.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { digest, newToken } from '../kit/caller.ts'
import { declaredAs } from '../kit/declared.ts'
import { likeWords, searchText } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const DraftNode = z
  .looseObject({})
  .meta({ id: 'WorkflowDraftNode', description: 'A node of a draft. Any of its fields may be missing.' })
const DraftEdge = z
  .looseObject({})
  .meta({ id: 'WorkflowDraftEdge', description: 'An edge of a draft. Any of its fields may be missing.' })

const WorkflowStatus = RecordStatus

const WorkflowOut = z
  .object({
    id: z.string().describe('Identifier of the workflow, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the workflow, unique in the {store}.'),
    status: WorkflowStatus.describe(
      '`active` workflows are started by their trigger, schedule and events; `draft` ones are not.',
    ),
    nodes: z
      .record(z.string(), z.union([GraphNode, DraftNode]))
      .describe('From node id to node. The nodes of a draft may be incomplete.'),
    edges: z
      .array(z.union([GraphEdge, DraftEdge]))
      .describe('Connections between the nodes. The edges of a draft may be incomplete.'),
    schedule: z
      .string()
      .nullable()
      .describe('Cron expression of five fields, in UTC, that starts executions; null for none.'),
    webhook_url: z
      .string()
      .describe(
        'Address to which a JSON object is posted to start an execution. It contains a secret: anyone who has the address can start an execution. In a list, `__unreadable__` stands for a secret that no key of the installation decrypts; it can be replaced.',
      ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Workflow' })

const shown = ({ workflow, graph }: WorkflowWithGraph): z.input<typeof WorkflowOut> => ({
  ...asRow(workflow),
  id: workflow.id,
  nodes: graph.nodes as z.input<typeof WorkflowOut>['nodes'],
  edges: graph.edges as z.input<typeof WorkflowOut>['edges'],
  webhook_url: `${config.publicUrl}/v1/workflows/trigger/${workflow.secret}`,
})

// rules/automation/graph.ts checks nodes and edges and names the place of each error. These shapes only check the types
// of the containers.
const NodesRecord = z.record(z.string(), declaredAs(z.unknown(), GraphNode))
/** Reads one node more than the limit at most, which is enough to refuse the graph. */
const Nodes = z.preprocess((nodes) => {
  if (!isObject(nodes) || Array.isArray(nodes)) return nodes
  const ids = Object.keys(nodes)
  return ids.length > NODES_MAX
    ? Object.fromEntries(ids.slice(0, NODES_MAX + 1).map((id) => [id, Reflect.get(nodes, id)]))
    : nodes
}, NodesRecord)
const Edges = z.array(declaredAs(z.unknown(), GraphEdge))
const Schedule = z.string().max(255).nullable()
const Status = anyCase(WorkflowStatus)

const newSecret = () => {
  const secret = newToken('till_wh')
  return { secret, secret_digest: digest(secret) }
}

export const workflows = [
  listing('GET /v1/stores/{storeId}/workflows', {
    may: 'admin',
    summary: 'List the workflows',
    entity: Workflow,
    item: WorkflowOut,
    sorts: ['key'],
    filters: {
      ...byIds,
      status: filter(Status, (status) => ({ status })),
      query: filter(searchText().describe('Words that the key contains, in any case.'), (query) =>
        likeWords('key', query),
      ),
    },
    unmanaged: true,
    load: async (em, rows: Workflow[]) => {
      const readable = rows.map((row) => ({ ...row, secret: decryptIfPossible(row.secret) ?? UNREADABLE }))
      return (await withGraphs(em, readable)).map(shown)
    },
    children: [{ entity: Graph, column: 'id', own: 'graph_id' }],
  }),
  reading('GET /v1/stores/{storeId}/workflows/{id}', {
    may: 'admin',
    summary: 'Read a workflow',
    entity: Workflow,
    out: WorkflowOut,
    show: async (workflow, { em }) => shown((await withGraphs(em, [workflow]))[0] as WorkflowWithGraph),
  }),
  route('POST /v1/stores/{storeId}/workflows', {
    may: 'admin',
    refuses: ['key_taken', 'workflow_graph_invalid'],
    summary: 'Create a workflow',
    description:
      'An `active` workflow must have a valid graph, whose conditions, items and code can be parsed: otherwise 422 `workflow_graph_invalid`, where each error names a node or an ' +
      'edge. A `draft` may be incomplete. 409 `key_taken` if another workflow has the key.',
    body: z.object({
      key: Key.describe('Name of the workflow, unique in the {store}, of 1 to 255 printable characters.'),
      status: Status.optional().describe('`active`, the default, requires a valid graph.'),
      nodes: Nodes.describe(
        'From node id (1 to 64 of A-Z, a-z, 0-9, `_` and `-`) to node; 200 at most, exactly one of type `trigger`.',
      ),
      edges: Edges.describe('Connections between the nodes, 1,000 at most.'),
      schedule: Schedule.optional().describe('Cron expression of five fields, in UTC; null for none.'),
    }),
    out: WorkflowOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) => shown(await createWorkflow(em, tenant_id, body, newSecret(), now)),
  }),
  route('PUT /v1/stores/{storeId}/workflows/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'workflow_graph_invalid'],
    summary: 'Update a workflow',
    description:
      'Fields that are left out are kept. `nodes` and `edges` are replaced as a whole; `schedule: null` removes the schedule. A workflow that is or becomes `active` must have a ' +
      'valid graph: otherwise 422 `workflow_graph_invalid`. 409 `key_taken` if another workflow has the key.',
    body: z.object({
      key: Key.optional().describe('Name of the workflow, unique in the {store}. Left out, it is kept.'),
      status: Status.optional().describe('`active` requires a valid graph. Left out, it is kept.'),
      nodes: Nodes.optional().describe('Replaces all nodes. Left out, they are kept.'),
      edges: Edges.optional().describe('Replaces all edges. Left out, they are kept.'),
      schedule: Schedule.optional().describe(
        'Cron expression of five fields, in UTC; null removes it. Left out, it is kept.',
      ),
    }),
    out: WorkflowOut,
    run: async ({ em, path, body, now }) => shown(await updateWorkflow(em, path.id, body, now)),
  }),
  route('POST /v1/stores/{storeId}/workflows/{id}/rotate-secret', {
    operation: 'rotateWorkflowSecret',
    may: 'admin',
    summary: "Rotate the secret of a workflow's address",
    description:
      'Returns the workflow with a new `webhook_url`. The previous address is answered with 404 from then on.',
    out: WorkflowOut,
    run: async ({ em, path, now }) => shown(await replaceSecret(em, path.id, newSecret(), now)),
  }),
  removing('DELETE /v1/stores/{storeId}/workflows/{id}', {
    may: 'admin',
    refuses: ['executions_running'],
    summary: 'Delete a workflow with its executions',
    description: '409 `executions_running` while executions of it are running; `executions` is their number.',
    remove: ({ em, path }) => removeWorkflow(em, path.id),
  }),
]
