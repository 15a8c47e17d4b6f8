// A naive, independent model of automation graphs: every run has a duration, everything is computed from the times at
// which runs end, and a stop cuts at its time. It shares no code with the reducer that it checks.
import { createHash } from 'node:crypto'

export type ReferenceNode = { type: string; rules?: unknown[] }
export type ReferenceEdge = { source: string; target: string; output: string; back_edge: boolean }
export type ReferenceGraph = { nodes: Record<string, ReferenceNode>; edges: ReferenceEdge[] }

export type Verdict = { status: 'completed' | 'failed' | 'unknown'; value: unknown; output?: string }
/** How each run ends, given its input, and how long it takes. */
export type World = { verdict: (key: string, scope: unknown) => Verdict; duration: (key: string) => number }

type Ended = { status: string; at: number; output?: string | null; value?: unknown; key?: string }
export type Outcome = { end: string; statuses: Record<string, string>; values: Record<string, unknown> }

/** A digest of any JSON with its keys in any order. */
export const digest = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('hex').slice(0, 12)

const canonical = (value: unknown): string =>
  value === null || typeof value !== 'object'
    ? JSON.stringify(value)
    : Array.isArray(value)
      ? `[${value.map(canonical).join()}]`
      : `{${Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => `${key}:${canonical(inner)}`)
          .join()}}`

const nameOf = (node: string, path: number[]) => (path.length ? `${node}#${path.join(',')}` : node)

class Reference {
  readonly graph: ReferenceGraph
  readonly world: World
  readonly cut: number
  readonly values: Record<string, unknown> = {}
  readonly statuses: Record<string, string> = {}
  readonly unhandled: number[] = []
  last = 0
  constructor(graph: ReferenceGraph, world: World, cut: number) {
    this.graph = graph
    this.world = world
    this.cut = cut
  }

  /** All nodes that are reachable without back edges. */
  reach(starts: string[]): Set<string> {
    const seen = new Set<string>()
    const walk = (id: string) => {
      if (seen.has(id)) return
      seen.add(id)
      for (const edge of this.graph.edges) if (edge.source === id && !edge.back_edge) walk(edge.target)
    }
    for (const one of starts) walk(one)
    return seen
  }

  bodyOf(loop: string): Set<string> {
    return this.reach(
      this.graph.edges
        .filter((edge) => edge.source === loop && edge.output === 'each' && !edge.back_edge)
        .map((edge) => edge.target),
    )
  }

  /** Members that are in no loop among the members. */
  direct(members: Set<string>): string[] {
    const inner = new Set(
      [...members].filter((id) => this.graph.nodes[id]?.type === 'loop').flatMap((loop) => [...this.bodyOf(loop)]),
    )
    return [...members].filter((id) => !inner.has(id))
  }

  comesBefore(first: string, second: string): boolean {
    return first !== second && this.reach([first]).has(second)
  }

  /** Runs these nodes once; `outer` are the ended nodes around, `entered` the loop that gives the item. */
  level(
    members: Set<string>,
    path: number[],
    from: number,
    outer: Map<string, Ended>,
    entered: string | null,
  ): Map<string, Ended> {
    const ended = new Map(outer)
    const open = new Set(this.direct(members))
    for (const id of members) this.statuses[id] = 'pending'
    while (open.size > 0) {
      for (const id of open) {
        const into = this.graph.edges.filter((edge) => edge.target === id && !edge.back_edge)
        if (!into.every((edge) => edge.source === entered || (ended.has(edge.source) && !open.has(edge.source))))
          continue
        const live = into.filter((edge) => edge.source === entered || ended.get(edge.source)?.output === edge.output)
        const at = Math.max(
          from,
          ...into.map((edge) => (edge.source === entered ? from : (ended.get(edge.source)?.at ?? 0))),
        )
        const stays = into.length > 0 && live.length === 0 ? 'skipped' : at >= this.cut ? 'cancelled' : null
        if (stays && this.graph.nodes[id]?.type === 'loop')
          for (const inner of this.bodyOf(id)) this.statuses[inner] = 'skipped'
        const sources = live.map((edge) => edge.source)
        const one: Ended = stays ? { status: stays, at } : this.node(id, path, at, ended, sources)
        ended.set(id, one)
        this.statuses[id] = one.status
        this.last = Math.max(this.last, one.at)
        open.delete(id)
      }
    }
    return ended
  }

  scope(id: string, ended: Map<string, Ended>, sources: string[]): unknown {
    const input: Record<string, unknown> = {}
    for (const source of sources) {
      input[source] = ended.get(source)?.value
      if (this.graph.nodes[source]?.type === 'trigger') input.trigger = input[source]
    }
    const nodes: Record<string, unknown> = {}
    for (const [other, { status, value }] of ended)
      if (['completed', 'failed', 'item'].includes(status) && this.comesBefore(other, id))
        nodes[other] = { output: value }
    return { input, nodes }
  }

  run(key: string, at: number, scope: unknown): Ended {
    const { status, value, output } = this.world.verdict(key, scope)
    if (status !== 'unknown') this.values[key] = value
    return { status, value, at: at + this.world.duration(key), output, key }
  }

  node(id: string, path: number[], at: number, ended: Map<string, Ended>, sources: string[]): Ended {
    const node = this.graph.nodes[id]
    if (node?.type === 'loop') return this.loop(id, path, at, ended, this.scope(id, ended, sources))
    const one = this.run(nameOf(id, path), at, this.scope(id, ended, sources))
    if (one.status === 'unknown') return { ...one, output: null }
    if (one.status === 'failed') {
      if (!this.graph.edges.some((edge) => edge.source === id && edge.output === 'error')) this.unhandled.push(one.at)
      return { ...one, output: 'error' }
    }
    return { ...one, output: node?.type === 'switch' ? one.output : node?.type === 'trigger' ? 'default' : 'success' }
  }

  loop(id: string, path: number[], at: number, outer: Map<string, Ended>, scope: unknown): Ended {
    const members = this.bodyOf(id)
    for (const inner of members) this.statuses[inner] = 'skipped'
    const failed = (one: Ended): Ended => {
      this.unhandled.push(one.at)
      return { status: 'failed', at: one.at, output: null }
    }
    const items = this.run(nameOf(`${id}:items`, path), at, scope)
    if (items.status === 'unknown') return { status: 'unknown', at: items.at, output: null }
    if (items.status === 'failed') return failed(items)
    const list = items.value as unknown[]
    const outputs: unknown[] = []
    let now = items.at
    for (const [index, item] of list.entries()) {
      if (now >= this.cut) return { status: 'cancelled', at: now, output: null }
      const around = new Map(outer).set(id, {
        status: 'item',
        at: now,
        output: 'each',
        value: { item, index, total: list.length },
      })
      const ended = this.level(members, [...path, index], now, around, id)
      const body = this.direct(members).map((one) => ended.get(one) as Ended)
      now = Math.max(...body.map((one) => one.at))
      if (body.some((one) => one.status === 'unknown')) return { status: 'unknown', at: now, output: null }
      const back = this.graph.edges.find(
        (edge) => edge.back_edge && edge.target === id && ended.get(edge.source)?.output === edge.output,
      )
      outputs.push(back ? ended.get(back.source)?.value : null)
    }
    if (now >= this.cut) return { status: 'cancelled', at: now, output: null }
    const key = nameOf(id, path)
    const done = this.world.verdict(key, outputs).status
    now += this.world.duration(key)
    if (done === 'unknown') return { status: 'unknown', at: now, output: null }
    if (done === 'failed') return failed({ status: 'failed', at: now })
    this.values[key] = outputs
    return { status: 'completed', at: now, output: 'done', value: outputs }
  }
}

/** The outcome of the graph in this world, if it is cancelled at that time (Infinity: never). */
export const reference = (
  graph: ReferenceGraph,
  world: World,
  cancel_at = Number.POSITIVE_INFINITY,
): Outcome & { stopped_at: number } => {
  const evaluate = (cut: number) => {
    const one = new Reference(graph, world, cut)
    one.level(new Set(Object.keys(graph.nodes)), [], 0, new Map(), null)
    return one
  }
  // The earliest failure without an edge, or the cancellation, is the cut; before it nothing differs.
  const free = evaluate(cancel_at)
  const failed_at = Math.min(...free.unhandled)
  const over = free.last <= cancel_at
  const stopped_at = Math.min(failed_at, over ? Number.POSITIVE_INFINITY : cancel_at)
  const { statuses, values } = evaluate(stopped_at)
  const unknown = Object.values(statuses).includes('unknown')
  const end =
    unknown || (failed_at === stopped_at && failed_at < Number.POSITIVE_INFINITY)
      ? 'failed'
      : stopped_at < Number.POSITIVE_INFINITY
        ? 'cancelled'
        : 'completed'
  return { end, statuses, values, stopped_at }
}
