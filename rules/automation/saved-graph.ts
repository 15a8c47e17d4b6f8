// Checks a graph that is saved: an active one must be executable, a draft may be incomplete.
import { pointerOf } from '../input/pointers.ts'
import { draftFaults, type GivenGraph, type GraphFault, graphFaults } from './graph.ts'
import { Graph, GraphDraft } from './graph-shapes.ts'
import { isPrototypeKey } from './templates.ts'

export type SavedGraph = { nodes: Record<string, unknown>; edges: unknown[] }

/** The node or edge of a path. */
const placeOf = ([field, which]: readonly PropertyKey[]) =>
  which === undefined
    ? {}
    : field === 'nodes'
      ? { node: String(which) }
      : field === 'edges'
        ? { edge: Number(which) }
        : {}

const faultAt = (path: readonly PropertyKey[], code: string, detail: string): GraphFault => ({
  pointer: pointerOf(path),
  code,
  detail,
  ...placeOf(path),
})

/** Names of the prototype are refused, as they would be lost when the nodes are copied. */
const reserved = (nodes: unknown): GraphFault[] =>
  Object.keys(nodes ?? {})
    .filter(isPrototypeKey)
    .map((id) => faultAt(['nodes', id], 'node_id_reserved', `The node id ${id} is reserved.`))

const draftOf = (given: GivenGraph): { faults: GraphFault[]; graph: SavedGraph | null } => {
  const faults = [...draftFaults(given), ...reserved(given.nodes)]
  if (faults.length > 0) return { faults, graph: null }
  const read = GraphDraft.safeParse(given)
  if (read.success) return { faults, graph: read.data }
  const found = read.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => faultAt([...issue.path, key], 'unknown_field', 'There is no such field.'))
      : [faultAt(issue.path, issue.code === 'custom' ? 'too_big' : issue.code, issue.message)],
  )
  return { faults: found, graph: null }
}

/**
 * Either the errors, or the graph to store: an active one with all its defaults, so that saving it unchanged changes
 * nothing. `given`: the parts as they were sent, before any copy.
 */
export const savedGraph = (given: GivenGraph, active: boolean): { faults: GraphFault[]; graph: SavedGraph | null } => {
  if (!active) return draftOf(given)
  const faults = graphFaults(given)
  return { faults, graph: faults.length > 0 ? null : Graph.parse(given) }
}

/** The domain events of its trigger, which start the graph. */
export const eventsOf = ({ nodes }: SavedGraph): string[] =>
  Object.values(nodes as Graph['nodes']).flatMap((node) => (node.type === 'trigger' ? [...new Set(node.events)] : []))

export const referenceFields = ['mailbox_id', 'template_id', 'build_hook_id', 'connection_id'] as const
export type ReferenceField = (typeof referenceFields)[number]

/** The records that nodes of an active graph refer to. */
export const referencesOf = ({ nodes }: SavedGraph): { node: string; field: ReferenceField; id: string }[] =>
  Object.entries(nodes as Record<string, Record<string, unknown>>).flatMap(([node, fields]) =>
    referenceFields.flatMap((field) => (typeof fields[field] === 'string' ? [{ node, field, id: fields[field] }] : [])),
  )

export const referenceFault = (node: string, field: ReferenceField): GraphFault => {
  const what = field.replace('_id', '')
  return faultAt(['nodes', node, field], `${what}_unknown`, `The {store} has no such ${what.replace('_', ' ')}.`)
}
