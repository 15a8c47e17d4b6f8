// A store whose calls hang delays no other store: it gets at most its share of the slots of all workers, and its other
// work is queued.
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createMailServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client'
import type { Process } from '../../dev/parts.ts'
import { type Orm, openOrm } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { shareOf } from '../../rules/shares.ts'
import { confirmationType } from '../kit/audiences/audiences.ts'
import { begin, edge, ended, execute, type GivenGraph, newWorkflow } from '../kit/automation/graphs.ts'
import { codeFor, until as untilWithin } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { database, http, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'
import { deliveriesOf, type Hook, publish, secret } from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(300_000)

/** Enough for two workers on a busy machine, and long before a call that hangs times out. */
const until = <T>(look: () => Promise<T>) => untilWithin(look, 50_000)

const settings = {
  TEMPORAL_TASK_SLOTS: '4',
  SANDBOX_THREADS: '2',
  RECONCILE_EVERY_MS: '1000',
  DELIVERY_TIMEOUT_MS: '30000',
}
/** Slots of `automation`, and of `deliveries`: two workers with four for each of five queues. */
const capacity = 40
const share = shareOf(capacity)
/** Of `mail`: two workers with four each. */
const mailShare = shareOf(8)
/** Slots of two workers with five for each thread of their sandboxes. */
const computing = shareOf(2 * 5 * 2)

/**
 * Holds every request for a path that begins with /held until it is released, and counts how many are open at a time.
 */
type Place = {
  url: string
  open(path: string): number
  most(path: string): number
  arrived(path: string): string[]
  release(): void
  hold(): void
  stop(): void
}
async function startPlace(): Promise<Place> {
  const open = new Map<string, Set<ServerResponse>>()
  const most = new Map<string, number>()
  const arrived = new Map<string, string[]>()
  let holding = true
  const server: Server = createServer(async (request, response) => {
    const path = request.url ?? ''
    let body = ''
    for await (const chunk of request) body += chunk
    arrived.set(path, [...(arrived.get(path) ?? []), body])
    if (path === '/busy' && arrived.get(path)?.length === 1) return void response.writeHead(503).end()
    if (!holding || !path.startsWith('/held')) return void response.end('{}')
    const those = open.get(path) ?? new Set()
    open.set(path, those.add(response))
    response.once('close', () => those.delete(response))
    most.set(path, Math.max(most.get(path) ?? 0, those.size))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)
  const under = (path: string) => (one: string) => one === path || one.startsWith(`${path}/`)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: (path) => sum([...open].flatMap(([one, those]) => (under(path)(one) ? [those.size] : []))),
    most: (path) => Math.max(0, ...[...most].flatMap(([one, n]) => (under(path)(one) ? [n] : []))),
    arrived: (path) => [...arrived].flatMap(([one, bodies]) => (under(path)(one) ? bodies : [])),
    release() {
      holding = false
      for (const those of open.values()) for (const response of those) response.end('{}')
    },
    hold() {
      holding = true
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

let lab: Lab
let place: Place
let orm: Orm
let workers: Process[]
let connection: Connection

beforeAll(async () => {
  lab = await startLab('fairness', settings, { queues: ['automation', 'deliveries', 'mail'] })
  place = await startPlace()
  const [first, second] = await Promise.all([
    lab.startWorker(settings),
    lab.startWorker(settings),
    lab.stack.startApi(settings),
  ])
  workers = [first, second]
  orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 4 })
  connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
})
afterEach(() => place.hold())
afterAll(async () => {
  place.release()
  await connection.close()
  await orm.close(true)
  await database().end()
  await lab.stop()
  place.stop()
})

/** So many posts in parallel, each with a number of its own. */
const posts = (path: string, count: number, more: Record<string, unknown> = {}): GivenGraph => {
  const names = Array.from({ length: count }, (_, n) => `call${n}`)
  const call = { type: 'http', method: 'post', url: `${place.url}${path}`, timeout_ms: 60_000, ...more }
  return {
    nodes: {
      start: { type: 'trigger' },
      ...Object.fromEntries(names.map((name) => [name, { ...call, body: { run: '{{input.trigger.run}}', name } }])),
    },
    edges: names.map((name) => edge('start', name, 'default')),
  }
}
/** Executions of so many posts each. */
async function noisy(
  tenant: string,
  path: string,
  executions: number,
  each: number,
  more: Record<string, unknown> = {},
): Promise<string[]> {
  const workflow = await newWorkflow(tenant, posts(path, each, more))
  return Promise.all(Array.from({ length: executions }, (_, run) => begin(tenant, workflow, { run })))
}
const quiet = (): GivenGraph => posts('/answers', 1)
/** No slot is held and none is waited for. */
const emptied = () =>
  until(async () => {
    const { rows } = await database().query(
      'select 1 from task_slots union all select 1 from task_slot_counts where held <> 0 or waiting <> 0',
    )
    return rows.length === 0
  })
const held = async (tenant: string, queue: string) =>
  (
    await database().query('select held, waiting from task_slot_counts where tenant_id = $1 and queue = $2', [
      tenant,
      queue,
    ])
  ).rows[0]

async function hook(shop: Shop, path: string): Promise<Hook> {
  const body = {
    key: unique(),
    url: `${place.url}${path}`,
    events: [{ event: 'order.created' }],
    headers: {},
    secret,
    enabled: true,
  }
  const made = await shop.asOperator('POST', '/webhooks', body)
  expect(made.status).toBe(201)
  return { id: made.body.id, path, url: body.url }
}

test('A store’s graph, webhook, test and email finish while all calls of another store hang', async () => {
  const [loud, calm] = [await newShop(), await newShop()]
  const runs = await noisy(loud.store_id, '/held/a', 3, 20)
  await until(async () => place.open('/held/a') === share)
  const hooks = await Promise.all(Array.from({ length: 12 }, (_, n) => hook(loud, `/held/hook/${n}`)))
  await publish(orm, loud.store_id, [{ n: 1 }])
  await until(async () => place.open('/held/hook') === share)

  const run = await execute(calm.store_id, quiet(), { run: 0 })
  expect(run.status).toBe('completed')
  const told = await hook(calm, '/told')
  await publish(orm, calm.store_id, [{ n: 2 }])
  await until(async () => (await deliveriesOf(told)).every(({ status }) => status === 'succeeded'))
  const tested = await calm.asOperator('POST', '/webhooks/test', { delivery_id: newId(), webhook_id: told.id })
  expect(tested.body).toMatchObject({ status: 'succeeded' })
  const email = newEmail()
  expect((await http('POST', '/v1/auth/code', { body: { email } })).status).toBeLessThan(300)
  await codeFor(email)

  // Nothing of the other store has ended meanwhile, and nothing beyond its share has begun.
  expect([place.open('/held/a'), place.most('/held/a'), place.open('/held/hook')]).toEqual([share, share, share])
  expect(await held(loud.store_id, 'automation')).toEqual({ held: share, waiting: 60 - share })
  // A webhook whose first drain hangs may wait for a second one.
  const drains = await held(loud.store_id, 'deliveries')
  expect(drains.held).toBe(share)
  expect(drains.waiting).toBeGreaterThanOrEqual(12 - share)
  const { events = [] } = await new Client({ connection }).workflow.getHandle(`execution/${runs[2]}`).fetchHistory()
  const summaries = (events ?? []).flatMap(({ userMetadata }) =>
    userMetadata?.summary?.data ? [Buffer.from(userMetadata.summary.data).toString()] : [],
  )
  expect(summaries).toContain('"until the store has a free slot"')

  place.release()
  for (const id of runs) expect((await ended(id, 60_000)).status).toBe('completed')
  expect(place.arrived('/held/a').length).toBe(60)
  expect(new Set(place.arrived('/held/a')).size).toBe(60)
  await until(async () =>
    (await Promise.all(hooks.map(deliveriesOf))).flat().every(({ status }) => status === 'succeeded'),
  )
  await emptied()
})

test('A store’s mail server that hangs holds the share of its store, and a sign-in code is sent', async () => {
  const loud = await newShop()
  const sockets = new Set<Socket>()
  let [hangs, most] = [true, 0]
  const server = createMailServer((socket) => {
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    most = Math.max(most, sockets.add(socket).size)
    if (!hangs) socket.end('554 no\r\n')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const smtp = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, security: 'none' }
    const mailbox = await made(
      loud.asOperator('POST', '/mailboxes', { key: unique(), email: 'shop@example.com', smtp }),
    )
    const type = { ...(await confirmationType(loud)), mailbox_id: mailbox.id }
    const { id } = await made(loud.asOperator('POST', '/audiences', { key: unique(), type }))
    expect((await loud.asOperator('PUT', `/audiences/${id}`, { status: 'active' })).status).toBe(200)
    for (let n = 0; n < 12; n++) await (await loud.visitor(newEmail())).call('POST', `/audiences/${id}/subscribe`, {})
    await until(async () => sockets.size === mailShare)
    const email = newEmail()
    expect((await http('POST', '/v1/auth/code', { body: { email } })).status).toBeLessThan(300)
    await codeFor(email)
    expect(await held(loud.store_id, 'mail')).toEqual({ held: mailShare, waiting: 12 - mailShare })
    expect(most).toBe(mailShare)
    hangs = false
    for (const socket of sockets) socket.end('554 no\r\n')
    const statuses = async () =>
      (await database().query('select status from mails where tenant_id = $1', [loud.store_id])).rows.map(
        ({ status }) => status,
      )
    await until(async () => (await statuses()).every((status) => status === 'rejected'))
    await emptied()
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

test('A store’s graph finishes at once beside ten stores whose calls hang', async () => {
  const loud = Array.from({ length: 10 }, () => newId())
  const runs: string[] = []
  for (const [n, tenant] of loud.entries()) {
    runs.push(...(await noisy(tenant, `/held/ten/${n}`, 1, 20)))
    await until(async () => place.open(`/held/ten/${n}`) > 0)
  }
  const run = await execute(newId(), quiet(), { run: 0 })
  expect(run.status).toBe('completed')
  expect(place.open('/held/ten')).toBeLessThan(capacity)
  place.release()
  for (const id of runs) expect((await ended(id, 60_000)).status).toBe('completed')
  expect(place.arrived('/held/ten').length).toBe(200)
  await emptied()
})

test('An execution that fails or is cancelled sends none of its queued nodes', async () => {
  const tenant = newId()
  const [first = '', second = ''] = await noisy(tenant, '/held/cancelled', 2, 20)
  await until(
    async () => place.open('/held/cancelled') === share && (await held(tenant, 'automation')).waiting === 40 - share,
  )
  const before = place.arrived('/held/cancelled').length
  const { nodes, edges } = posts('/doomed', 5)
  const doomed = await execute(tenant, {
    nodes: { ...nodes, bad: { type: 'transform', code: 'throw new Error("no")' } },
    edges: [...edges, edge('start', 'bad', 'default')],
  })
  expect([doomed.status, place.arrived('/doomed')]).toEqual(['failed', []])
  for (const id of [first, second]) {
    await database().query('update executions set cancel_requested = true, wake_at = now() where id = $1', [id])
    await new Client({ connection }).workflow
      .getHandle(`execution/${id}`)
      .signal('changed')
      // The reconciler may have ended one of which nothing was sent.
      .catch((error) => expect(error).toBeInstanceOf(WorkflowNotFoundError))
  }
  await until(async () => (await held(tenant, 'automation')).waiting === 0)
  place.release()
  for (const id of [first, second]) expect((await ended(id)).status).toBe('cancelled')
  expect(place.arrived('/held/cancelled').length).toBe(before)
  await emptied()
})

/** Its body continues when the machine is too busy for a run of its code. */
const looping = (items: number, code: string): GivenGraph => ({
  nodes: {
    start: { type: 'trigger' },
    each: { type: 'loop', items: `Array.from({ length: ${items} }, (_, n) => n)` },
    code: { type: 'transform', code },
  },
  edges: [
    edge('start', 'each', 'default'),
    edge('each', 'code', 'each'),
    edge('code', 'each', 'success', true),
    edge('code', 'each', 'error', true),
  ],
})

test('A store’s graph finishes while the loops of another store compute on every worker', async () => {
  const [loud, calm] = [newId(), newId()]
  const workflow = await newWorkflow(
    loud,
    looping(10_000, 'let n = 0; for (let i = 0; i < 20_000; i++) n += i % 7; return n'),
  )
  // More than the eight places that both workers have together for workflow tasks.
  const runs = await Promise.all(Array.from({ length: 12 }, () => begin(loud, workflow)))
  const open = async (...statuses: string[]) =>
    (
      await database().query('select count(*)::int from executions where id = any($1) and status = any($2)', [
        runs,
        statuses,
      ])
    ).rows[0].count
  try {
    await until(async () => (await open('running')) >= 8)
    const calmly = await begin(calm, await newWorkflow(calm, quiet()), { run: 0 })
    expect((await ended(calmly, 90_000)).status).toBe('completed')
    expect(await open('pending', 'running')).toBe(runs.length)
    await until(async () => (await held(loud, 'computation')).waiting === runs.length - computing)
    expect((await held(loud, 'computation')).held).toBeLessThanOrEqual(computing)
  } finally {
    await database().query('update executions set cancel_requested = true where id = any($1)', [runs])
    const { workflow } = new Client({ connection })
    // One that computes reads the cancellation at its next step, and may end before its signal.
    for (const id of runs)
      await workflow
        .getHandle(`execution/${id}`)
        .signal('changed')
        .catch((error) => expect(error).toBeInstanceOf(WorkflowNotFoundError))
  }
  // Those that wait end as soon as those that compute.
  for (const id of runs) expect((await ended(id)).status).toBe('cancelled')
  await emptied()
})

test('Loops beyond their store’s share take turns and all finish', async () => {
  const tenant = newId()
  const workflow = await newWorkflow(
    tenant,
    looping(150, 'let n = 0; for (let i = 0; i < 100_000; i++) n += i % 7; return n'),
  )
  const runs = await Promise.all(Array.from({ length: 8 }, () => begin(tenant, workflow)))
  for (const id of runs)
    expect(await ended(id, 90_000)).toMatchObject({ status: 'completed', states: { each: { status: 'completed' } } })
  const { rows } = await database().query(
    `select count(*)::int from node_runs where execution_id = any($1) and node = 'code'`,
    [runs],
  )
  expect(rows[0].count).toBe(8 * 150)
  await emptied()
})

test('Delays, loops and retried reads take turns and finish', async () => {
  const tenant = newId()
  const runs = await noisy(tenant, '/held/before', 1, 20)
  await until(async () => place.open('/held/before') === share)
  const graph: GivenGraph = {
    nodes: {
      start: { type: 'trigger' },
      late: { type: 'http', method: 'post', url: `${place.url}/late`, delay_ms: 300 },
      each: { type: 'loop', items: '[1, 2, 3]' },
      read: { type: 'http', method: 'get', url: `${place.url}/read`, retries: 2 },
    },
    edges: [
      edge('start', 'late', 'default'),
      edge('late', 'each'),
      edge('each', 'read', 'each'),
      edge('read', 'each', 'success', true),
    ],
  }
  const id = await begin(tenant, await newWorkflow(tenant, graph))
  await until(
    async () =>
      (
        await database().query(
          `select 1 from node_runs r join task_slots s on s.id = r.id where r.execution_id = $1 and not s.granted`,
          [id],
        )
      ).rows.length > 0,
  )
  expect(place.arrived('/late')).toEqual([])
  place.release()
  expect((await ended(id)).status).toBe('completed')
  expect([place.arrived('/late').length, place.arrived('/read').length]).toEqual([1, 3])
  for (const run of runs) await ended(run)
  await emptied()
})

test('A read that pauses before its next attempt keeps its slot', async () => {
  const tenant = newId()
  const get = { type: 'http', method: 'get', url: `${place.url}/busy`, retries: 1, retry_delay_ms: 4_000 }
  const id = await begin(
    tenant,
    await newWorkflow(tenant, {
      nodes: {
        start: { type: 'trigger' },
        get,
        aside: { type: 'http', method: 'post', url: `${place.url}/aside`, delay_ms: 500 },
      },
      edges: [edge('start', 'get', 'default'), edge('start', 'aside', 'default')],
    }),
  )
  const runs = async () =>
    (
      await database().query(
        `select r.node, r.applied, r.due_at > clock_timestamp() as pauses, s.granted from node_runs r left join task_slots s on s.id = r.id where r.execution_id = $1`,
        [id],
      )
    ).rows
  // Another node ends during the pause: the next step looks at all slots of the execution.
  const during = await until(async () => {
    const rows = await runs()
    return rows.some(({ node, applied }) => node === 'aside' && applied) && rows.filter(({ node }) => node === 'get')
  })
  expect(during).toEqual([{ node: 'get', applied: false, pauses: true, granted: true }])
  expect((await ended(id)).status).toBe('completed')
  expect(place.arrived('/busy').length).toBe(2)
  await emptied()
})

test('A killed worker’s slots are freed, and queued work finishes', async () => {
  const tenant = newId()
  const runs = await noisy(tenant, '/held/killed', 2, 20, { timeout_ms: 4_000 })
  await until(async () => place.open('/held/killed') === share)
  const [first] = workers
  first?.kill('SIGKILL')
  await first?.child.ended
  for (const id of runs) expect(['failed', 'completed']).toContain((await ended(id, 90_000)).status)
  expect(new Set(place.arrived('/held/killed')).size).toBe(place.arrived('/held/killed').length)
  expect(place.most('/held/killed')).toBe(share)
  await emptied()
  expect((await execute(newId(), quiet(), { run: 0 })).status).toBe('completed')
})

test('The 101st webhook of a store is refused, and so is its eleventh open test', async () => {
  const shop = await newShop()
  const one = await hook(shop, '/held/tests')
  const tests = Array.from({ length: 10 }, () =>
    shop.asOperator('POST', '/webhooks/test', { delivery_id: newId(), webhook_id: one.id }),
  )
  // One worker is dead by now, so the share may be half.
  await until(async () => {
    const tests = await held(shop.store_id, 'deliveries')
    return tests?.held + tests?.waiting === 10 && tests.waiting > 0 && place.open('/held/tests') === tests.held
  })
  const eleventh = await shop.asOperator('POST', '/webhooks/test', { delivery_id: newId(), webhook_id: one.id })
  expect([eleventh.status, eleventh.body.code, eleventh.headers.get('retry-after')]).toEqual([
    429,
    'too_many_requests',
    '5',
  ])
  place.release()
  for (const { status } of await Promise.all(tests)) expect(status).toBe(200)
  await database().query(
    `insert into webhooks (id, tenant_id, created_at, updated_at, key, url, headers, secret, events, enabled)
     select gen_random_uuid(), tenant_id, 1, 1, 'more-' || n, url, headers, secret, events, false from webhooks, generate_series(1, 99) n where id = $1`,
    [one.id],
  )
  const body = { key: unique(), url: one.url, events: [{ event: 'order.created' }], headers: {}, secret, enabled: true }
  const refused = await shop.asOperator('POST', '/webhooks', body)
  expect([refused.status, refused.body.code]).toEqual([409, 'webhooks_too_many'])
})
