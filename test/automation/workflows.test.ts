// An active workflow can run to its end: faults are returned at their node or edge, and running executions keep their
// graph.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { call, save, small, workflow } from '../kit/automation/automations.ts'
import { addEdges, edge, type Named, set, type ValidGraph, validGraph } from '../kit/automation/valid-graph.ts'
import { api, database, eitherApi, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

let shop: Shop
let other: Shop
let mine: Named
let theirs: Named

async function insert(table: string, row: Record<string, unknown>): Promise<string> {
  const full: Record<string, unknown> = { id: newId(), created_at: 1, updated_at: 1, key: unique(), ...row }
  const names = Object.keys(full)
  const places = names.map((_, n) => `$${n + 1}`)
  await database().query(
    `insert into ${table} (${names}) values (${places})`,
    names.map((name) => full[name]),
  )
  return full.id as string
}
const named = async (tenant_id: string): Promise<Named> => ({
  mailbox_id: await insert('mailboxes', {
    tenant_id,
    email: 'a@tillwright.test',
    smtp_host: 'localhost',
    smtp_port: 25,
    smtp_security: 'none',
  }),
  template_id: await insert('email_templates', { tenant_id, subject: 'x', body: 'x' }),
  build_hook_id: await insert('build_hooks', {
    tenant_id,
    type: 'custom',
    url: encrypt('http://localhost/'),
    headers: encrypt('{}'),
  }),
  connection_id: await insert('integrations', {
    tenant_id,
    type: 'webdav',
    settings: '{}',
    credentials: encrypt('{}'),
  }),
})

beforeAll(async () => {
  ;[shop, other] = await Promise.all([newShop(), newShop()])
  ;[mine, theirs] = await Promise.all([named(shop.store_id), named(other.store_id)])
})
afterAll(() => database().end())

const read = (id: string, base = eitherApi()) => shop.asOperator('GET', `/workflows/${id}`, undefined, base)
const update = (id: string, body: unknown) => shop.asOperator('PUT', `/workflows/${id}`, body)
const remove = (id: string) => shop.asOperator('DELETE', `/workflows/${id}`)
type EntryText = { pointer: string; code: string; node?: string; edge?: number }
const faults = ({ status, body }: { status: number; body: { code: string; errors: EntryText[] } }) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).sort(),
]
const graphsOf = async (id: string) =>
  (await database().query('select id from graphs where workflow_id = $1 order by created_at, id', [id])).rows.map(
    (row) => row.id as string,
  )
const rowOf = async (id: string) => (await database().query('select * from workflows where id = $1', [id])).rows[0]
const execution = (of: { id: string; graph_id: string }, status = 'completed') =>
  database()
    .query(
      `insert into executions (id, tenant_id, created_at, updated_at, workflow_id, graph_id, status, source, input, step)
       values ($1, $2, extract(epoch from now())::bigint, 1, $3, $4, $5, 'webhook', '{}', 0) returning id`,
      [newId(), shop.store_id, of.id, of.graph_id, status],
    )
    .then(({ rows }) => rows[0].id as string)

const whole = () => validGraph(mine)

test('A workflow is read with all defaults and its webhook URL, and can be sent back', async () => {
  const key = `Welcome ${unique()}`
  const { status, body } = await save(shop, { key, ...whole() })
  expect([status, Object.keys(body).sort()]).toEqual([
    201,
    ['created_at', 'edges', 'id', 'key', 'nodes', 'schedule', 'status', 'updated_at', 'webhook_url'],
  ])
  expect(body).toMatchObject({ key, status: 'active', schedule: '*/15 6-22 * * mon-fri' })
  expect(body.webhook_url).toMatch(/^https?:\/\/[^/]+\/v1\/workflows\/trigger\/till_wh_[\w-]{43}$/)
  expect(body.nodes.post).toMatchObject({
    method: 'post',
    timeout_ms: 30_000,
    delay_ms: 0,
    retries: 0,
    retry_delay_ms: 0,
    headers: {},
  })
  expect(body.edges[0]).toEqual({ ...edge('start', 'default', 'get'), back_edge: false })
  expect((await read(body.id)).body).toEqual(body)
  const [graph] = await graphsOf(body.id)
  const again = await update(body.id, body)
  expect([again.status, { ...again.body, updated_at: body.updated_at }]).toEqual([200, body])
  expect(await graphsOf(body.id)).toEqual([graph])
})

test('A workflow’s secret is encrypted, beside the digest by which it is found', async () => {
  const { id, webhook_url } = await workflow(shop)
  const secret = webhook_url.split('/').at(-1)
  const row = await rowOf(id)
  expect(JSON.stringify(row)).not.toContain(secret)
  expect(row.secret_digest).toMatch(/^[0-9a-f]{64}$/)
})

test('An update of a workflow changes only the fields it sends, and a null schedule removes it', async () => {
  const made = await workflow(shop, { schedule: '0 6 * * *' })
  const { id } = made
  const key = unique()
  expect((await update(id, { key })).body).toMatchObject({ ...made, key, updated_at: expect.any(Number) })
  expect((await update(id, { schedule: null })).body).toMatchObject({ key, schedule: null, nodes: made.nodes })
  expect((await update(id, { status: 'Archived' })).body).toMatchObject({
    key,
    status: 'archived',
    nodes: made.nodes,
    edges: made.edges,
  })
  const nodes = { start: { type: 'trigger', events: ['order.created'], delay_ms: 0 } }
  expect((await update(id, { nodes, edges: [], status: 'active' })).body).toMatchObject({
    status: 'active',
    nodes,
    edges: [],
  })
  expect((await read(id)).body).toMatchObject({ key, status: 'active', nodes, edges: [] })
})

test('A workflow of another store returns 404', async () => {
  const { id } = await workflow(other)
  const answers = [
    await read(id),
    await update(id, { key: 'x' }),
    await remove(id),
    await shop.asOperator('POST', `/workflows/${id}/rotate-secret`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
})

test('Of ten concurrent creations of one key through both processes, one succeeds', async () => {
  const key = unique()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => save(shop, { key }, n % 2 === 0 ? api() : secondApi())),
  )
  expect(answers.map(({ status, body }) => `${status} ${body.errors?.[0].pointer} ${body.code}`).sort()).toEqual([
    '201 undefined undefined',
    ...Array(9).fill('409 /key key_taken'),
  ])
  expect((await save(other, { key })).status).toBe(201)
  const { id } = await workflow(shop)
  expect((await update(id, { key })).body.code).toBe('key_taken')
})

test('A workflow subscribes to its events only while it is active', async () => {
  const nodes = { start: { type: 'trigger', events: ['order.created', 'order.created'] } }
  const { id } = await workflow(shop, { nodes, edges: [] })
  const events = async () => (await rowOf(id)).events
  expect(await events()).toEqual(['order.created'])
  await update(id, { status: 'archived' })
  expect(await events()).toEqual([])
  await update(id, { status: 'active' })
  expect(await events()).toEqual(['order.created'])
  await update(id, { nodes: { start: { type: 'trigger' } } })
  expect(await events()).toEqual([])
  const draft = await workflow(shop, { nodes, edges: [], status: 'draft' })
  expect((await rowOf(draft.id)).events).toEqual([])
})

test('A workflow is deleted with its executions once they are over, and its key is free again', async () => {
  const { id, key, webhook_url } = await workflow(shop)
  const { graph_id } = await rowOf(id)
  await execution({ id, graph_id })
  const open = [await execution({ id, graph_id }, 'running'), await execution({ id, graph_id }, 'pending')]
  const refused = await remove(id)
  expect([refused.status, refused.body.code, refused.body.executions]).toEqual([409, 'executions_running', 2])
  await database().query("update executions set status = 'cancelled' where id = any($1)", [open])
  expect((await remove(id)).body).toEqual({ success: true })
  expect((await database().query('select id from executions where workflow_id = $1', [id])).rows).toEqual([])
  expect(await graphsOf(id)).toEqual([])
  expect([(await remove(id)).status, (await read(id)).status, (await call(webhook_url)).status]).toEqual([
    404, 404, 404,
  ])
  expect((await save(shop, { key })).status).toBe(201)
})

test('A graph is immutable: a change stores a new one, and used graphs stay', async () => {
  const { id } = await workflow(shop)
  const first = (await rowOf(id)).graph_id
  await execution({ id, graph_id: first })
  await update(id, { nodes: { ...small().nodes, shape: { type: 'transform', code: 'return 2' } } })
  const second = (await rowOf(id)).graph_id
  expect(await graphsOf(id)).toEqual([first, second])
  await update(id, { nodes: { ...small().nodes, shape: { type: 'transform', code: 'return 3' } } })
  const third = (await rowOf(id)).graph_id
  expect((await graphsOf(id)).sort()).toEqual([first, third].sort())
  await update(id, { edges: small().edges.map((one) => ({ ...one, back_edge: false })), key: unique() })
  expect((await rowOf(id)).graph_id).toBe(third)
})

test('A graph that is replaced while executions start is kept for them', async () => {
  const { id, webhook_url } = await workflow(shop)
  const codes = Array.from({ length: 10 }, (_, n) => `return ${n}`)
  const [triggered] = await Promise.all([
    Promise.all(Array.from({ length: 40 }, () => call(webhook_url, {}, eitherApi()))),
    (async () => {
      for (const code of codes) await update(id, { nodes: { ...small().nodes, shape: { type: 'transform', code } } })
    })(),
  ])
  expect(triggered.every(({ status }) => status === 201)).toBe(true)
  const { rows } = await database().query(
    'select x.id from executions x where x.workflow_id = $1 and not exists (select 1 from graphs g where g.id = x.graph_id)',
    [id],
  )
  expect(rows).toEqual([])
})

describe('Drafts', () => {
  const half = {
    nodes: { a: { type: 'http' }, b: {}, c: { type: 'loop', items: 5, note: 'later' } },
    edges: [{ source: 'a' }, {}],
  }

  test('A draft may be incomplete, and becomes active only as a valid graph', async () => {
    const { id, nodes, edges } = await workflow(shop, { ...half, status: 'draft' })
    expect([nodes, edges]).toEqual([half.nodes, [{ source: 'a', back_edge: false }, { back_edge: false }]])
    const refused = await update(id, { status: 'active' })
    expect([refused.status, refused.body.code]).toEqual([422, 'workflow_graph_invalid'])
    expect((await read(id)).body).toMatchObject({ status: 'draft', nodes })
    expect((await update(id, { status: 'active', ...small() })).body).toMatchObject({
      status: 'active',
      edges: [{ back_edge: false }],
    })
  })

  test('A draft gets its defaults when it becomes active', async () => {
    const { id } = await workflow(shop, { status: 'draft' })
    expect((await update(id, { status: 'active' })).body.nodes.start).toEqual({
      type: 'trigger',
      delay_ms: 0,
      events: [],
    })
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['an unknown type', { nodes: { a: { type: 'exec' } } }, '/nodes/a/type invalid_value'],
    ['an edge with more fields', { edges: [{ label: 'x' }] }, '/edges/0/label unknown_field'],
    ['an invalid node', { nodes: { a: 1 } }, '/nodes/a invalid_type'],
    ['an invalid schedule', { schedule: 'soon' }, '/schedule schedule_invalid'],
    ['too many bytes', { nodes: { a: { text: 'x'.repeat(262_144) } } }, '/nodes too_big'],
  ])('A draft with %s is refused', async (_, body, fault) => {
    expect(faults(await save(shop, { ...half, ...body, status: 'draft' }))).toEqual([
      422,
      'workflow_graph_invalid',
      fault,
    ])
  })
})

describe('Faults of graphs', () => {
  const none = '0199aaaa-0000-7000-8000-0000000000aa'

  test.each<[string, () => (graph: ValidGraph) => void, string]>([
    [
      'a mailbox that does not exist',
      () => set('mail', { mailbox_id: none }),
      '/nodes/mail/mailbox_id mailbox_unknown',
    ],
    [
      'another store’s template',
      () => set('mail', { template_id: theirs.template_id }),
      '/nodes/mail/template_id template_unknown',
    ],
    [
      'another store’s mailbox',
      () => set('mail', { mailbox_id: theirs.mailbox_id }),
      '/nodes/mail/mailbox_id mailbox_unknown',
    ],
    [
      'another store’s build hook',
      () => set('deploy', { build_hook_id: theirs.build_hook_id }),
      '/nodes/deploy/build_hook_id build_hook_unknown',
    ],
    [
      'another store’s drive',
      () => set('keep', { connection_id: theirs.connection_id }),
      '/nodes/keep/connection_id connection_unknown',
    ],
  ])('An active graph with %s is refused at its node', async (_, change, fault) => {
    const graph = whole()
    change()(graph)
    expect(faults(await save(shop, graph))).toEqual([422, 'workflow_graph_invalid', fault])
  })

  test('All faults of a graph are returned at once with node or edge, and the saved graph stays', async () => {
    const { id, ...before } = await workflow(shop, whole())
    const graph = whole()
    set('get', { url: '', retries: 99 })(graph)
    graph.nodes['a/b'] = { type: 'transform', code: 'return 1' }
    addEdges(edge('gone', 'x', 'get'))(graph)
    const answer = await update(id, { ...graph, schedule: '0 * * * * *' })
    expect(faults(answer)).toEqual([
      422,
      'workflow_graph_invalid',
      '/edges/13/source node_missing',
      '/nodes/a~1b node_id_invalid',
      '/nodes/get/retries too_big',
      '/nodes/get/url invalid_value',
      '/nodes/get/url too_small',
      '/schedule schedule_invalid',
    ])
    const at = (answer.body.errors as EntryText[]).map(({ pointer, node, edge: index }) => [
      pointer.split('/')[2],
      node ?? index,
    ])
    expect(at.filter(([place]) => place !== undefined)).toEqual(
      expect.arrayContaining([
        ['get', 'get'],
        ['a~1b', 'a/b'],
        ['13', 13],
      ]),
    )
    expect((await read(id)).body).toEqual({ id, ...before })
  })

  test('A key can be changed even when the graph’s references are gone', async () => {
    const gone = await named(shop.store_id)
    const graph = whole()
    set('deploy', { build_hook_id: gone.build_hook_id })(graph)
    const { id } = await workflow(shop, graph)
    await database().query('delete from build_hooks where id = $1', [gone.build_hook_id])
    expect((await update(id, { key: unique() })).status).toBe(200)
    expect(faults(await update(id, { status: 'active' }))).toEqual([
      422,
      'workflow_graph_invalid',
      '/nodes/deploy/build_hook_id build_hook_unknown',
    ])
    expect((await update(id, { status: 'archived' })).status).toBe(200)
  })

  test.each([
    ['nodes that are a list', { nodes: [] }, '/nodes'],
    ['invalid edges', { edges: null }, '/edges'],
    ['a schedule that is a number', { schedule: 5 }, '/schedule'],
    ['an invalid status', { status: 'paused' }, '/status'],
    ['no key', { key: '' }, '/key'],
  ])('A workflow with %s is refused as invalid input', async (_, body, pointer) => {
    const answer = await save(shop, body)
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([422, 'invalid_input', pointer])
  })
})

describe('Listing workflows', () => {
  let of: Shop
  const ask = async (search: string) =>
    (await of.asOperator('GET', `/workflows?${search}`, undefined, eitherApi())).body as {
      items: { key: string; id: string }[]
      cursor: string | null
    }
  const keys = async (search: string) => (await ask(search)).items.map(({ key }) => key)
  let ids: string[]
  beforeAll(async () => {
    of = await newShop()
    ids = []
    for (const [key, status] of [
      ['Order paid', 'active'],
      ['order-shipped 100%', 'draft'],
      ['new_member', 'active'],
      ['newXmember', 'archived'],
    ] as const)
      ids.push((await workflow(of, { key, status })).id)
  })

  test('Workflows are listed in full, newest first, page by page', async () => {
    const { items } = await ask('')
    expect(items.map(({ id }) => id)).toEqual(ids.toReversed())
    expect(items[0]).toEqual((await of.asOperator('GET', `/workflows/${ids[3]}`)).body)
    const first = await ask('limit=3&sort_field=key&sort_direction=asc')
    const second = await ask(`limit=3&sort_field=key&sort_direction=asc&cursor=${first.cursor}`)
    expect([first.items.length, second.items.length, second.cursor]).toEqual([3, 1, null])
    expect((await keys('sort_field=createdAt&sort_direction=asc'))[0]).toBe('Order paid')
    expect((await of.asOperator('GET', '/workflows?limit=101')).status).toBe(422)
  })

  test.each([
    ['status=draft', ['order-shipped 100%']],
    ['status=ACTIVE', ['new_member', 'Order paid']],
    ['query=order', ['order-shipped 100%', 'Order paid']],
    ['query=PAID%20ord', ['Order paid']],
    ['query=ship', ['order-shipped 100%']],
    ['query=100%25', ['order-shipped 100%']],
    ['query=%25', ['order-shipped 100%']],
    ['query=w_m', ['new_member']],
    ['query=member&status=archived', ['newXmember']],
    ['query=%5C', []],
  ])('Workflows are listed by %s', async (search, expected) => expect(await keys(search)).toEqual(expected))

  test('Workflows are listed by ids of this store alone', async () => {
    const { id } = await workflow(shop)
    expect((await ask(`ids=${ids[0]},${id}`)).items.map((one) => one.id)).toEqual([ids[0]])
  })
})
