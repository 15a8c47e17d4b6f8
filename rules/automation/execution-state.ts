// Whatever the order in which its nodes end, a graph is followed in one way; what has ended in one run is never started again.
//
// The reducer follows statuses, never values: an output is kept by the caller under its run's key, and a run names the keys that it reads. So
// the state is as large as the graph, not as its history, and what one result costs does not grow with the items of a loop.
//
//   let state = begin(plan)
//   while (conclusion(state) === 'running') {
//     const runs = ready(plan, state)                      // start as many as may be in parallel, if any
//     state = start(state, runs.map(({ key }) => key))     // from here on they end by their own verdict only
//     state = apply(plan, state, await anyOfThemEnds())    // { run, status, output?, items? }; its value was stored under `run` before
//   }

import type { ExecutionStatus } from './executions.ts'
import { outputsOf, type PlacedEdge, type Plan } from './graph.ts'
import { LOOP_ITEMS_MAX } from './graph-shapes.ts'
import type { Scope } from './templates.ts'

/**
 * Of one node, in the latest iteration if it is in a loop. Without an entry a node is undecided. `looping`: between the items of a loop.
 * `skipped`: nothing that leads to it was taken. `cancelled`: it would have started after the execution was stopped.
 */
type NodeStatus = 'ready' | 'running' | 'looping' | 'completed' | 'failed' | 'unknown' | 'skipped' | 'cancelled'

type NodeState = {
  status: NodeStatus
  /** Of a completed switch: which one it took. */
  output?: string
  /** Of a loop since its items are known. `returned`: by which edge (its index, -1 for none) so many iterations in a row came back. */
  loop?: { index: number; total: number; returned: [edge: number, times: number][] }
}

/** Why nothing starts any more. */
type Stop = Extract<ExecutionStatus, 'failed' | 'cancelled'>

/** JSON. Belongs to the graph that it was begun with. */
export type State = {
  nodes: Record<string, NodeState>
  /** Why nothing starts any more: the first failure that no `error` edge takes, or a cancellation. */
  stopped: Stop | null
}

/** Where a value is: the output of a run, or one item of the array that a run gave. */
export type Ref = string | { items: string; index: number; total: number }

/**
 * One thing to do. `key` is unique in the execution: `<node>`, in loops `<node>#<index>,<index>`, outermost first; of a loop's items
 * `<loop>:items#…`. `step`: `run` a node; `items`, evaluate a loop's items to an array; `collect`, write the loop's own output: the outputs of
 * the runs in `collected`, null for null. `input` and `nodes` are what templates and code read, by name.
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
 * How a run ended. `output`: of a completed switch, which one it takes. `items`: of completed items, how many (at most LOOP_ITEMS_MAX: more
 * are the caller's `failed`). A failed run may have stored a value too: it is what the `error` output carries.
 */
export type Result = { run: string; status: 'completed' | 'failed' | 'unknown'; output?: string; items?: number }

const decided = (one: NodeState | undefined): boolean => one !== undefined && !['ready', 'running', 'looping'].includes(one.status)

/** Whether an edge is taken: null while it is open. */
const taken = (plan: Plan, { nodes }: State, { source, output }: PlacedEdge): boolean | null => {
  const one = nodes[source]
  if (output === 'each' && one?.status === 'looping') return true
  // A loop that knows its items and is not between them has none left.
  if (output === 'each' && one?.loop) return false
  if (!one || !decided(one)) return null
  if (output === 'each') return false
  if (one.status === 'failed') return output === 'error'
  if (one.status !== 'completed') return false
  return plan.nodes[source]?.type === 'switch' ? output === one.output : output !== 'error'
}

const pathOf = (plan: Plan, { nodes }: State, node: string): number[] => (plan.loops.get(node) ?? []).map((loop) => nodes[loop]?.loop?.index ?? 0)

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

/** An iteration is over when all of its body is decided; what a loop does then. Changes the state. */
const endIteration = (plan: Plan, state: State, id: string): void => {
  const loop = state.nodes[id]?.loop
  if (!loop) return
  // Of several back edges that are taken the first counts, whatever ended last.
  const edge = plan.returns.get(id)?.find((one) => taken(plan, state, one))?.index ?? -1
  const returned = counted(loop.returned, edge)
  const last = loop.index + 1 === loop.total
  if (plan.body.get(id)?.some((node) => state.nodes[node]?.status === 'unknown')) state.nodes[id] = { status: 'unknown', loop: { ...loop, returned } }
  else if (state.stopped) state.nodes[id] = { status: 'cancelled', loop: { ...loop, returned } }
  else if (last) state.nodes[id] = { status: 'ready', loop: { ...loop, returned } }
  else {
    for (const node of plan.order) if (plan.loops.get(node)?.includes(id)) delete state.nodes[node]
    state.nodes[id] = { status: 'looping', loop: { index: loop.index + 1, total: loop.total, returned } }
  }
}

const decide = (plan: Plan, state: State, node: string): void => {
  if (state.nodes[node]) return
  const edges = (plan.incoming.get(node) ?? []).map((edge) => taken(plan, state, edge))
  if (edges.includes(null)) return
  state.nodes[node] = { status: !edges.includes(true) ? 'skipped' : state.stopped ? 'cancelled' : 'ready' }
}

/** Follows what the change of these nodes decides, as far as it goes without a run. Changes the state. */
const settle = (plan: Plan, state: State, changed: string[]): State => {
  for (const id of changed) {
    for (const { target } of plan.outgoing.get(id) ?? []) {
      if (state.nodes[target]) continue
      decide(plan, state, target)
      if (decided(state.nodes[target])) changed.push(target)
    }
    const around = plan.loops.get(id)?.at(-1)
    if (around === undefined || state.nodes[around]?.status !== 'looping' || !plan.body.get(around)?.every((node) => decided(state.nodes[node]))) continue
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

/** The state of an execution that has not done anything: its trigger is ready (its delay is the caller's to wait for, its output the body). */
export const begin = (plan: Plan): State => ({
  nodes: Object.fromEntries(plan.order.slice(0, 1).map((trigger) => [trigger, { status: 'ready' }])),
  stopped: null,
})

/** The runs of these keys have been started: from here on they end by their own verdict, also when the execution is stopped. */
export const start = (plan: Plan, state: State, keys: readonly string[]): State => {
  const next = copied(state)
  for (const key of keys) if (isOpen(plan, state, key, 'ready')) next.nodes[nodeOf(key)] = { ...state.nodes[nodeOf(key)], status: 'running' }
  return next
}

/**
 * The state after a run has ended; costs what the graph is large, whatever has happened before. A result counts once: one of a run that is not
 * open (it has ended, was cancelled, or belongs to an earlier iteration) changes nothing. A run that is evaluated at once need not be started.
 * Throws RangeError for a result that is none: an output that a switch has not, a number of items that no loop may have.
 *
 * failed: takes the `error` output; without an edge there, nothing starts any more. unknown: takes no output, so what depends on it alone is
 * skipped; in a loop it ends the loop as unknown, so that it is never overwritten by a later item; other branches go on.
 * (Design: automation, Graphs; API document 2, Execution rules.)
 */
export const apply = (plan: Plan, state: State, { run, status, output, items }: Result): State => {
  if (!isOpen(plan, state, run, 'ready', 'running')) return state
  const node = nodeOf(run)
  const { loop } = state.nodes[node] ?? {}
  const next = copied(state)
  next.nodes[node] = loop ? { status, loop } : { status }
  if (status === 'failed' && !hasErrorEdge(plan, node)) return stop(plan, next, 'failed', [node])
  if (status === 'completed' && plan.nodes[node]?.type === 'switch') {
    if (output === undefined || !outputsOf(plan.nodes[node]).includes(output)) throw new RangeError(`${node} has no output ${output}`)
    next.nodes[node] = { status, output }
  }
  if (status === 'completed' && stepOf(plan, node, state.nodes[node]) === 'items') {
    if (items === undefined || !Number.isInteger(items) || items < 0 || items > LOOP_ITEMS_MAX) throw new RangeError(`${node} cannot have ${items} items`)
    next.nodes[node] = { status: next.stopped ? 'cancelled' : items > 0 ? 'looping' : 'ready', loop: { index: 0, total: items, returned: [] } }
  }
  return settle(plan, next, [node])
}

/** A run that was started and provably never sent, of an execution that is stopped: it is cancelled, as if it had not been started. */
export const withdraw = (plan: Plan, state: State, key: string): State => {
  if (!state.stopped || !isOpen(plan, state, key, 'running')) return state
  const next = copied(state)
  const node = nodeOf(key)
  next.nodes[node] = { ...state.nodes[node], status: 'cancelled' }
  return settle(plan, next, [node])
}

/** Nothing that has not been started starts any more; what runs ends by its own verdict. Of an execution that is over it changes nothing. */
export const cancel = (plan: Plan, state: State): State => (conclusion(state) === 'running' ? stop(plan, copied(state), 'cancelled', []) : state)

/**
 * running, while anything is ready or runs; then failed, if a node is unknown (an effect that nobody can prove is never hidden by a later
 * cancellation), else by what stopped it first, else completed: also where failures were taken by their error edges.
 */
export const conclusion = ({ nodes, stopped }: State): Exclude<ExecutionStatus, 'pending'> => {
  const all = Object.values(nodes)
  if (!all.every(decided)) return 'running'
  return all.some(({ status }) => status === 'unknown') ? 'failed' : (stopped ?? 'completed')
}

const refOf = (plan: Plan, state: State, reader: string, node: string): Ref | null => {
  const one = state.nodes[node]
  if (plan.loops.get(reader)?.includes(node)) return { items: itemsKeyOf(plan, state, node), index: one?.loop?.index ?? 0, total: one?.loop?.total ?? 0 }
  return one?.status === 'completed' || one?.status === 'failed' ? keyOf(plan, state, node) : null
}

const refsOf = (plan: Plan, state: State, reader: string, names: Iterable<readonly [name: string, node: string]>): Record<string, Ref> =>
  Object.fromEntries(
    [...names].flatMap(([name, node]) => {
      const ref = refOf(plan, state, reader, node)
      return ref === null ? [] : [[name, ref]]
    }),
  )

const collectedBy = (plan: Plan, state: State, id: string): (string | null)[] => {
  const sources = new Map(plan.returns.get(id)?.map(({ index, source }) => [index, source]))
  const path = pathOf(plan, state, id)
  const edges = state.nodes[id]?.loop?.returned.flatMap(([edge, times]) => Array.from({ length: times }, () => edge)) ?? []
  return edges.map((edge, index) => {
    const source = sources.get(edge)
    return source === undefined ? null : keyed(source, [...path, index])
  })
}

/**
 * What can be started now, in the order of the graph; what was started is not among it. `input`: what direct sources gave over the edges that
 * were taken, a loop's current item under the loop's id, the trigger's under `trigger` too. `nodes`: what all nodes before this one gave, in the same
 * iteration or around it; of a failed node what its `error` output carries; of a loop around this node its current item.
 */
export const ready = (plan: Plan, state: State): Run[] =>
  plan.order.flatMap((node): Run[] => {
    if (state.nodes[node]?.status !== 'ready') return []
    const step = stepOf(plan, node, state.nodes[node])
    const sources = (plan.incoming.get(node) ?? []).filter((edge) => taken(plan, state, edge)).map(({ source }) => source)
    const named = sources.flatMap((source) => (plan.nodes[source]?.type === 'trigger' ? [source, 'trigger'] : [source]).map((name) => [name, source] as const))
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

/** The values behind a run's references as its templates and code read them; `read` returns undefined where nothing was stored, and the name is left out. */
export const scopeOf = ({ input, nodes }: Pick<Run, 'input' | 'nodes'>, read: (ref: Ref) => unknown): Scope => {
  const valued = (refs: Readonly<Record<string, Ref>>) =>
    Object.entries(refs).flatMap(([name, ref]): [string, unknown][] => {
      const value = read(ref)
      if (value === undefined) return []
      return [[name, typeof ref === 'string' ? value : { item: value, index: ref.index, total: ref.total }]]
    })
  return { input: Object.fromEntries(valued(input)), nodes: Object.fromEntries(valued(nodes).map(([name, output]) => [name, { output }])) }
}

export type NodeResult = { status: Exclude<NodeStatus, 'ready' | 'looping'> | 'pending'; run: string }

/** Every node as an execution shows it, with the key of its run, of the latest iteration in a loop. */
export const resultsOf = (plan: Plan, state: State): Record<string, NodeResult> =>
  Object.fromEntries(
    plan.order.map((node): [string, NodeResult] => {
      const status = state.nodes[node]?.status ?? 'ready'
      return [node, { status: status === 'ready' ? 'pending' : status === 'looping' ? 'running' : status, run: keyOf(plan, state, node) }]
    }),
  )
