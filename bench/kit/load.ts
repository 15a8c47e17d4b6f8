// The clients, in a process that does as little as possible: it shares the cores with the measured processes.
// It receives a job, measures path and floor in turns, so that both run under the same conditions, and returns the
// times. Some paths have no floor.
import { setTimeout as pause } from 'node:timers/promises'
import { Connection, Client as TemporalClient, WorkflowNotFoundError } from '@temporalio/client'
import pg from 'pg'
import { Client } from 'undici'
import type { Statement } from './counter.ts'
import type { Ask } from './path.ts'

/** A replay of recorded statements with these texts replaced. */
export type Run = { template: number; swaps: Record<string, string> }
export type Floor =
  | { kind: 'statements'; url: string; templates: Statement[][]; lanes: Run[][]; once: boolean }
  | { kind: 'workflow'; workflow: 'floor' | 'floor_turn'; address: string; queue: string; clients: number }
export type Job = {
  base: string
  temporal: string
  lanes: Ask[][]
  once: boolean
  floor: Floor | null
  rounds: number
  ms: number
  floorMs: number
  warmMs: number
}
export type Times = { ms: number; each: number[] }
export type Measured = { path: Times; floor: Times | null }

/** The next request of a client; null if none is left. */
type Turn = (() => Promise<void>) | null
type Side = { lanes: (() => Turn)[]; close(): Promise<void> }

/** Iterates over a list: cyclically, or once if each request can be made only once. */
function turns<T>(all: readonly T[], once: boolean, work: (one: T) => Promise<void>): () => Turn {
  let at = 0
  return () => {
    if (once && at >= all.length) return null
    const one = all[at++ % all.length] as T
    return () => work(one)
  }
}

function send(client: Client, { method, path, headers, body }: Ask): Promise<string> {
  return new Promise((done, fail) => {
    let status = 0
    const answer: Buffer[] = []
    client.dispatch(
      { method, path, headers, body: body ?? null },
      {
        onRequestStart() {},
        onResponseStart(_, code) {
          status = code
        },
        onResponseData(_, chunk) {
          answer.push(chunk)
        },
        onResponseEnd() {
          if (status < 300) done(Buffer.concat(answer).toString())
          else fail(new Error(`${method} ${path}: ${status} ${Buffer.concat(answer)}`))
        },
        onResponseError: (_, error) => fail(error),
      },
    )
  })
}

/** Waits for the engine's result, like the floor. Asks again for a workflow that has not started. */
async function closed(engine: TemporalClient, workflowId: string): Promise<void> {
  for (;;) {
    try {
      await engine.workflow.getHandle(workflowId).result()
      return
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error
      await pause(3)
    }
  }
}

async function requests({ base, temporal, lanes, once }: Job): Promise<Side> {
  const clients = lanes.map(() => new Client(base, { pipelining: 1 }))
  const connection = await Connection.connect({ address: temporal })
  const engine = new TemporalClient({ connection })
  return {
    lanes: lanes.map((asks, lane) =>
      turns(asks, once, async (ask) => {
        const answer = await send(clients[lane] as Client, ask)
        if (ask.over) await closed(engine, `${ask.over}/${JSON.parse(answer).id}`)
      }),
    ),
    close: async () => void (await Promise.all([...clients.map((client) => client.close()), connection.close()])),
  }
}

/** Ids, digests, dates and long numbers, also inside a statement's text: the ORM inlines values. */
const exchanged =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|\b\d{4}-\d\d-\d\d\b|\b\d{7,}\b/g

async function statements({ url, templates, lanes, once }: Floor & { kind: 'statements' }): Promise<Side> {
  const clients = lanes.map(() => new pg.Client({ connectionString: url, options: '-c synchronous_commit=on' }))
  for (const client of clients) client.on('error', () => {}) // its query fails with the error
  await Promise.all(clients.map((client) => client.connect()))
  const rendered = lanes.map((runs) =>
    runs.map(({ template, swaps }) => {
      const exchange = (text: string) => text.replaceAll(exchanged, (found) => swaps[found] ?? found)
      return (templates[template] ?? []).map(({ text, values, name }) => ({
        text: name ? text : exchange(text),
        values: values?.map((value) => value && exchange(value)) ?? null,
        ...(name ? { name } : {}),
      }))
    }),
  )
  return {
    lanes: rendered.map((runs, lane) =>
      turns(runs, once, async (run) => {
        for (const { text, values, name } of run)
          await clients[lane]?.query({ text, ...(values ? { values } : {}), ...(name ? { name } : {}) })
      }),
    ),
    close: async () => void (await Promise.all(clients.map((client) => client.end()))),
  }
}

async function workflows({ workflow, address, queue, clients }: Floor & { kind: 'workflow' }): Promise<Side> {
  const connection = await Connection.connect({ address })
  const client = new TemporalClient({ connection })
  const one = async () => {
    await client.workflow.execute(workflow, { taskQueue: queue, workflowId: `floor/${crypto.randomUUID()}`, args: [] })
  }
  return { lanes: Array.from({ length: clients }, () => () => one), close: () => connection.close() }
}

/** Runs all clients concurrently for this time, or until one has no request left. */
async function slice({ lanes }: Side, ms: number, into: Times): Promise<void> {
  const begun = performance.now()
  let over = false
  await Promise.all(
    lanes.map(async (next) => {
      while (!over && performance.now() - begun < ms) {
        const turn = next()
        if (!turn) {
          over = true
          return
        }
        const since = performance.now()
        await turn()
        into.each.push(performance.now() - since)
      }
    }),
  )
  into.ms += performance.now() - begun
}

async function measure(job: Job): Promise<Measured> {
  const path = await requests(job)
  const floor = job.floor && (await (job.floor.kind === 'statements' ? statements(job.floor) : workflows(job.floor)))
  const times = { path: { ms: 0, each: [] }, floor: { ms: 0, each: [] } }
  await slice(path, job.warmMs, { ms: 0, each: [] })
  if (floor) await slice(floor, job.warmMs / 2, { ms: 0, each: [] })
  for (let round = 0; round < job.rounds; round++) {
    await slice(path, job.ms / job.rounds, times.path)
    if (floor) await slice(floor, job.floorMs / job.rounds, times.floor)
  }
  await path.close()
  await floor?.close()
  return { path: times.path, floor: floor && times.floor }
}

process.on('disconnect', () => process.exit())
process.on('message', (job: Job) => {
  measure(job).then(
    (measured) => process.send?.({ measured }),
    (error: Error) => process.send?.({ error: error.stack }),
  )
})
