// Runs one node of a graph: fills in templates and evaluates code, and returns its output or the request to send. Nothing is sent here.
import type { NewRun } from '../../entities/automation/executions.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { type Ref, type Run, scopeOf } from '../../rules/automation/execution-state.ts'
import { type Expression, expressionOf } from '../../rules/automation/expressions.ts'
import { type GraphNode, LOOP_ITEMS_MAX } from '../../rules/automation/graph-shapes.ts'
import {
  isTemplate,
  resolve,
  resolveUrl,
  type Scope,
  TemplateError,
  templatesIn,
  withoutTemplates,
} from '../../rules/automation/templates.ts'
import type { Owner } from '../../rules/fair-queue.ts'
import { storable } from '../../rules/input/storable.ts'
import type { HttpRequest } from '../providers/http.ts'
import type { NodeRequest } from './node-runs.ts'
import { evaluate, SandboxError } from './sandbox.ts'

/** Bytes of JSON of one output. */
export const OUTPUT_MAX = 1_048_576

/** Bytes of JSON of all outputs that a node names. They are read as a whole, in a worker that other stores use too. */
export const INPUT_MAX = 4 * OUTPUT_MAX

/** A node failed: the execution continues along its `error` output or ends. */
export class NodeError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Reads the values of references; undefined for a value that is larger than code may read and that the code does not name. */
export type Reader = (asked: readonly { ref: Ref; named: boolean }[]) => Promise<(ref: Ref) => unknown>

type Made = Pick<
  NewRun,
  'status' | 'output' | 'output_bytes' | 'items' | 'branch' | 'error' | 'request' | 'params' | 'delay_ms'
>

/** An output as it is stored. Throws NodeError output_too_large. */
export function given(value: unknown): { output: unknown; output_bytes: number } {
  const output = storable(value ?? null)
  const output_bytes = Buffer.byteLength(JSON.stringify(output))
  if (output_bytes > OUTPUT_MAX)
    throw new NodeError('output_too_large', `the output is longer than ${OUTPUT_MAX / 1_024} KiB`)
  return { output, output_bytes }
}

const failedWith = (error: unknown): Made => {
  if (error instanceof NodeError || error instanceof TemplateError || error instanceof SandboxError)
    return { status: 'failed', error: { code: error.code, message: storable(error.message) as string } }
  throw error
}

/** The output of a trigger; it fails like any other node where it is too large. */
export function triggered(input: unknown): Made {
  try {
    return { status: 'succeeded', ...given(input) }
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

/** The values that a node may read: all where it is code (`code` is its text), else those that its templates name. */
async function scopeFor(run: Run, node: GraphNode, code: string | null, read: Reader): Promise<Scope> {
  const names = namesRead(node)
  const among = (refs: Record<string, Ref>, wanted: Set<string>) =>
    Object.entries(refs).flatMap(([name, ref]) => {
      const named = wanted.has(name) || (code?.includes(name) ?? false)
      return named || code !== null ? [{ name, ref, named }] : []
    })
  const [input, nodes] = [among(run.input, names.input), among(run.nodes, names.nodes)]
  const valueAt = await read([...input, ...nodes])
  const refsOf = (one: typeof input) => Object.fromEntries(one.map(({ name, ref }) => [name, ref]))
  return scopeOf({ input: refsOf(input), nodes: refsOf(nodes) }, valueAt)
}

/** `text`: the expression as written. */
const evaluated = ({ code, name, values }: Expression, text: string, scope: Scope, owner: Owner): Promise<unknown> =>
  evaluate({ code, kind: 'expression', ...seen(scope, withoutTemplates(text)), templates: { name, values }, owner })

const isArray = (value: unknown): value is unknown[] => Array.isArray(value)

async function itemsOf(node: GraphNode & { type: 'loop' }, scope: Scope, owner: Owner): Promise<Made> {
  const code = node.items.trim()
  const items = isTemplate(code) ? resolve(code, scope) : await evaluated(expressionOf(code, scope), code, scope, owner)
  if (!isArray(items)) throw new NodeError('items_not_array', 'the items of a loop are an array')
  if (items.length > LOOP_ITEMS_MAX) throw new NodeError('items_too_many', `a loop has at most ${LOOP_ITEMS_MAX} items`)
  return { status: 'succeeded', ...given(items), items: items.length }
}

async function choose(node: GraphNode & { type: 'switch' }, scope: Scope, owner: Owner): Promise<Made> {
  for (const [index, { condition }] of node.rules.entries()) {
    // As a boolean: a condition's value need not be JSON.
    const { code, ...templates } = expressionOf(condition, scope)
    if ((await evaluated({ code: `!!(${code}\n)`, ...templates }, condition, scope, owner)) === true)
      return { status: 'succeeded', ...given({ output: `rule_${index}` }), branch: `rule_${index}` }
  }
  return { status: 'succeeded', ...given({ output: 'fallback' }), branch: 'fallback' }
}

function requestOf(node: GraphNode & { type: 'http' }, scope: Scope): HttpRequest {
  const url = resolveUrl(node.url, scope)
  const { headers, body } = resolve({ headers: node.headers, body: node.body ?? null }, scope) as Record<
    string,
    unknown
  >
  if (typeof url !== 'string') throw new NodeError('url_invalid', 'the url is not a text')
  const given = Object.entries(headers as Record<string, unknown>).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const sent = Object.fromEntries(given) as Record<string, string>
  const method = node.method.toUpperCase()
  if (method === 'GET' || body === null) return { url, method, headers: sent, timeout_ms: node.timeout_ms }
  const typed = Object.keys(sent).some((name) => name.toLowerCase() === 'content-type')
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    url,
    method,
    headers: typed ? sent : { 'content-type': type, ...sent },
    body: text,
    timeout_ms: node.timeout_ms,
  }
}

/** The row of a node that sends or reads. A request that needs a mailbox, a build hook or a drive is prepared when the row is claimed. */
function asks(node: GraphNode, scope: Scope): Made {
  const seal = (value: unknown) => encrypt(JSON.stringify(value))
  if (node.type === 'http')
    return {
      status: 'requested',
      request: seal({ type: 'http', request: requestOf(node, scope) } satisfies NodeRequest),
      delay_ms: node.delay_ms,
    }
  if (node.type === 'deploy_webhook')
    return { status: 'requested', params: seal({ build_hook_id: node.build_hook_id }), delay_ms: node.delay_ms }
  const { type: _, ...fields } = resolve(node, scope) as Record<string, unknown>
  return { status: 'requested', params: seal(fields) }
}

/** Begins a run that is ready: returns its result, or the row to send. `collected`: the values of a loop's iterations, in order. */
export async function begun(
  run: Run,
  node: GraphNode,
  read: Reader,
  o: { owner: Owner; trigger: unknown; collected: () => Promise<unknown[]> },
): Promise<Made> {
  try {
    if (node.type === 'trigger')
      return node.delay_ms > 0 ? { status: 'requested', delay_ms: node.delay_ms } : triggered(o.trigger)
    if (run.step === 'collect') return { status: 'succeeded', ...given(await o.collected()) }
    if (node.type === 'transform') {
      const scope = seen(await scopeFor(run, node, node.code, read), node.code)
      return {
        status: 'succeeded',
        ...given(await evaluate({ code: node.code, kind: 'body', ...scope, owner: o.owner })),
      }
    }
    if (node.type === 'switch')
      return await choose(
        node,
        await scopeFor(run, node, node.rules.map(({ condition }) => condition).join('\n'), read),
        o.owner,
      )
    if (node.type === 'loop')
      return await itemsOf(
        node,
        await scopeFor(run, node, isTemplate(node.items.trim()) ? null : node.items, read),
        o.owner,
      )
    return asks(node, await scopeFor(run, node, null, read))
  } catch (error) {
    return failedWith(error)
  }
}
