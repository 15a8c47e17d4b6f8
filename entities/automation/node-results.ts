// The results of an execution's nodes, as operators see them. One statement reads the runs, without large outputs.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type NodeResult, resultsOf } from '../../rules/automation/execution-state.ts'
import { planOf } from '../../rules/automation/graph.ts'
import type { Graph as ActiveGraph } from '../../rules/automation/graph-shapes.ts'
import type { EffectStatus } from '../../rules/effects.ts'
import { json, sql } from '../kit/database/sql.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import type { Execution } from './execution.ts'
import { Graph } from './graph.ts'

/** Bytes of JSON. A larger output is read by the id of its run. */
const OUTPUT_SHOWN_MAX = 65_536

type Run = {
  id: string
  key: string
  status: EffectStatus
  output: unknown
  output_bytes: number | null
  error: EffectError | null
  attempt: number
  started_at: number | null
  finished_at: number | null
  next_attempt_at: number | null
}

const runsOf = (em: EntityManager, { tenant_id, id }: Execution, keys: readonly string[]): Promise<Run[]> =>
  em.execute(sql`
    select r.id, r.key, r.status, case when r.output_bytes > ${OUTPUT_SHOWN_MAX} then null else r.output end as output,
      r.output_bytes, r.error, r.attempt, r.started_at,
      coalesce(r.finished_at, floor(extract(epoch from r.settled_at))::bigint) as finished_at,
      case
        when r.status = 'requested' and r.due_at > clock_timestamp() then extract(epoch from r.due_at)::bigint
      end as next_attempt_at
    from node_runs r
    where r.tenant_id = ${tenant_id}
      and r.execution_id = ${id}
      and r.key = any(array(select jsonb_array_elements_text(${json(keys)})))
  `)

/** An effect's status in the words of an execution. */
export const shownStatus = ({
  status,
  error,
  attempt,
}: Pick<Run, 'status' | 'error' | 'attempt'>): NodeResult['status'] => {
  // Between two attempts it is running; before the first it waits for its slot or its delay.
  if (status === 'requested') return attempt === 0 ? 'pending' : 'running'
  if (status === 'processing') return 'running'
  if (status === 'succeeded') return 'completed'
  if (status === 'unknown') return 'unknown'
  return error?.code === 'execution_cancelled' ? 'cancelled' : 'failed'
}

/** A run that was only computed has no claim, and counts as one attempt. */
export const attemptsOf = ({ attempt, status }: Pick<Run, 'attempt' | 'status'>): number =>
  attempt === 0 && (status === 'succeeded' || status === 'rejected') ? 1 : attempt

export type ShownResult = Pick<
  Run,
  'output' | 'output_bytes' | 'error' | 'started_at' | 'finished_at' | 'next_attempt_at'
> & {
  status: NodeResult['status']
  attempts: number
  run_id: string | null
}

/** The result of a node without a run. */
export const notRun = (status: NodeResult['status']): ShownResult => ({
  status,
  output: null,
  output_bytes: null,
  error: null,
  attempts: 0,
  run_id: null,
  started_at: null,
  finished_at: null,
  next_attempt_at: null,
})

const shownRun = (run: Run): ShownResult => {
  const { output, output_bytes, error, started_at, finished_at, next_attempt_at } = run
  return {
    status: shownStatus(run),
    output,
    output_bytes,
    error,
    attempts: attemptsOf(run),
    run_id: run.id,
    started_at,
    finished_at,
    next_attempt_at,
  }
}

/** Key of the run that computes a loop's items. */
const itemsKeyOf = (node: string, key: string) => `${node}:items${key.slice(node.length)}`

/** The results of every node, in the graph's order. Needs the execution with its state. Two statements. */
export async function nodeResults(em: EntityManager, execution: Execution): Promise<Record<string, ShownResult>> {
  const graph = await em.findOneOrFail(Graph, { id: execution.graph_id })
  // An execution has only active graphs, which were parsed when they were saved.
  const plan = planOf({
    nodes: graph.nodes as ActiveGraph['nodes'],
    edges: graph.edges as ActiveGraph['edges'],
  })
  const { state, status } = execution
  if (!state)
    return Object.fromEntries(
      plan.order.map((node) => [node, notRun(status === 'cancelled' ? 'cancelled' : 'pending')]),
    )
  const results = Object.entries(resultsOf(plan, state))
  const isLoop = (node: string) => plan.nodes[node]?.type === 'loop'
  const keys = results.flatMap(([node, { run }]) => (isLoop(node) ? [run, itemsKeyOf(node, run)] : [run]))
  const runs = new Map((await runsOf(em, execution, keys)).map((run) => [run.key, run]))
  return Object.fromEntries(
    results.map(([node, result]) => {
      const run = runs.get(result.run)
      const items = isLoop(node) ? runs.get(itemsKeyOf(node, result.run)) : undefined
      // Between its items a loop has no run of its own, and a loop without items never has one.
      if (!run)
        return [
          node,
          items
            ? { ...shownRun(items), output: null, output_bytes: null, status: result.status }
            : notRun(result.status),
        ]
      return [node, { ...shownRun(run), ...(items ? { started_at: items.started_at } : {}) }]
    }),
  )
}
