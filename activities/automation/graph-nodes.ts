// Runs one node of a graph: fills in templates and evaluates code, and returns its output or the request to send.
// Nothing is sent here.
import type { NewRun } from '../../entities/automation/executions.ts'
import { type Ref, type Run, scopeOf } from '../../rules/automation/execution-state.ts'
import { type Expression, expressionOf } from '../../rules/automation/expressions.ts'
import { type GraphNode, LOOP_ITEMS_MAX, type NodeOf } from '../../rules/automation/graph-shapes.ts'
import {
  isTemplate,
  resolve,
  type Scope,
  TemplateError,
  templatesIn,
  withoutTemplates,
} from '../../rules/automation/templates.ts'
import type { Owner } from '../../rules/fair-queue.ts'
import { storable } from '../../rules/input/storable.ts'
import { NodeError, OUTPUT_MAX, storedOutput } from './node-outputs.ts'
import { requestedRun } from './node-senders.ts'
import { evaluate, SandboxError } from './sandbox.ts'

/** Bytes of JSON of all outputs that a node names. They are read as a whole, in a worker that other stores use too. */
export const INPUT_MAX = 4 * OUTPUT_MAX

/** A value that a node reads. `named`: its templates or its code name it. */
export type Reference = { ref: Ref; named: boolean }
/** Undefined for a value that is larger than code may read and that the code does not name. */
export type ValueAt = (ref: Ref) => unknown

export type Made = Pick<
  NewRun,
  'status' | 'output' | 'output_bytes' | 'items' | 'branch' | 'error' | 'request' | 'params' | 'delay_ms'
>

/** The result of a run that failed by its own fault; other errors are thrown. */
export const failedWith = (error: unknown): Made => {
  if (error instanceof NodeError || error instanceof TemplateError || error instanceof SandboxError)
    return { status: 'failed', error: { code: error.code, message: storable(error.message) as string } }
  throw error
}

/** The output of a trigger; it fails like any other node where it is too large. */
export function triggered(input: unknown): Made {
  try {
    return { status: 'succeeded', ...storedOutput(input) }
  } catch (error) {
    return failedWith(error)
  }
}

/** The names that a node's templates read. */
function namesRead(node: GraphNode): { input: Set<string>; nodes: Set<string> } {
  const places = templatesIn(node).flatMap(({ template }) => (template.place ? [template.place] : []))
  const names = (root: 'input' | 'nodes') =>
    new Set(places.filter((place) => place.root === root).map(({ node: name }) => name))
  return { input: names('input'), nodes: names('nodes') }
}

/** Bytes of `input` and `nodes` together, the sandbox's limit. */
export const CODE_MAX = 262_144

/** Code reads all values before it while they fit; else those that it names. */
function seen(scope: Scope, code: string): Scope {
  if (Buffer.byteLength(JSON.stringify(scope)) <= CODE_MAX - 1_024) return scope
  const named = <T>(of: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => code.includes(name)))
  return { input: named(scope.input), nodes: named(scope.nodes) }
}

/** The text of a node that is code; null where it has templates alone. */
function codeOf(node: GraphNode): string | null {
  if (node.type === 'transform') return node.code
  if (node.type === 'switch') return node.rules.map(({ condition }) => condition).join('\n')
  return node.type === 'loop' && !isTemplate(node.items.trim()) ? node.items : null
}

type NamedReference = Reference & { name: string }

/** What a node may read, by name: all where it is code, else what its templates name. */
export function inputsOf(run: Run, node: GraphNode): Record<'input' | 'nodes', NamedReference[]> {
  const names = namesRead(node)
  const code = codeOf(node)
  const among = (refs: Record<string, Ref>, wanted: Set<string>) =>
    Object.entries(refs).flatMap(([name, ref]) => {
      const named = wanted.has(name) || (code?.includes(name) ?? false)
      return named || code !== null ? [{ name, ref, named }] : []
    })
  return { input: among(run.input, names.input), nodes: among(run.nodes, names.nodes) }
}

/** The values of `inputsOf`. */
export function scopeFrom({ input, nodes }: ReturnType<typeof inputsOf>, valueAt: ValueAt): Scope {
  const refsOf = (references: readonly NamedReference[]) =>
    Object.fromEntries(references.map(({ name, ref }) => [name, ref]))
  return scopeOf({ input: refsOf(input), nodes: refsOf(nodes) }, valueAt)
}

/** `text`: the expression as written. */
const evaluated = ({ code, name, values }: Expression, text: string, scope: Scope, owner: Owner): Promise<unknown> =>
  evaluate({ code, kind: 'expression', ...seen(scope, withoutTemplates(text)), templates: { name, values }, owner })

const isArray = (value: unknown): value is unknown[] => Array.isArray(value)

async function itemsOf(node: NodeOf<'loop'>, scope: Scope, owner: Owner): Promise<Made> {
  const code = node.items.trim()
  const items = isTemplate(code) ? resolve(code, scope) : await evaluated(expressionOf(code, scope), code, scope, owner)
  if (!isArray(items)) throw new NodeError('items_not_array', 'the items of a loop are an array')
  if (items.length > LOOP_ITEMS_MAX) throw new NodeError('items_too_many', `a loop has at most ${LOOP_ITEMS_MAX} items`)
  return { status: 'succeeded', ...storedOutput(items), items: items.length }
}

async function choose(node: NodeOf<'switch'>, scope: Scope, owner: Owner): Promise<Made> {
  for (const [index, { condition }] of node.rules.entries()) {
    // Evaluated as a boolean: a condition's value need not be JSON.
    const { code, ...templates } = expressionOf(condition, scope)
    if ((await evaluated({ code: `!!(${code}\n)`, ...templates }, condition, scope, owner)) === true)
      return { status: 'succeeded', ...storedOutput({ output: `rule_${index}` }), branch: `rule_${index}` }
  }
  return { status: 'succeeded', ...storedOutput({ output: 'fallback' }), branch: 'fallback' }
}

/** The output of a loop whose iterations have ended. */
export const endLoop = (outputs: readonly unknown[]): Made => ({ status: 'succeeded', ...storedOutput(outputs) })

/** A trigger that waits, or its output. */
export const beginTrigger = ({ delay_ms }: NodeOf<'trigger'>, input: unknown): Made =>
  delay_ms > 0 ? { status: 'requested', delay_ms } : triggered(input)

/** Runs a node with the values it reads: returns its result, or the row to send. */
export async function runNode(node: Exclude<GraphNode, NodeOf<'trigger'>>, scope: Scope, owner: Owner): Promise<Made> {
  if (node.type === 'transform') {
    const values = seen(scope, node.code)
    return { status: 'succeeded', ...storedOutput(await evaluate({ code: node.code, kind: 'body', ...values, owner })) }
  }
  if (node.type === 'switch') return choose(node, scope, owner)
  if (node.type === 'loop') return itemsOf(node, scope, owner)
  return { status: 'requested', ...requestedRun(node, scope) }
}
