// The cost of an execution: the worker's statements and the events of its history, counted, so that an increase fails.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { type Counter, startCounter } from '../../bench/kit/counter.ts'
import { newId } from '../../entities/kit/ids.ts'
import { begin, edge, ended, type GivenGraph, newWorkflow } from '../kit/automation/graphs.ts'
import { until } from '../kit/codes.ts'
import { database } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

jest.setTimeout(60_000)

let lab: Lab
let counter: Counter
let receiver: Receiver
let connection: Connection
beforeAll(async () => {
  lab = await startLab('cost', {}, { queues: ['automation', 'mail'] })
  receiver = await startReceiver(lab.stack.dir)
  counter = await startCounter(lab.stack.ports.postgres)
  const url = new URL(lab.stack.env.DATABASE_URL as string)
  url.port = String(counter.port)
  await lab.startWorker({ DATABASE_URL: url.href, RECONCILE_EVERY_MS: '600000' })
  // The reconciler's first pass over all tables ends with this one; the next is ten minutes away.
  await until(async () => counter.take().some(({ text }) => text.startsWith('select id from contacts')), 30_000)
  connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
})
afterAll(async () => {
  await connection.close()
  await receiver.stop()
  await database().end()
  await lab.stop()
  counter.stop()
})

/** Statements of the worker's loops: the relay, slots that are granted in turn, and the worker's heartbeat. */
const ofTheProcess =
  /outbox|x\.tenant_id, t\.key as store|select distinct queue from task_slot_counts|insert into task_workers/

/** Statements of an execution, without those of its worker's loops, and the events of its history. */
async function costOf(graph: GivenGraph): Promise<{ statements: number; events: number }> {
  const tenant = newId()
  const workflow = await newWorkflow(tenant, graph)
  const run = async () => {
    const id = await begin(tenant, workflow)
    await ended(id)
    const handle = new Client({ connection }).workflow.getHandle(`execution/${id}`)
    await handle.result()
    return (await handle.describe()).historyLength
  }
  // The graph is read once per process.
  await run()
  counter.take()
  const events = await run()
  return { statements: counter.take().filter(({ text }) => !ofTheProcess.test(text)).length, events }
}

test('A graph of a trigger and a post costs eight statements and thirteen events', async () => {
  const nodes = { start: { type: 'trigger' }, call: { type: 'http', method: 'post', url: receiver.url } }
  expect(await costOf({ nodes, edges: [edge('start', 'call', 'default')] })).toEqual({ statements: 8, events: 13 })
})

test('Nodes without a call cost two statements in all, however many they are', async () => {
  const steps = Array.from({ length: 10 }, (_, n) => `step${n}`)
  const nodes = {
    start: { type: 'trigger' },
    ...Object.fromEntries(steps.map((step) => [step, { type: 'transform', code: 'return 1' }])),
  }
  const edges = steps.map((step, n) => (n === 0 ? edge('start', step, 'default') : edge(steps[n - 1] as string, step)))
  expect(await costOf({ nodes, edges })).toEqual({ statements: 2, events: 6 })
})
