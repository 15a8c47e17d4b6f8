// Five hundred random graphs run on the real engine: each node ends with the status and the output that a naive reading
// of the rules gives.
// GRAPH_SEED picks another seed, GRAPH_RUNS sets the number of graphs.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import fc from 'fast-check'
import { newId } from '../../entities/kit/ids.ts'
import { graphFaults } from '../../rules/automation/graph.ts'
import type { Graph } from '../../rules/automation/graph-shapes.ts'
import { begin, ended, newWorkflow } from '../kit/automation/graphs.ts'
import { graphFrom, tapes } from '../kit/automation/random-graphs.ts'
import { reference, type World } from '../kit/automation/reference-graph.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

jest.setTimeout(300_000)

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver(fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-test-random-graphs-')))
  await receiver.rule('/no', { status: 500, body: 'no' })
  await receiver.rule('/yes', { status: 200, body: 'yes' })
  await receiver.rule('/silence', { do: 'hang' })
})
afterAll(() => receiver.stop())

/**
 * A node's input as one number, the same in the sandbox and here: keys in order, without values that only a clock or an
 * engine knows.
 */
const hash = `((input, nodes) => {
  const text = (value) => value === null || typeof value !== 'object' ? JSON.stringify(value)
    : Array.isArray(value) ? '[' + value.map(text).join() + ']'
    : '{' + Object.keys(value).sort().filter((key) => key !== 'headers' && key !== 'message').map((key) => key + ':' + text(value[key])).join() + '}'
  let sum = 2166136261
  for (const char of text({ input, nodes })) sum = Math.imul(sum ^ char.codePointAt(0), 16777619) >>> 0
  return sum
})`
// biome-ignore lint/security/noGlobalEval: the code of the nodes, outside the sandbox
const number = globalThis.eval(hash) as (input: unknown, nodes: unknown) => number

const codes = { plain: `return ${hash}(input, nodes)`, failing: `throw new Error('as drawn ' + ${hash}(input, nodes))` }
const paths = ['/yes', '/no', '/silence']

/**
 * Nodes end as they are drawn. A failure is drawn only where an edge takes it, since what else would have started
 * depends on timing.
 */
function drawn(tape: readonly number[]): Graph {
  const graph = graphFrom(tape, (type, pick) => {
    if (type === 'trigger') return { type }
    if (type === 'loop')
      return { type, items: `Array.from({ length: ${hash}(input, nodes) % 4 }, (_, at) => at + ${hash}(input, nodes))` }
    if (type === 'switch')
      return { type, rules: [0, 1].map((rest) => ({ condition: `${hash}(input, nodes) % 3 === ${rest}` })) }
    const choice = pick(12)
    if (type === 'http' && choice < 4)
      return {
        type,
        method: 'post',
        url: `${receiver.url}${paths[choice % 3]}`,
        timeout_ms: choice % 3 === 2 ? 500 : 10_000,
      }
    return { type: 'transform', code: choice < 8 ? codes.plain : codes.failing }
  })
  for (const [id, node] of Object.entries(graph.nodes)) {
    const caught = graph.edges.some(({ source, output }) => source === id && output === 'error')
    if (caught) continue
    if (node.type === 'transform') node.code = codes.plain
    if (node.type === 'http' && node.url.endsWith('/no')) node.url = `${receiver.url}/yes`
  }
  return graph
}

const worldOf = ({ nodes }: Graph, input: unknown): World => ({
  duration: () => 1,
  verdict(key, given) {
    const node = nodes[key.split(/[:#]/)[0] ?? '']
    if (Array.isArray(given)) return { status: 'completed', value: given }
    const { input: read, nodes: others } = given as { input: unknown; nodes: unknown }
    const sum = number(read, others)
    if (node?.type === 'trigger') return { status: 'completed', value: input }
    if (node?.type === 'loop')
      return { status: 'completed', value: Array.from({ length: sum % 4 }, (_, at) => at + sum) }
    if (node?.type === 'switch') {
      const output = sum % 3 === 2 ? 'fallback' : `rule_${sum % 3}`
      return { status: 'completed', value: { output }, output }
    }
    if (node?.type === 'transform')
      return node.code === codes.plain
        ? { status: 'completed', value: sum }
        : { status: 'failed', value: { error: { code: 'sandbox_error' } } }
    const url = node?.type === 'http' ? node.url : ''
    if (url.endsWith('/silence')) return { status: 'unknown', value: null }
    return url.endsWith('/yes')
      ? { status: 'completed', value: { status: 200, body: 'yes' } }
      : { status: 'failed', value: { status: 500, body: 'no' } }
  },
})

/** Without values that only the engine knows. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, inner) => (name === 'headers' || name === 'message' ? undefined : inner)),
  )

const shownAs: Record<string, string> = {
  succeeded: 'completed',
  rejected: 'failed',
  failed: 'failed',
  unknown: 'unknown',
}

/** Executions whose histories the current workflows do not replay. */
async function notReplayed(executions: readonly string[]): Promise<unknown[]> {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string })
  const { workflow } = new Client({ connection })
  async function* histories() {
    for (const id of executions) {
      const handle = workflow.getHandle(`execution/${id}`)
      await handle.result().catch(() => {})
      yield { workflowId: `execution/${id}`, history: await handle.fetchHistory() }
    }
  }
  const results = Worker.runReplayHistories(
    { workflowBundle: { codePath: process.env.TEST_BUNDLE as string } },
    histories(),
  )
  const wrong: unknown[] = []
  let seen = 0
  for await (const { workflowId, error } of results) {
    seen++
    if (error) wrong.push({ workflowId, error })
  }
  await connection.close()
  return seen === executions.length ? wrong : [`${seen} of ${executions.length} were replayed`]
}

test('Every node of a random graph ends as expected, and its history replays', async () => {
  const drawnTapes = fc.sample(tapes, {
    numRuns: Number(process.env.GRAPH_RUNS ?? 120),
    seed: Number(process.env.GRAPH_SEED ?? 20261121),
  })
  const met = new Set<string>()
  const tenant = newId()
  const executions: string[] = []
  const one = async (tape: readonly number[], n: number) => {
    const graph = drawn(tape)
    expect(graphFaults(graph)).toEqual([])
    const input = { n }
    const expected = reference(graph, worldOf(graph, input))
    const run = await ended(await begin(tenant, await newWorkflow(tenant, graph as never), input), 120_000)
    executions.push(run.id)
    const statuses = Object.fromEntries(
      Object.keys(graph.nodes).map((node) => [node, run.states[node]?.status ?? 'none']),
    )
    const values = Object.fromEntries(
      Object.values(run.runs)
        .filter(({ status }) => status !== 'unknown')
        .map(({ key, output, error }) => [key, comparable(output ?? { error })]),
    )
    expect({ tape, end: run.status, statuses, values }).toEqual({
      tape,
      end: expected.end,
      statuses: expected.statuses,
      values: comparable(expected.values),
    })
    for (const { status } of Object.values(run.runs)) met.add(shownAs[status] ?? status)
    for (const status of Object.values(statuses)) met.add(status)
  }
  const waiting = drawnTapes.map((tape, n) => ({ tape, n }))
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await one(next.tape, next.n)
    }),
  )
  expect([...met].sort()).toEqual(['completed', 'failed', 'skipped', 'unknown'])
  expect(await notReplayed(executions)).toEqual([])
})
