// A store's graph, webhook and sign-in e-mail, alone and beside another store with 500 hanging POSTs of graphs and 500
// hanging deliveries; the graph also beside 30 loops of 10,000 items of another store.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client'
import { client } from '../../client/client.ts'
import type { Stack } from '../../dev/stack.ts'
import { newId } from '../../entities/kit/ids.ts'
import { slotsOf } from '../../rules/queues.ts'
import { shareOf } from '../../rules/shares.ts'
import type { Measure, Result } from '../kit/path.ts'
import { startPublisher } from '../kit/processes.ts'
import { resultOf } from '../kit/report.ts'
import { newStore, type Shop } from '../kit/shop.ts'
import { signIn } from '../sign-in.ts'

// Graphs and events take as long as a hanging delivery takes to time out, 20 seconds: the timeouts, which come
// together, and the retries after them are within each measurement. All of them end while the nodes hang, whose longest
// timeout is two minutes.
const rounds = { graph: 100, mail: 40, events: 400 }
const perS = 20
const hooks = 100
/** For one worker with 100 task slots, as the bench starts it. */
const share = shareOf(slotsOf('automation', 100))
const loops = { executions: 30, items: 10_000 }
const hanging = { executions: 25, posts: 20, events: 5 }

/**
 * Answers at once, except for /hangs, which answers on `release`. `arrivals`: by the number in the event, in
 * milliseconds since 1970.
 */
async function openPlace() {
  const held = new Set<ServerResponse>()
  const arrivals = new Map<number, number>()
  const server = createServer(async (request, response) => {
    const at = performance.timeOrigin + performance.now()
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url === '/hangs') {
      held.add(response)
      response.once('close', () => held.delete(response))
      return
    }
    if (request.url === '/events') arrivals.set((JSON.parse(body) as { data: { n: number } }).data.n, at)
    response.end('{}')
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    held: () => held.size,
    /** From now on all calls are answered, so calls that replace an ended one end as well. */
    async release() {
      while (held.size > 0) {
        for (const response of held) response.end('{}')
        await pause(500)
      }
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
type Place = Awaited<ReturnType<typeof openPlace>>

const calls = ({ api, operator }: Shop) => client({ base: api, headers: operator })

async function graphOf(shop: Shop, storeId: string, url: string, posts: number): Promise<string> {
  const names = Array.from({ length: posts }, (_, n) => `call${n}`)
  const post = { type: 'http' as const, method: 'post' as const, url, timeout_ms: 120_000 }
  const nodes = { start: { type: 'trigger' as const }, ...Object.fromEntries(names.map((name) => [name, post])) }
  const edges = names.map((name) => ({ source: 'start', target: name, output: 'default' }))
  const made = await calls(shop)('POST /v1/stores/{storeId}/workflows', {
    path: { storeId },
    body: { key: `bench-${newId()}`, nodes, edges },
  })
  return `${shop.api}${new URL(made.webhook_url).pathname}`
}
const trigger = async (url: string): Promise<string> =>
  (
    (await (
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    ).json()) as { id: string }
  ).id

async function hookOf(shop: Shop, storeId: string, url: string): Promise<void> {
  const body = {
    key: newId(),
    url,
    events: [{ event: 'order.created' as const }],
    headers: {},
    enabled: true,
  }
  await calls(shop)('POST /v1/stores/{storeId}/webhooks', { path: { storeId }, body })
}

/** Starts loops that compute. The returned function cancels them. */
async function compute(shop: Shop): Promise<() => Promise<void>> {
  const { id: storeId } = await newStore(shop, `loops-${newId()}`)
  const nodes = {
    start: { type: 'trigger' as const },
    each: { type: 'loop' as const, items: `Array.from({ length: ${loops.items} }, (_, n) => n)` },
    code: { type: 'transform' as const, code: 'let n = 0; for (let i = 0; i < 20_000; i++) n += i % 7; return n' },
  }
  const edges = [
    { source: 'start', target: 'each', output: 'default' },
    { source: 'each', target: 'code', output: 'each' },
    { source: 'code', target: 'each', output: 'success', back_edge: true },
  ]
  const call = calls(shop)
  const made = await call('POST /v1/stores/{storeId}/workflows', {
    path: { storeId },
    body: { key: `bench-${newId()}`, nodes, edges },
  })
  const url = `${shop.api}${new URL(made.webhook_url).pathname}`
  const ids: string[] = []
  for (let n = 0; n < loops.executions; n++) ids.push(await trigger(url))
  const at = (executionId: string) => ({ path: { storeId, workflowId: made.id, executionId } })
  const statuses = () =>
    Promise.all(
      ids.map(
        async (id) =>
          (await call('GET /v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}', at(id))).status,
      ),
    )
  while ((await statuses()).includes('pending')) await pause(100)
  return async () => {
    const ended = (await statuses()).filter((status) => status !== 'running').length
    if (ended > 0)
      throw new Error(
        `${ended} of ${ids.length} loops ended before they were cancelled: nothing was measured beside them.`,
      )
    for (const id of ids)
      await call('POST /v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}/cancel', at(id))
    while ((await statuses()).includes('running')) await pause(100)
  }
}

async function hang(stack: Stack, shop: Shop, place: Place): Promise<void> {
  const { id } = await newStore(shop, `loud-${newId()}`)
  const url = await graphOf(shop, id, `${place.url}/hangs`, hanging.posts)
  for (let n = 0; n < hanging.executions; n++) await trigger(url)
  for (let n = 0; n < hooks; n++) await hookOf(shop, id, `${place.url}/hangs`)
  const publisher = startPublisher()
  await publisher.run({
    url: String(stack.env.DATABASE_URL),
    store_id: id,
    from: 0,
    count: hanging.events,
    per_s: null,
    writers: 1,
    data: {},
  })
  publisher.stop()
  // Waits until the store has its share of nodes and every delivery is under way: the measurement is beside hanging
  // calls, not beside starting ones.
  const begun = performance.now()
  while (place.held() < share + hooks * hanging.events && performance.now() - begun < 60_000) await pause(100)
}

/** The relay may not have started the workflow yet. */
async function over(engine: Client, id: string): Promise<void> {
  for (;;) {
    try {
      await engine.workflow.getHandle(`execution/${id}`).result()
      return
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error
      await pause(2)
    }
  }
}

type Quiet = {
  graph(): Promise<number[]>
  webhook(): Promise<number[]>
  mail(): Promise<number[]>
  stop(): Promise<void>
}

async function quiet(stack: Stack, shop: Shop, place: Place): Promise<Quiet> {
  const connection = await Connection.connect({ address: String(stack.env.TEMPORAL_ADDRESS) })
  const engine = new Client({ connection })
  const { id: store_id } = await newStore(shop, `calm-${newId()}`)
  const url = await graphOf(shop, store_id, `${place.url}/answers`, 1)
  await hookOf(shop, store_id, `${place.url}/events`)
  const publisher = startPublisher()
  let published = 0
  const each = async (count: number, work: () => Promise<unknown>): Promise<number[]> => {
    const times: number[] = []
    for (let n = 0; n < count; n++) {
      const since = performance.now()
      await work()
      times.push(performance.now() - since)
    }
    return times
  }
  return {
    graph: () => each(rounds.graph, async () => over(engine, await trigger(url))),
    async webhook() {
      const from = published
      published += rounds.events
      const job = {
        url: String(stack.env.DATABASE_URL),
        store_id,
        from,
        count: rounds.events,
        per_s: perS,
        writers: 4,
        data: {},
      }
      const { committed } = await publisher.run(job)
      while (place.arrivals.size < published) await pause(50)
      return committed.map((at, n) => Math.max(0, (place.arrivals.get(from + n) ?? Number.NaN) - at))
    },
    mail: () => each(rounds.mail, () => signIn(shop.api, String(stack.urls.mail), `bench-${newId()}@tillwright.test`)),
    async stop() {
      publisher.stop()
      await connection.close()
    },
  }
}

const kinds = ['webhook', 'graph', 'mail'] as const
const times = (each: number[]) => ({ ms: each.reduce((all, one) => all + one, 0), each })

export const fairness: Measure = {
  name: 'fairness',
  parts: [...kinds, 'loops'].map((kind) => ({ name: `fairness-${kind}`, target: { clients: 1, of_alone: 2 } })),
  async measure(stack, shop) {
    const place = await openPlace()
    const work = await quiet(stack, shop, place)
    for (const kind of kinds) await work[kind]()
    const alone = new Map<string, Result>()
    for (const kind of kinds) alone.set(kind, resultOf(kind, 1, 0, times(await work[kind]()), null))
    const results: Result[] = []
    const cancel = await compute(shop)
    results.push({
      ...resultOf('fairness-loops', 1, 0, times(await work.graph()), null),
      alone_p95_ms: alone.get('graph')?.p95_ms ?? 0,
    })
    await cancel()
    await hang(stack, shop, place)
    for (const kind of kinds)
      results.push({
        ...resultOf(`fairness-${kind}`, 1, 0, times(await work[kind]()), null),
        alone_p95_ms: alone.get(kind)?.p95_ms ?? 0,
      })
    await place.release()
    await work.stop()
    place.stop()
    return results
  },
}
