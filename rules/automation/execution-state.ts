// The state of an execution, as a pure reducer. It is deterministic in the order of results, and a run that has ended
// is never started again.
//
// The state holds statuses, not values: the caller stores an output under the key of its run, and a run lists the keys
// that it reads. The state is therefore as large as the graph, not as its history, and the cost of a result does not
// depend on the number of items of a loop.
//
//   let state = begin(plan)
//   while (conclusion(state) === 'running') {
//     const runs = ready(plan, state)                            // start as many of these as may run in parallel
//     state = start(plan, state, runs.map(({ key }) => key))     // from here on they end with their own result only
//   state = apply(plan, state, await nextResult())
//   // { run, status, output?, items? }; its value is stored
//   }

import type { ExecutionStatus } from './executions.ts'
import { outputsOf, type PlacedEdge, type Plan } from './graph.ts'
import { LOOP_ITEMS_MAX } from './graph-shapes.ts'
import type { Scope } from './templates.ts'

/**
 * Status of a node, in the latest iteration if it is in a loop. A node without an entry is undecided. `looping`: a loop
 * between its items. `skipped`: no edge into it was taken. `cancelled`: it would have started after the execution was
 * stopped.
 */
type NodeStatus = 'ready' | 'running' | 'looping' | 'completed' | 'failed' | 'unknown' | 'skipped' | 'cancelled'

type NodeState = {
  status: NodeStatus
  /** The output that a completed switch took. */
  output?: string
  /**
   * Set for a loop whose items are known. `returned`: run-length list of the edges (their index, -1 for none) by which
   * iterations returned.
   */
  loop?: { index: number; total: number; returned: [edge: number, times: number][] }
}

/** Why no further node starts. */
type Stop = Extract<ExecutionStatus, 'failed' | 'cancelled'>

/** JSON. Valid only with the graph that it was created for. */
export type State = {
  nodes: Record<string, NodeState>
  /** Why no further node starts: the first failure without an `error` edge, or a cancellation. */
  stopped: Stop | null
}

/** Reference to a value: the output of a run, or one item of the array that a run returned. */
export type Ref = string | { items: string; index: number; total: number }

/**
 * A run to start. `key` is unique in the execution: `<node>`, in loops `<node>#<index>,<index>` with the outermost loop
 * first; for the items of a loop `<loop>:items#…`. `step`: `run` a node; `items`: evaluate the items of a loop to an
 * array; `collect`: write the output of the loop, which is the outputs of the runs in `collected`, null for null.
 * `input` and `nodes` are the references that templates and code read, by name.
 */
export type Run = {
  key: string
  node: string
  path: number[]
  step: 'run' | 'items' | 'collect'
  input: Record<string, Ref>
  nodes: Record<string, Ref>
  collected: (string | null)[]
}

/**
 * The result of a run. `output`: the output that a completed switch takes. `items`: the number of items of a completed
 * `items` step, at most LOOP_ITEMS_MAX; the caller reports more as `failed`. A failed run may have stored a value too,
 * which is the value of its `error` output.
 */
export type Result = { run: string; status: 'completed' | 'failed' | 'unknown'; output?: string; items?: number }

const decided = (one: NodeState | undefined): boolean =>
  one !== undefined && !['ready', 'running', 'looping'].includes(one.status)

/** Whether an edge is taken; null while that is undecided. */
const isTaken = (plan: Plan, { nodes }: State, { source, output }: PlacedEdge): boolean | null => {
  const one = nodes[source]
  if (output === 'each' && one?.status === 'looping') return true
  // A loop with known items that is not `looping` has no items left.
  if (output === 'each' && one?.loop) return false
  if (!one || !decided(one)) return null
  if (output === 'each') return false
  if (one.status === 'failed') return output === 'error'
  if (one.status !== 'completed') return false
  return plan.nodes[source]?.type === 'switch' ? output === one.output : output !== 'error'
}

const pathOf = (plan: Plan, { nodes }: State, node: string): number[] =>
  (plan.loops.get(node) ?? []).map((loop) => nodes[loop]?.loop?.index ?? 0)

const keyed = (name: string, path: readonly number[]) => (path.length === 0 ? name : `${name}#${path.join(',')}`)

const keyOf = (plan: Plan, state: State, node: string) => keyed(node, pathOf(plan, state, node))

const itemsKeyOf = (plan: Plan, state: State, loop: string) => keyed(`${loop}:items`, pathOf(plan, state, loop))

const stepOf = (plan: Plan, node: string, one: NodeState | undefined): Run['step'] =>
  plan.nodes[node]?.type !== 'loop' ? 'run' : one?.loop ? 'collect' : 'items'

const runKeyOf = (plan: Plan, state: State, node: string) =>
  stepOf(plan, node, state.nodes[node]) === 'items' ? itemsKeyOf(plan, state, node) : keyOf(plan, state, node)

const nodeOf = (key: string) => key.split(/[:#]/, 1)[0] ?? ''

const isOpen = (plan: Plan, state: State, key: string, ...statuses: NodeStatus[]): boolean => {
  const node = nodeOf(key)
  const one = state.nodes[node]
  return one !== undefined && statuses.includes(one.status) && runKeyOf(plan, state, node) === key
}

const counted = (returned: readonly [number, number][], edge: number): [number, number][] => {
  const [last, times] = returned.at(-1) ?? [null, 0]
  return last === edge ? [...returned.slice(0, -1), [edge, times + 1]] : [...returned, [edge, 1]]
}

/** Ends an iteration, all of whose body is decided: starts the next one or ends the loop. Mutates the state. */
const endIteration = (plan: Plan, state: State, id: string): void => {
  const loop = state.nodes[id]?.loop
  if (!loop) return
  // The first back edge that was taken counts, independent of the order of results.
  const edge = plan.returns.get(id)?.find((one) => isTaken(plan, state, one))?.index ?? -1
  const returned = counted(loop.returned, edge)
  const last = loop.index + 1 === loop.total
  if (plan.body.get(id)?.some((node) => state.nodes[node]?.status === 'unknown'))
    state.nodes[id] = { status: 'unknown', loop: { ...loop, returned } }
  else if (state.stopped) state.nodes[id] = { status: 'cancelled', loop: { ...loop, returned } }
  else if (last) state.nodes[id] = { status: 'ready', loop: { ...loop, returned } }
  else {
    for (const node of plan.order) if (plan.loops.get(node)?.includes(id)) delete state.nodes[node]
    state.nodes[id] = { status: 'looping', loop: { index: loop.index + 1, total: loop.total, returned } }
  }
}

const decide = (plan: Plan, state: State, node: string): void => {
  if (state.nodes[node]) return
  const edges = (plan.incoming.get(node) ?? []).map((edge) => isTaken(plan, state, edge))
  if (edges.includes(null)) return
  state.nodes[node] = { status: !edges.includes(true) ? 'skipped' : state.stopped ? 'cancelled' : 'ready' }
}

/** Decides the nodes that follow from the changed ones without a run. Mutates the state. */
const settle = (plan: Plan, state: State, changed: string[]): State => {
  for (const id of changed) {
    for (const { target } of plan.outgoing.get(id) ?? []) {
      if (state.nodes[target]) continue
      decide(plan, state, target)
      if (decided(state.nodes[target])) changed.push(target)
    }
    const around = plan.loops.get(id)?.at(-1)
    if (
      around === undefined ||
      state.nodes[around]?.status !== 'looping' ||
      !plan.body.get(around)?.every((node) => decided(state.nodes[node]))
    )
      continue
    endIteration(plan, state, around)
    changed.push(around)
  }
  return state
}

const copied = (state: State): State => ({ ...state, nodes: { ...state.nodes } })

const stop = (plan: Plan, state: State, why: Stop, changed: string[]): State => {
  state.stopped ??= why
  const unsent = Object.keys(state.nodes).filter((node) => state.nodes[node]?.status === 'ready')
  for (const node of unsent) state.nodes[node] = { ...state.nodes[node], status: 'cancelled' }
  return settle(plan, state, [...changed, ...unsent])
}

const hasErrorEdge = (plan: Plan, node: string): boolean => {
  const around = plan.loops.get(node)?.at(-1)
  const edges = [...(plan.outgoing.get(node) ?? []), ...(around === undefined ? [] : (plan.returns.get(around) ?? []))]
  return edges.some(({ source, output }) => source === node && output === 'error')
}

/** The initial state: the trigger is ready. The caller waits for its delay, and its output is the body. */
export const begin = (plan: Plan): State => ({
  nodes: Object.fromEntries(plan.order.slice(0, 1).map((trigger) => [trigger, { status: 'ready' }])),
  stopped: null,
})

/** Marks runs as started: from here on they end with their own result only, also when the execution is stopped. */
export const start = (plan: Plan, state: State, keys: readonly string[]): State => {
  const next = copied(state)
  for (const key of keys)
    if (isOpen(plan, state, key, 'ready')) next.nodes[nodeOf(key)] = { ...state.nodes[nodeOf(key)], status: 'running' }
  return next
}

/**
 * Applies a result; the cost depends on the size of the graph only. A result is applied once: the result of a run that
 * is not open (it has ended, was cancelled or belongs to an earlier iteration) changes nothing. A run that is evaluated
 * at once need not be started. Throws RangeError for an output that the switch does not have, and for an invalid number
 * of items.
 *
 * `failed` takes the `error` output; without an edge there, no further node starts. `unknown` takes no output: nodes
 * that depend on it alone are skipped, and a loop around it ends as unknown, so that a later item does not overwrite
 * it. Other branches continue.
 */
export const apply = (plan: Plan, state: State, { run, status, output, items }: Result): State => {
  if (!isOpen(plan, state, run, 'ready', 'running')) return state
  const node = nodeOf(run)
  const { loop } = state.nodes[node] ?? {}
  const next = copied(state)
  next.nodes[node] = loop ? { status, loop } : { status }
  if (status === 'failed' && !hasErrorEdge(plan, node)) return stop(plan, next, 'failed', [node])
  if (status === 'completed' && plan.nodes[node]?.type === 'switch') {
    if (output === undefined || !outputsOf(plan.nodes[node]).includes(output))
      throw new RangeError(`${node} has no output ${output}`)
    next.nodes[node] = { status, output }
  }
  if (status === 'completed' && stepOf(plan, node, state.nodes[node]) === 'items') {
    if (items === undefined || !Number.isInteger(items) || items < 0 || items > LOOP_ITEMS_MAX)
      throw new RangeError(`${node} cannot have ${items} items`)
    next.nodes[node] = {
      status: next.stopped ? 'cancelled' : items > 0 ? 'looping' : 'ready',
      loop: { index: 0, total: items, returned: [] },
    }
  }
  return settle(plan, next, [node])
}

/** Cancels a run of a stopped execution that was started but provably never sent. */
export const withdraw = (plan: Plan, state: State, key: string): State => {
  if (!state.stopped || !isOpen(plan, state, key, 'running')) return state
  const next = copied(state)
  const node = nodeOf(key)
  next.nodes[node] = { ...state.nodes[node], status: 'cancelled' }
  return settle(plan, next, [node])
}

/**
 * Stops the execution: no further run starts, and running ones end with their own result. Changes nothing in an
 * execution that has ended.
 */
export const cancel = (plan: Plan, state: State): State =>
  conclusion(state) === 'running' ? stop(plan, copied(state), 'cancelled', []) : state

/**
 * `running` while a node is ready or running. Then `failed` if a node is unknown (an unknown effect is not hidden by a
 * later cancellation), otherwise what stopped the execution, otherwise `completed`, also if failures took their `error`
 * edges.
 */
export const conclusion = ({ nodes, stopped }: State): Exclude<ExecutionStatus, 'pending'> => {
  const all = Object.values(nodes)
  if (!all.every(decided)) return 'running'
  return all.some(({ status }) => status === 'unknown') ? 'failed' : (stopped ?? 'completed')
}

const refOf = (plan: Plan, state: State, reader: string, node: string): Ref | null => {
  const one = state.nodes[node]
  if (plan.loops.get(reader)?.includes(node))
    return { items: itemsKeyOf(plan, state, node), index: one?.loop?.index ?? 0, total: one?.loop?.total ?? 0 }
  return one?.status === 'completed' || one?.status === 'failed' ? keyOf(plan, state, node) : null
}

const refsOf = (
  plan: Plan,
  state: State,
  reader: string,
  names: Iterable<readonly [name: string, node: string]>,
): Record<string, Ref> =>
  Object.fromEntries(
    [...names].flatMap(([name, node]) => {
      const ref = refOf(plan, state, reader, node)
      return ref === null ? [] : [[name, ref]]
    }),
  )

const collectedBy = (plan: Plan, state: State, id: string): (string | null)[] => {
  const sources = new Map(plan.returns.get(id)?.map(({ index, source }) => [index, source]))
  const path = pathOf(plan, state, id)
  const edges =
    state.nodes[id]?.loop?.returned.flatMap(([edge, times]) => Array.from({ length: times }, () => edge)) ?? []
  return edges.map((edge, index) => {
    const source = sources.get(edge)
    return source === undefined ? null : keyed(source, [...path, index])
  })
}

/**
 * The runs that can be started now, in the order of the graph, without those that were started. `input`: the outputs of
 * direct sources over the edges that were taken; a loop's current item under the id of the loop; the trigger's output
 * under `trigger` too. `nodes`: the outputs of all nodes before this one, in the same iteration or around it; the
 * `error` value of a failed node; the current item of a loop around this node.
 */
export const ready = (plan: Plan, state: State): Run[] =>
  plan.order.flatMap((node): Run[] => {
    if (state.nodes[node]?.status !== 'ready') return []
    const step = stepOf(plan, node, state.nodes[node])
    const sources = (plan.incoming.get(node) ?? [])
      .filter((edge) => isTaken(plan, state, edge))
      .map(({ source }) => source)
    const named = sources.flatMap((source) =>
      (plan.nodes[source]?.type === 'trigger' ? [source, 'trigger'] : [source]).map((name) => [name, source] as const),
    )
    return [
      {
        key: runKeyOf(plan, state, node),
        node,
        path: pathOf(plan, state, node),
        step,
        input: refsOf(plan, state, node, named),
        nodes: refsOf(
          plan,
          state,
          node,
          [...(plan.before.get(node) ?? [])].map((id) => [id, id] as const),
        ),
        collected: step === 'collect' ? collectedBy(plan, state, node) : [],
      },
    ]
  })

/**
 * The scope of a run's templates and code. `read` returns the output of a run or the item; a name is left out if
 * nothing was stored.
 */
export const scopeOf = ({ input, nodes }: Pick<Run, 'input' | 'nodes'>, read: (ref: Ref) => unknown): Scope => {
  const valued = (refs: Readonly<Record<string, Ref>>) =>
    Object.entries(refs).flatMap(([name, ref]): [string, unknown][] => {
      const value = read(ref)
      if (value === undefined) return []
      return [[name, typeof ref === 'string' ? value : { item: value, index: ref.index, total: ref.total }]]
    })
  return {
    input: Object.fromEntries(valued(input)),
    nodes: Object.fromEntries(valued(nodes).map(([name, output]) => [name, { output }])),
  }
}

export type NodeResult = { status: Exclude<NodeStatus, 'ready' | 'looping'> | 'pending'; run: string }

/** The status of every node and the key of its run, in a loop of the latest iteration. */
export const resultsOf = (plan: Plan, state: State): Record<string, NodeResult> =>
  Object.fromEntries(
    plan.order.map((node): [string, NodeResult] => {
      const status = state.nodes[node]?.status ?? 'ready'
      return [
        node,
        {
          status: status === 'ready' ? 'pending' : status === 'looping' ? 'running' : status,
          run: keyOf(plan, state, node),
        },
      ]
    }),
  )
