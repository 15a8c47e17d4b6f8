// What is kept of a graph that somebody saves: of an active one a graph that can be run to its end, of any other what may be gone on with.

import { pointerOf } from '../input/pointers.ts'
import { draftFaults, type GivenGraph, type GraphFault, graphFaults } from './graph.ts'
import { Graph, GraphDraft } from './graph-shapes.ts'
import { isPrototypeKey } from './templates.ts'

export type SavedGraph = { nodes: Record<string, unknown>; edges: unknown[] }

/** Where a fault is, by the first two parts of its path. */
const placeOf = ([field, which]: readonly PropertyKey[]) =>
  which === undefined ? {} : field === 'nodes' ? { node: String(which) } : field === 'edges' ? { edge: Number(which) } : {}

const faultAt = (path: readonly PropertyKey[], code: string, detail: string): GraphFault => ({
  pointer: pointerOf(path),
  code,
  detail,
  ...placeOf(path),
})

/** A name of the prototype would be lost when the nodes are copied. */
const reserved = (nodes: unknown): GraphFault[] =>
  Object.keys(nodes ?? {})
    .filter(isPrototypeKey)
    .map((id) => faultAt(['nodes', id], 'node_id_reserved', `No node can be called ${id}.`))

const draftOf = (given: GivenGraph): { faults: GraphFault[]; graph: SavedGraph | null } => {
  const faults = [...draftFaults(given), ...reserved(given.nodes)]
  if (faults.length > 0) return { faults, graph: null }
  const read = GraphDraft.safeParse(given)
  if (read.success) return { faults, graph: read.data }
  const told = read.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => faultAt([...issue.path, key], 'unknown_field', 'There is no such field.'))
      : [faultAt(issue.path, issue.code === 'custom' ? 'too_big' : issue.code, issue.message)],
  )
  return { faults: told, graph: null }
}

/**
 * Either faults, or what is kept: an active graph with all its defaults, so that reading it again and saving it changes nothing. `given` are
 * the parts as they came, before any of them was copied (API document 2, Workflow).
 */
export const savedGraph = (given: GivenGraph, active: boolean): { faults: GraphFault[]; graph: SavedGraph | null } => {
  if (!active) return draftOf(given)
  const faults = graphFaults(given)
  return { faults, graph: faults.length > 0 ? null : Graph.parse(given) }
}

/** Domain events that start it: its trigger's (design: automation, Graphs, Starts). */
export const eventsOf = ({ nodes }: SavedGraph): string[] =>
  Object.values(nodes as Graph['nodes']).flatMap((node) => (node.type === 'trigger' ? [...new Set(node.events)] : []))

export const referenceFields = ['mailbox_id', 'template_id', 'build_hook_id', 'connection_id'] as const
export type ReferenceField = (typeof referenceFields)[number]

/** Rows of the store that nodes of an active graph name. */
export const referencesOf = ({ nodes }: SavedGraph): { node: string; field: ReferenceField; id: string }[] =>
  Object.entries(nodes as Record<string, Record<string, unknown>>).flatMap(([node, fields]) =>
    referenceFields.flatMap((field) => (typeof fields[field] === 'string' ? [{ node, field, id: fields[field] }] : [])),
  )

export const referenceFault = (node: string, field: ReferenceField): GraphFault => {
  const what = field.replace('_id', '')
  return faultAt(['nodes', node, field], `${what}_unknown`, `The store has no such ${what.replace('_', ' ')}.`)
}
