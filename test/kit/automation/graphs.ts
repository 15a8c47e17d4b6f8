// Automation graphs and their executions, written directly into the database, and their results.
//   const run = await execute(store_id, { nodes: { start: { type: 'trigger' } }, edges: [] }, { name: 'Ada' })
//   run.status, run.nodes.start.output
import { encrypt } from '../../../entities/kit/encrypted.ts'
import { newId } from '../../../entities/kit/ids.ts'
import { until } from '../codes.ts'
import { database, unique } from '../shop.ts'

export type Edge = { source: string; target: string; output: string; back_edge?: boolean }
export type GivenGraph = { nodes: Record<string, Record<string, unknown>>; edges: Edge[] }

/** `edge('a', 'b')` is of success; of a trigger say default. */
export const edge = (source: string, target: string, output = 'success', back_edge = false): Edge => ({
  source,
  target,
  output,
  back_edge,
})

const now = () => Math.floor(Date.now() / 1000)

/** A workflow with its graph. */
export async function newWorkflow(
  tenant_id: string,
  { nodes, edges }: GivenGraph,
): Promise<{ workflow_id: string; graph_id: string }> {
  const [workflow_id, graph_id] = [newId(), newId()]
  await database().query(
    `insert into workflows (id, tenant_id, created_at, updated_at, key, status, graph_id, events, secret, secret_digest)
     values ($1, $2, $3, $3, $4, 'active', $5, '[]', $6, $7)`,
    [
      workflow_id,
      tenant_id,
      now(),
      unique(),
      graph_id,
      encrypt(unique()),
      `${unique()}${unique()}${unique()}${unique()}`.padEnd(64, '0').slice(0, 64),
    ],
  )
  await database().query(
    'insert into graphs (id, tenant_id, created_at, updated_at, workflow_id, nodes, edges) values ($1, $2, $3, $3, $4, $5, $6)',
    [graph_id, tenant_id, now(), workflow_id, JSON.stringify(nodes), JSON.stringify(edges)],
  )
  return { workflow_id, graph_id }
}

/** A requested execution; the relay starts it. */
export async function begin(
  tenant_id: string,
  { workflow_id, graph_id }: { workflow_id: string; graph_id: string },
  input: unknown = {},
): Promise<string> {
  const id = newId()
  await database().query(
    `with x as (insert into executions (id, tenant_id, created_at, updated_at, workflow_id, graph_id, status, source, input, step, cancel_requested)
       values ($1, $2, $3, $3, $4, $5, 'pending', 'webhook', $6, 0, false) returning id)
     insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked) select $7, $2, 'execution', id, clock_timestamp(), 0, false from x`,
    [id, tenant_id, now(), workflow_id, graph_id, JSON.stringify(input), newId()],
  )
  return id
}

export type NodeEnd = {
  key: string
  status: string
  output: unknown
  error: { code: string; message: string } | null
  attempt: number
  sent_at: Date | null
}
export type Ended = {
  id: string
  status: string
  error: { code: string; node?: string } | null
  /** Of the reducer. */
  states: Record<string, { status: string }>
  /** By key: every iteration. */
  runs: Record<string, NodeEnd>
}

export async function executionOf(id: string): Promise<Ended> {
  const { rows } = await database().query('select id, status, error, state from executions where id = $1', [id])
  const { rows: runs } = await database().query<NodeEnd>(
    'select key, status, output, error, attempt, sent_at from node_runs where execution_id = $1',
    [id],
  )
  const { state, ...row } = rows[0]
  return { ...row, states: state?.nodes ?? {}, runs: Object.fromEntries(runs.map((run) => [run.key, run])) }
}

/** Once it is over. */
export async function ended(id: string, timeoutMs = 30_000): Promise<Ended> {
  await until(async () => {
    const { rows } = await database().query(
      `select 1 from executions where id = $1 and status in ('completed', 'failed', 'cancelled')`,
      [id],
    )
    return rows.length > 0
  }, timeoutMs)
  return executionOf(id)
}

export async function execute(tenant_id: string, graph: GivenGraph, input: unknown = {}): Promise<Ended> {
  return ended(await begin(tenant_id, await newWorkflow(tenant_id, graph), input))
}
