// Valid graphs of every shape: branches, joins, switches, loops in loops, error outputs, back edges.
import fc from 'fast-check'
import { outputsOf } from '../../../rules/automation/graph.ts'
import { Graph, type GraphEdge, type GraphNode } from '../../../rules/automation/graph-shapes.ts'

export const tapes = fc.array(fc.nat(1000), { minLength: 10, maxLength: 80, size: 'max' })

/**
 * A valid graph drawn from a tape of numbers: every number is a choice, and the first choice is the simplest. `nodeOf`
 * gives a node of the type.
 */
export const graphFrom = (
  tape: readonly number[],
  nodeOf: (type: string, pick: (choices: number) => number) => unknown,
): Graph => {
  let at = 0
  const pick = (choices: number) => (tape[at++] ?? 0) % choices
  const nodes: Graph['nodes'] = {}
  const edges: GraphEdge[] = []
  const seen = new Set<string>()
  const connect = (source: string, output: string, target: string, back_edge = false) => {
    const edge = { source, target, output, back_edge }
    if (!seen.has(`${source}>${output}>${target}`)) edges.push(edge)
    seen.add(`${source}>${output}>${target}`)
  }
  const make = (type: string): string => {
    const id = `${type}${Object.keys(nodes).length}`
    nodes[id] = nodeOf(type, pick) as GraphNode
    return id
  }
  const onward = (id: string) => outputsOf(nodes[id] as GraphNode).filter((output) => output !== 'each')
  /** A run of nodes, each after some of those before it; the first after `entry`. */
  const fill = (entry: string, output: string, depth: number): string[] => {
    const made: string[] = []
    const count = 1 + pick(depth === 0 ? 8 : 4)
    for (let step = 0; step < count; step += 1) {
      const type = ['http', 'transform', 'switch', 'http', ...(depth < 3 ? ['loop', 'loop'] : [])][
        pick(depth < 3 ? 6 : 4)
      ] as string
      const id = make(type)
      for (let edge = pick(3); edge >= 0; edge -= 1) {
        const source = made[made.length - 1 - pick(made.length + 1)]
        if (source === undefined) connect(entry, output, id)
        else {
          const outputs = onward(source)
          connect(source, outputs[pick(outputs.length)] as string, id)
        }
      }
      made.push(id)
      if (type === 'loop') {
        const body = fill(id, 'each', depth + 1)
        for (let edge = pick(2); edge >= 0; edge -= 1) {
          const last = body[body.length - 1 - pick(body.length)] as string
          const outputs = onward(last)
          connect(last, outputs[pick(outputs.length)] as string, id, true)
        }
      }
    }
    return made
  }
  fill(make('trigger'), 'default', 0)
  return Graph.parse({ nodes, edges })
}
