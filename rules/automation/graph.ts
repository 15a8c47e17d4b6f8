// Validates graphs and plans their execution. A graph without errors can be executed to its end; every error names a
// node or an edge.
import type { z } from 'zod'
import { isDeeper } from '../input/json-leaves.ts'
import { pointerOf } from '../input/pointers.ts'
import type { Fault } from '../refusal.ts'
import { bodyFault, expressionFault } from './expressions.ts'
import {
  DEPTH_MAX,
  EDGES_MAX,
  GRAPH_BYTES_MAX,
  type Graph,
  GraphEdge,
  GraphNode,
  NODES_MAX,
  NodeId,
  Schedule,
} from './graph-shapes.ts'
import { isPrototypeKey, isTemplate, type Template, templatesIn } from './templates.ts'

/** The node fields of an edge. */
const ends = ['source', 'target'] as const

/**
 * `node` or `edge` (its index) is set if the error is of one; `pointer` is a JSON pointer into the workflow:
 * /nodes/a/url, /edges/3/output.
 */
export type GraphFault = Fault & { node?: string; edge?: number }

/** The unchecked parts of a workflow. */
export type GivenGraph = { nodes: unknown; edges: unknown; schedule?: unknown }

/** An edge with its index. */
export type PlacedEdge = GraphEdge & { index: number }

/**
 * The plan of a valid graph. `order`: topological, without back edges. `incoming`: without back edges; `returns`: the
 * back edges into a loop. `loops`: the loops around a node, outermost first: it runs once per item of each. `body`: the
 * nodes directly in a loop. `before`: the nodes that are decided before a node and that it can read, including the
 * loops around it.
 */
export type Plan = {
  nodes: Graph['nodes']
  order: string[]
  incoming: Map<string, PlacedEdge[]>
  outgoing: Map<string, PlacedEdge[]>
  returns: Map<string, PlacedEdge[]>
  loops: Map<string, string[]>
  body: Map<string, string[]>
  before: Map<string, Set<string>>
}

const ofNode = (node: string, path: readonly PropertyKey[], code: string, detail: string): GraphFault => ({
  pointer: pointerOf(['nodes', node, ...path]),
  code,
  detail,
  node,
})
const ofEdge = (edge: number, path: readonly PropertyKey[], code: string, detail: string): GraphFault => ({
  pointer: pointerOf(['edges', edge, ...path]),
  code,
  detail,
  edge,
})

type Made = (path: readonly PropertyKey[], code: string, detail: string) => GraphFault

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const shapeFaults = (issues: readonly z.core.$ZodIssue[], input: unknown, fault: Made): GraphFault[] =>
  issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => fault([...issue.path, key], 'unknown_field', 'There is no such field.'))
    const value = issue.path.reduce<unknown>(
      (at, part) => (at !== null && typeof at === 'object' ? Reflect.get(at, part) : undefined),
      input,
    )
    if (value === undefined) return [fault(issue.path, 'required', 'This field is required.')]
    if (issue.code === 'invalid_union' && issue.path.at(-1) === 'type')
      return [fault(issue.path, 'unknown_type', 'There is no such node type.')]
    return [fault(issue.path, issue.code === 'custom' ? 'invalid_value' : issue.code, issue.message)]
  })

const isDeep = (value: unknown): boolean => isDeeper(value, DEPTH_MAX)

/** The outputs of a node by its type. A transform has an `error` output too, as its code may throw. */
export const outputsOf = (node: GraphNode): string[] => {
  if (node.type === 'trigger') return ['default']
  if (node.type === 'loop') return ['each', 'done']
  if (node.type === 'switch') return [...node.rules.map((_, index) => `rule_${index}`), 'fallback']
  return ['success', 'error']
}

const parseNodes = (input: Record<string, unknown>, faults: GraphFault[]): Graph['nodes'] => {
  const nodes: Graph['nodes'] = Object.create(null)
  for (const [id, value] of Object.entries(input)) {
    if (!NodeId.safeParse(id).success)
      faults.push(ofNode(id, [], 'node_id_invalid', 'Expected 1 to 64 letters, digits, `_` and `-`.'))
    // The names of inherited members would be found in objects without such a node.
    else if (
      id in Object.prototype ||
      isPrototypeKey(id) ||
      (id === 'trigger' && isObject(value) && value.type !== 'trigger')
    )
      faults.push(ofNode(id, [], 'node_id_reserved', `The node id ${id} is reserved.`))
    if (isDeep(value)) continue
    const parsed = GraphNode.safeParse(value)
    if (parsed.success) {
      nodes[id] = parsed.data
      faults.push(...codeFaults(id, parsed.data))
    } else faults.push(...shapeFaults(parsed.error.issues, value, (...fault) => ofNode(id, ...fault)))
  }
  return nodes
}

/** The edges without errors. `ids`: of all nodes, also of those with errors. */
const parseEdges = (
  input: unknown[],
  ids: ReadonlySet<string>,
  nodes: Graph['nodes'],
  faults: GraphFault[],
): PlacedEdge[] => {
  const seen = new Set<string>()
  return input.flatMap((value, index) => {
    if (isDeep(value)) return []
    const parsed = GraphEdge.safeParse(value)
    if (!parsed.success) {
      faults.push(...shapeFaults(parsed.error.issues, value, (...fault) => ofEdge(index, ...fault)))
      return []
    }
    const edge = { ...parsed.data, index }
    const found: GraphFault[] = []
    for (const end of ends)
      if (!ids.has(edge[end])) found.push(ofEdge(index, [end], 'node_missing', `There is no node ${edge[end]}.`))
    const [source, target] = [nodes[edge.source], nodes[edge.target]]
    if (source && !outputsOf(source).includes(edge.output))
      found.push(
        ofEdge(
          index,
          ['output'],
          'output_unknown',
          `A node of type ${source.type} has the outputs ${outputsOf(source).join(', ')}.`,
        ),
      )
    if (target?.type === 'trigger')
      found.push(ofEdge(index, ['target'], 'edge_into_trigger', 'An edge cannot lead to the trigger.'))
    if (edge.back_edge && target && target.type !== 'trigger' && target.type !== 'loop')
      found.push(ofEdge(index, ['target'], 'back_edge_target', 'A back edge must lead to a loop.'))
    const same = JSON.stringify([edge.source, edge.target, edge.output])
    if (seen.has(same)) found.push(ofEdge(index, [], 'duplicate', 'Duplicate edge.'))
    seen.add(same)
    faults.push(...found)
    return found.length > 0 ? [] : [edge]
  })
}

const grouped = (ids: readonly string[], edges: readonly PlacedEdge[], end: (typeof ends)[number]) => {
  const groups = new Map<string, PlacedEdge[]>(ids.map((id) => [id, []]))
  for (const edge of edges) groups.get(edge[end])?.push(edge)
  return groups
}

/**
 * The nodes that can be reached from the trigger, in topological order. Edges that close a cycle are errors and are
 * left out.
 */
const ordered = (trigger: string, outgoing: ReadonlyMap<string, PlacedEdge[]>, faults: GraphFault[]): string[] => {
  const state = new Map<string, 'open' | 'done'>()
  const reversed: string[] = []
  const visit = (id: string): void => {
    state.set(id, 'open')
    for (const { target, index } of outgoing.get(id) ?? []) {
      if (state.get(target) === 'open')
        faults.push(
          ofEdge(
            index,
            [],
            'cycle',
            `The edge closes a cycle through ${target}. Only the back edge of a loop may do so.`,
          ),
        )
      else if (!state.has(target)) visit(target)
    }
    state.set(id, 'done')
    reversed.push(id)
  }
  visit(trigger)
  return reversed.reverse()
}

/**
 * The loops around an edge, outermost first: `each` leads into the body of its loop, any other output stays in the
 * loops of its source.
 */
const loopsOfEdge = ({ source, output }: GraphEdge, loops: ReadonlyMap<string, string[]>): string[] => {
  const around = loops.get(source) ?? []
  return output === 'each' ? [...around, source] : around
}

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, index) => one === b[index])

/**
 * The loops around each node. A node is in the body of a loop if and only if all edges into it are: a body is entered
 * by `each` and left by back edges only. A node that is reached from several depths belongs to the shallowest, and the
 * edges that leave a body are errors.
 */
const placed = (
  order: readonly string[],
  incoming: ReadonlyMap<string, PlacedEdge[]>,
  faults: GraphFault[],
): Map<string, string[]> => {
  const loops = new Map<string, string[]>()
  for (const id of order) {
    const entering = (incoming.get(id) ?? [])
      .filter(({ source }) => loops.has(source))
      .map((edge) => ({ edge, around: loopsOfEdge(edge, loops) }))
    const around =
      entering.reduce<string[] | null>(
        (least, one) => (least && least.length <= one.around.length ? least : one.around),
        null,
      ) ?? []
    loops.set(id, around)
    for (const one of entering)
      if (!same(one.around, around))
        faults.push(
          ofEdge(
            one.edge.index,
            [],
            'edge_leaves_body',
            `The edge leaves the body of ${one.around.at(-1)}, which only its back edge may do: ${id} is not in the body.`,
          ),
        )
  }
  return loops
}

const earlier = (
  order: readonly string[],
  incoming: ReadonlyMap<string, PlacedEdge[]>,
  loops: ReadonlyMap<string, string[]>,
): Map<string, Set<string>> => {
  const all = new Map<string, Set<string>>()
  for (const id of order) {
    const before = new Set<string>()
    for (const { source } of incoming.get(id) ?? [])
      for (const one of [source, ...(all.get(source) ?? [])]) before.add(one)
    all.set(id, before)
  }
  // Nodes in a body can be read in that body only.
  const sees = (id: string, other: string) =>
    (loops.get(other) ?? []).every((loop, depth) => loops.get(id)?.[depth] === loop)
  return new Map(order.map((id) => [id, new Set([...(all.get(id) ?? [])].filter((other) => sees(id, other)))]))
}

const planned = (nodes: Graph['nodes'], trigger: string, edges: readonly PlacedEdge[], faults: GraphFault[]): Plan => {
  const ids = Object.keys(nodes)
  const forward = edges.filter(({ back_edge }) => !back_edge)
  const outgoing = grouped(ids, forward, 'source')
  const order = ordered(trigger, outgoing, faults)
  const reached = new Set(order)
  const incoming = grouped(
    ids,
    forward.filter(({ source }) => reached.has(source)),
    'target',
  )
  const circles = faults.some(({ code }) => code === 'cycle')
  // Errors that follow from a cycle are not reported.
  const loops = placed(order, incoming, circles ? [] : faults)
  const returns = grouped(
    ids,
    edges.filter(({ back_edge }) => back_edge),
    'target',
  )
  const body = new Map(ids.map((id) => [id, order.filter((other) => loops.get(other)?.at(-1) === id)]))
  return { nodes, order, incoming, outgoing, returns, loops, body, before: earlier(order, incoming, loops) }
}

const loopFaults = ({ nodes, order, outgoing, returns, loops }: Plan): GraphFault[] =>
  order.flatMap((id) => {
    if (nodes[id]?.type !== 'loop') return []
    const found: GraphFault[] = []
    if (!outgoing.get(id)?.some(({ output }) => output === 'each'))
      found.push(ofNode(id, [], 'loop_not_entered', 'A loop must have a body: an edge from its output `each`.'))
    else if (returns.get(id)?.length === 0)
      found.push(
        ofNode(id, [], 'loop_not_closed', 'The body of a loop must return to it by an edge with `back_edge: true`.'),
      )
    for (const edge of returns.get(id) ?? [])
      if ((loops.has(edge.source) && loopsOfEdge(edge, loops).at(-1) !== id) || edge.source === id)
        found.push(
          ofEdge(
            edge.index,
            ['source'],
            'back_edge_source',
            `A back edge to ${id} must start directly in its body, and ${edge.source} is not there.`,
          ),
        )
    return found
  })

const templateFault = (
  plan: Plan,
  id: string,
  { text, place }: Template,
): Pick<GraphFault, 'code' | 'detail'> | null => {
  if (!place)
    return {
      code: 'template_malformed',
      detail: `${text} is not a template. Expected {{input.<node>.…}} or {{nodes.<node>.output.…}}.`,
    }
  const sources = plan.incoming.get(id) ?? []
  if (place.root === 'input' && place.node === 'trigger')
    return sources.some(({ source }) => plan.nodes[source]?.type === 'trigger')
      ? null
      : { code: 'template_source', detail: `${text}: the trigger does not lead directly to ${id}.` }
  if (!Object.hasOwn(plan.nodes, place.node))
    return { code: 'template_node', detail: `${text}: there is no node ${place.node}.` }
  if (place.root === 'input')
    return sources.some(({ source }) => source === place.node)
      ? null
      : { code: 'template_source', detail: `${text}: ${place.node} does not lead directly to ${id}.` }
  return plan.before.get(id)?.has(place.node)
    ? null
    : {
        code: 'template_order',
        detail: `${text}: ${place.node} does not come before ${id}, or is inside a loop that ${id} is not in.`,
      }
}

const templateFaults = (plan: Plan): GraphFault[] =>
  plan.order.flatMap((id) => {
    const node = plan.nodes[id]
    // Code has no templates: it reads `input` and `nodes` itself.
    if (!node || node.type === 'transform' || node.type === 'trigger') return []
    return templatesIn(node).flatMap(({ at, template }) => {
      const fault = templateFault(plan, id, template)
      return fault ? [ofNode(id, at, fault.code, fault.detail)] : []
    })
  })

/** Errors of code that cannot be parsed. */
const codeFaults = (id: string, node: GraphNode): GraphFault[] => {
  const fault = (path: readonly PropertyKey[], what: string, why: string | null) =>
    why === null ? [] : [ofNode(id, path, 'code_invalid', `${what} cannot be parsed: ${why}.`)]
  if (node.type === 'switch')
    return node.rules.flatMap(({ condition }, index) =>
      fault(['rules', index, 'condition'], 'The condition', expressionFault(condition)),
    )
  if (node.type === 'transform') return fault(['code'], 'The code', bodyFault(node.code))
  return node.type === 'loop' && !isTemplate(node.items.trim())
    ? fault(['items'], 'The expression', expressionFault(node.items))
    : []
}

const sizeFaults = (nodes: Record<string, unknown>, edges: unknown[]): GraphFault[] => {
  if (Object.keys(nodes).length > NODES_MAX)
    return [{ pointer: '/nodes', code: 'too_big', detail: `Expected at most ${NODES_MAX} nodes.` }]
  if (edges.length > EDGES_MAX)
    return [{ pointer: '/edges', code: 'too_big', detail: `Expected at most ${EDGES_MAX} edges.` }]
  const deep = [
    ...Object.keys(nodes).flatMap((id) =>
      isDeep(nodes[id]) ? [ofNode(id, [], 'too_deep', `Expected at most ${DEPTH_MAX} levels of nesting.`)] : [],
    ),
    ...edges.flatMap((edge, index) =>
      isDeep(edge) ? [ofEdge(index, [], 'too_deep', `Expected at most ${DEPTH_MAX} levels of nesting.`)] : [],
    ),
  ]
  if (deep.length > 0) return deep
  const bytes = new TextEncoder().encode(JSON.stringify({ nodes, edges })).length
  return bytes > GRAPH_BYTES_MAX
    ? [{ pointer: '/nodes', code: 'too_big', detail: `Expected at most ${GRAPH_BYTES_MAX} bytes of JSON.` }]
    : []
}

/** Errors that a draft must not have either: its size and its schedule. `GraphDraft` checks its shape. */
export const draftFaults = ({ nodes, edges, schedule }: GivenGraph): GraphFault[] => {
  const faults = isObject(nodes) && Array.isArray(edges) ? sizeFaults(nodes, edges) : []
  return [...faults, ...scheduleFaults(schedule)]
}

const scheduleFaults = (schedule: unknown): GraphFault[] =>
  schedule == null || Schedule.safeParse(schedule).success
    ? []
    : [{ pointer: '/schedule', code: 'schedule_invalid', detail: 'Expected a cron expression of five fields, in UTC.' }]

const triggersOf = (nodes: Record<string, unknown>) =>
  Object.keys(nodes).filter((id) => isObject(nodes[id]) && nodes[id].type === 'trigger')

const triggerFaults = (nodes: Record<string, unknown>): GraphFault[] => {
  const triggers = triggersOf(nodes)
  if (triggers.length === 0)
    return [
      { pointer: '/nodes', code: 'trigger_missing', detail: 'Exactly one node must be a trigger; there is none.' },
    ]
  return triggers
    .slice(1)
    .map((id) =>
      ofNode(id, ['type'], 'trigger_duplicate', `Exactly one node must be a trigger, and ${triggers[0]} is one.`),
    )
}

/** The plan of a graph without errors. For any other graph the result is meaningless. */
export const planOf = ({ nodes, edges }: Graph): Plan =>
  planned(
    nodes,
    triggersOf(nodes)[0] ?? '',
    edges.map((edge, index) => ({ ...edge, index })),
    [],
  )

/**
 * The errors of a graph. Without any it may be active, and `Graph.parse` fills in its defaults. Errors of single
 * nodes and edges are reported first; only without any, errors of the whole are: cycles, bodies, unreachable nodes,
 * templates. So an error is reported at its cause. Answered as 422 `workflow_graph_invalid`.
 */
export const graphFaults = (graph: GivenGraph): GraphFault[] => {
  const { nodes: givenNodes, edges: givenEdges } = graph
  const faults = draftFaults(graph)
  if (!isObject(givenNodes))
    faults.push({ pointer: '/nodes', code: 'invalid_type', detail: 'Expected an object from node id to node.' })
  if (!Array.isArray(givenEdges)) faults.push({ pointer: '/edges', code: 'invalid_type', detail: 'Expected an array.' })
  if (!isObject(givenNodes) || !Array.isArray(givenEdges) || faults.some(({ code }) => code === 'too_big'))
    return faults
  const nodes = parseNodes(givenNodes, faults)
  const edges = parseEdges(givenEdges, new Set(Object.keys(givenNodes)), nodes, faults)
  faults.push(...triggerFaults(givenNodes))
  if (faults.length > 0) return faults
  const plan = planned(nodes, triggersOf(nodes)[0] ?? '', edges, faults)
  const reached = new Set(plan.order)
  for (const id of Object.keys(nodes))
    if (!reached.has(id))
      faults.push(ofNode(id, [], 'node_unreachable', `The node ${id} cannot be reached from the trigger.`))
  // Without well-formed bodies, errors in them cannot be determined.
  if (faults.some(({ code }) => code === 'cycle' || code === 'edge_leaves_body')) return faults
  return [...faults, ...loopFaults(plan), ...templateFaults(plan)]
}
