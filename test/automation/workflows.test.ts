// An active workflow can run to its end: faults are returned at their node or edge, and running executions keep their graph.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { call, edge, save, small, workflow } from '../kit/automations.ts'
import { api, database, eitherApi, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

let shop: Shop
let other: Shop
/** A row of each kind that a node can name. */
type Named = { mailbox_id: string; template_id: string; build_hook_id: string; connection_id: string }
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
  mailbox_id: await insert('mailboxes', { tenant_id, email: 'a@tillwright.test', smtp_host: 'localhost', smtp_port: 25, smtp_security: 'none' }),
  template_id: await insert('email_templates', { tenant_id, subject: 'x', body: 'x' }),
  build_hook_id: await insert('build_hooks', { tenant_id, type: 'custom', url: encrypt('http://localhost/'), headers: encrypt('{}') }),
  connection_id: await insert('integrations', { tenant_id, type: 'webdav', settings: '{}', credentials: encrypt('{}') }),
})

beforeAll(async () => {
  ;[shop, other] = await Promise.all([newShop(), newShop()])
  ;[mine, theirs] = await Promise.all([named(shop.store_id), named(other.store_id)])
})
afterAll(() => database().end())

const read = (id: string, base = eitherApi()) => shop.asOperator('GET', `/workflows/${id}`, undefined, base)
const update = (id: string, body: unknown) => shop.asOperator('PUT', `/workflows/${id}`, body)
const remove = (id: string) => shop.asOperator('DELETE', `/workflows/${id}`)
type Told = { pointer: string; code: string; node?: string; edge?: number }
const faults = ({ status, body }: { status: number; body: { code: string; errors: Told[] } }) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).sort(),
]
const graphsOf = async (id: string) =>
  (await database().query('select id from graphs where workflow_id = $1 order by created_at, id', [id])).rows.map((row) => row.id as string)
const rowOf = async (id: string) => (await database().query('select * from workflows where id = $1', [id])).rows[0]
const execution = (of: { id: string; graph_id: string }, status = 'completed') =>
  database()
    .query(
      `insert into executions (id, tenant_id, created_at, updated_at, workflow_id, graph_id, status, source, input, step)
       values ($1, $2, 1, 1, $3, $4, $5, 'webhook', '{}', 0) returning id`,
      [newId(), shop.store_id, of.id, of.graph_id, status],
    )
    .then(({ rows }) => rows[0].id as string)

/** One node of each type, a branch, a join, a loop in a loop: everything that is allowed. */
const whole = () => ({
  nodes: {
    start: { type: 'trigger', delay_ms: 1000, events: ['order.created', 'form_submission.created'] },
    get: { type: 'http', method: 'GET', url: 'https://example.com/users/{{input.trigger.id}}', headers: { 'X-Id': '{{input.start.id}}' }, retries: 3 },
    choose: { type: 'switch', rules: [{ condition: '{{input.get.status}} === 200' }, { condition: 'input.get.status === 404' }] },
    mail: { type: 'send_email', mailbox_id: mine.mailbox_id, template_id: mine.template_id, to: '{{nodes.get.output.body.email}}' },
    orders: { type: 'loop', items: '{{nodes.get.output.body.orders}}' },
    lines: { type: 'loop', items: 'input.orders.item.lines' },
    post: { type: 'http', method: 'post', url: 'https://example.com/lines', body: { line: '{{input.lines.item}}', list: ['{{nodes.orders.output.index}}'] } },
    keep: { type: 'drive_upload', connection_id: mine.connection_id, file_name: 'lines.json', content: '{{input.lines}}' },
    shape: { type: 'transform', code: 'return { n: input.start.n + 1 }' },
    deploy: { type: 'deploy_webhook', build_hook_id: mine.build_hook_id, delay_ms: 5000 },
  } as Record<string, Record<string, unknown>>,
  edges: [
    edge('start', 'default', 'get'),
    edge('start', 'default', 'shape'),
    edge('get', 'success', 'choose'),
    edge('choose', 'rule_0', 'mail'),
    edge('choose', 'fallback', 'orders'),
    edge('orders', 'each', 'lines'),
    edge('lines', 'each', 'post'),
    edge('post', 'success', 'lines', true),
    edge('lines', 'done', 'keep'),
    edge('keep', 'success', 'orders', true),
    edge('keep', 'error', 'orders', true),
    edge('orders', 'done', 'deploy'),
    edge('mail', 'success', 'deploy'),
  ] as unknown[],
  schedule: '*/15 6-22 * * mon-fri' as unknown,
})

test('A workflow is read with all defaults and its webhook URL, and can be sent back', async () => {
  const key = `Welcome ${unique()}`
  const { status, body } = await save(shop, { key, ...whole() })
  expect([status, Object.keys(body).sort()]).toEqual([201, ['created_at', 'edges', 'id', 'key', 'nodes', 'schedule', 'status', 'updated_at', 'webhook_url']])
  expect(body).toMatchObject({ key, status: 'active', schedule: '*/15 6-22 * * mon-fri' })
  expect(body.webhook_url).toMatch(/^https?:\/\/[^/]+\/v1\/workflows\/trigger\/till_wh_[\w-]{43}$/)
  expect(body.nodes.post).toMatchObject({ method: 'post', timeout_ms: 30_000, delay_ms: 0, retries: 0, retry_delay_ms: 0, headers: {} })
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
  expect((await update(id, { status: 'Archived' })).body).toMatchObject({ key, status: 'archived', nodes: made.nodes, edges: made.edges })
  const nodes = { start: { type: 'trigger', events: ['order.created'], delay_ms: 0 } }
  expect((await update(id, { nodes, edges: [], status: 'active' })).body).toMatchObject({ status: 'active', nodes, edges: [] })
  expect((await read(id)).body).toMatchObject({ key, status: 'active', nodes, edges: [] })
})

test('A workflow of another store returns 404', async () => {
  const { id } = await workflow(other)
  const answers = [await read(id), await update(id, { key: 'x' }), await remove(id), await shop.asOperator('POST', `/workflows/${id}/rotate-secret`)]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
})

test('Of ten concurrent creations of one key through both processes, one succeeds', async () => {
  const key = unique()
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => save(shop, { key }, n % 2 === 0 ? api() : secondApi())))
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
  expect([(await remove(id)).status, (await read(id)).status, (await call(webhook_url)).status]).toEqual([404, 404, 404])
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
  const half = { nodes: { a: { type: 'http' }, b: {}, c: { type: 'loop', items: 5, note: 'later' } }, edges: [{ source: 'a' }, {}] }

  test('A draft may be incomplete, and becomes active only as a valid graph', async () => {
    const { id, nodes, edges } = await workflow(shop, { ...half, status: 'draft' })
    expect([nodes, edges]).toEqual([half.nodes, [{ source: 'a', back_edge: false }, { back_edge: false }]])
    const refused = await update(id, { status: 'active' })
    expect([refused.status, refused.body.code]).toEqual([422, 'workflow_graph_invalid'])
    expect((await read(id)).body).toMatchObject({ status: 'draft', nodes })
    expect((await update(id, { status: 'active', ...small() })).body).toMatchObject({ status: 'active', edges: [{ back_edge: false }] })
  })

  test('A draft gets its defaults when it becomes active', async () => {
    const { id } = await workflow(shop, { status: 'draft' })
    expect((await update(id, { status: 'active' })).body.nodes.start).toEqual({ type: 'trigger', delay_ms: 0, events: [] })
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['a type that is none', { nodes: { a: { type: 'exec' } } }, '/nodes/a/type invalid_value'],
    ['an edge with more fields', { edges: [{ label: 'x' }] }, '/edges/0/label unknown_field'],
    ['a node that is none', { nodes: { a: 1 } }, '/nodes/a invalid_type'],
    ['a schedule that is none', { schedule: 'soon' }, '/schedule schedule_invalid'],
    ['too many bytes', { nodes: { a: { text: 'x'.repeat(262_144) } } }, '/nodes too_big'],
  ])('A draft with %s is refused', async (_, body, fault) => {
    expect(faults(await save(shop, { ...half, ...body, status: 'draft' }))).toEqual([422, 'workflow_graph_invalid', fault])
  })
})

describe('Faults of graphs', () => {
  type Whole = ReturnType<typeof whole>
  const set = (id: string, fields: Record<string, unknown>) => (graph: Whole) => void Object.assign(graph.nodes[id] ?? {}, fields)
  const without = (id: string, field: string) => (graph: Whole) => void delete graph.nodes[id]?.[field]
  const edges =
    (...more: unknown[]) =>
    (graph: Whole) =>
      void graph.edges.push(...more)
  const code = { type: 'transform', code: 'return 1' }
  const add =
    (id: string, node: unknown, ...more: unknown[]) =>
    (graph: Whole) => {
      Object.defineProperty(graph.nodes, id, { value: node, enumerable: true, configurable: true })
      graph.edges.push(...more)
    }
  const back = (at: number, back_edge: boolean) => (graph: Whole) => void Object.assign(graph.edges[at] as object, { back_edge })
  const none = '0199aaaa-0000-7000-8000-0000000000aa'

  test.each<[string, (graph: Whole) => unknown, ...string[]]>([
    ['no trigger', (graph) => delete graph.nodes.start && graph.edges.splice(0, 2), '/nodes trigger_missing'],
    ['two triggers', add('again', { type: 'trigger' }), '/nodes/again/type trigger_duplicate'],
    ['too many nodes', (graph) => Array.from({ length: 200 }, (_, n) => add(`n${n}`, code)(graph)), '/nodes too_big'],
    ['too many edges', edges(...Array(1000).fill(edge('start', 'default', 'get'))), '/edges too_big'],
    ['too many bytes', set('post', { body: 'é'.repeat(131_072) }), '/nodes too_big'],
    ['a schedule of six fields', (graph) => Object.assign(graph, { schedule: '0 * * * * *' }), '/schedule schedule_invalid'],
    ['an id with a slash', add('a/b', code), '/nodes/a~1b node_id_invalid'],
    ['an id too long', add('x'.repeat(65), code), `/nodes/${'x'.repeat(65)} node_id_invalid`],
    ['an empty id', add('', code), '/nodes/ node_id_invalid'],
    ['an id that every object has', add('toString', code), '/nodes/toString node_id_reserved'],
    ['a node called trigger that is none', add('trigger', code), '/nodes/trigger node_id_reserved'],
    ['a node that is none', add('x', null), '/nodes/x invalid_type'],
    ['a node without a type', add('x', {}), '/nodes/x/type required'],
    ['an unknown type', add('x', { type: 'exec' }), '/nodes/x/type unknown_type'],
    ['an unknown field', set('get', { verify: false }), '/nodes/get/verify unknown_field'],
    ['a method that is none', set('get', { method: 'trace' }), '/nodes/get/method invalid_value'],
    ['no url', without('get', 'url'), '/nodes/get/url required'],
    ['a url that is relative', set('get', { url: '/users' }), '/nodes/get/url invalid_value'],
    ['a url of another scheme', set('get', { url: 'file:///etc/passwd' }), '/nodes/get/url invalid_value'],
    ['a header that is two', set('get', { headers: { a: 'b\r\nc: d' } }), '/nodes/get/headers/a invalid_format'],
    ['a header of the connection', set('get', { headers: { Host: 'x' } }), '/nodes/get/headers/Host invalid_key'],
    ['a timeout too long', set('get', { timeout_ms: 120_001 }), '/nodes/get/timeout_ms too_big'],
    ['too many retries', set('get', { retries: 11 }), '/nodes/get/retries too_big'],
    ['a negative delay', set('deploy', { delay_ms: -1 }), '/nodes/deploy/delay_ms too_small'],
    ['a delay that is half', set('start', { delay_ms: 0.5 }), '/nodes/start/delay_ms invalid_type'],
    ['an unknown event', set('start', { events: ['order.created', 'order.eaten'] }), '/nodes/start/events/1 invalid_value'],
    ['a mailbox that is no id', set('mail', { mailbox_id: 'main' }), '/nodes/mail/mailbox_id invalid_format'],
    ['a template instead of an id', set('mail', { template_id: '{{input.choose}}' }), '/nodes/mail/template_id invalid_format'],
    ['an address that is none', set('mail', { to: 'ada at example' }), '/nodes/mail/to invalid_value'],
    ['no build hook', without('deploy', 'build_hook_id'), '/nodes/deploy/build_hook_id required'],
    ['no file name', set('keep', { file_name: '' }), '/nodes/keep/file_name too_small'],
    ['a switch without rules', set('choose', { rules: [] }), '/nodes/choose/rules too_small'],
    ['a transform without code', set('shape', { code: null }), '/nodes/shape/code invalid_type'],
    ['a loop over nothing', without('lines', 'items'), '/nodes/lines/items required'],
    ['values too deep', set('post', { body: JSON.parse('['.repeat(40) + ']'.repeat(40)) }), '/nodes/post too_deep'],
    ['an edge that is none', edges('start'), '/edges/13 invalid_type'],
    ['an edge without an output', edges({ source: 'start', target: 'get' }), '/edges/13/output required'],
    ['an edge with more fields', edges({ ...edge('start', 'default', 'mail'), label: 'x' }), '/edges/13/label unknown_field'],
    ['an edge from nowhere', edges(edge('gone', 'success', 'mail')), '/edges/13/source node_missing'],
    ['an edge to nowhere', edges(edge('start', 'default', 'gone')), '/edges/13/target node_missing'],
    ['an output of another type', edges(edge('start', 'success', 'mail')), '/edges/13/output output_unknown'],
    ['a rule that the switch has not', edges(edge('choose', 'rule_2', 'mail')), '/edges/13/output output_unknown'],
    ['an edge into the trigger', edges(edge('mail', 'success', 'start')), '/edges/13/target edge_into_trigger'],
    ['an edge twice', edges(edge('start', 'default', 'get')), '/edges/13 duplicate'],
    ['a back edge to what is no loop', edges(edge('mail', 'error', 'get', true)), '/edges/13/target back_edge_target'],
    ['a circle', edges(edge('mail', 'error', 'get')), '/edges/13 cycle'],
    ['a way back that is no back edge', back(7, false), '/edges/7 cycle'],
    ['a back edge from outside', edges(edge('mail', 'error', 'orders', true)), '/edges/13/source back_edge_source'],
    ['an edge out of a body', edges(edge('post', 'error', 'keep')), '/edges/13 edge_leaves_body'],
    ['a loop without a body', (graph) => graph.edges.splice(6, 2), '/nodes/lines loop_not_entered', '/nodes/post node_unreachable'],
    ['a loop that is not closed', (graph) => graph.edges.splice(7, 1), '/nodes/lines loop_not_closed'],
    ['a node that nothing leads to', add('x', code), '/nodes/x node_unreachable'],
    ['a template that is none', set('get', { url: 'https://x/{{id}}' }), '/nodes/get/url template_malformed'],
    ['a template of no node', set('keep', { content: '{{nodes.gone.output}}' }), '/nodes/keep/content template_node'],
    ['the input of what does not lead here', set('mail', { to: '{{input.get.body.email}}' }), '/nodes/mail/to template_source'],
    ['the output of what comes after', set('get', { url: 'https://x/{{nodes.deploy.output.id}}' }), '/nodes/get/url template_order'],
    ['the output of a body, from outside', set('keep', { folder: '{{nodes.post.output.status}}' }), '/nodes/keep/folder template_order'],
    ['a mailbox that is not there', set('mail', { mailbox_id: none }), '/nodes/mail/mailbox_id mailbox_unknown'],
    ['an e-mail template of another store', (graph) => set('mail', { template_id: theirs.template_id })(graph), '/nodes/mail/template_id template_unknown'],
    ['another store’s mailbox', (graph) => set('mail', { mailbox_id: theirs.mailbox_id })(graph), '/nodes/mail/mailbox_id mailbox_unknown'],
    ['another store’s build hook', (graph) => set('deploy', { build_hook_id: theirs.build_hook_id })(graph), '/nodes/deploy/build_hook_id build_hook_unknown'],
    ['another store’s drive', (graph) => set('keep', { connection_id: theirs.connection_id })(graph), '/nodes/keep/connection_id connection_unknown'],
  ])('An active graph is refused for %s, at its node or edge', async (_, change, ...expected) => {
    const graph = whole()
    change(graph)
    const answer = await save(shop, graph)
    expect(faults(answer)).toEqual([422, 'workflow_graph_invalid', ...expected.sort()])
    for (const { pointer, node, edge: index } of answer.body.errors as Told[]) {
      const [, field, place] = pointer.split('/')
      if (place !== undefined) expect(field === 'nodes' ? node?.replaceAll('/', '~1') : String(index)).toBe(place)
    }
  })

  test('All faults of a graph are returned at once, and the saved graph stays', async () => {
    const { id, ...before } = await workflow(shop, whole())
    const graph = whole()
    set('get', { url: '', retries: 99 })(graph)
    edges(edge('gone', 'x', 'get'))(graph)
    expect(faults(await update(id, graph))).toEqual([
      422,
      'workflow_graph_invalid',
      '/edges/13/source node_missing',
      '/nodes/get/retries too_big',
      '/nodes/get/url invalid_value',
      '/nodes/get/url too_small',
    ])
    expect((await read(id)).body).toEqual({ id, ...before })
  })

  test('A key can be changed even when the graph’s references are gone', async () => {
    const gone = await named(shop.store_id)
    const graph = whole()
    set('deploy', { build_hook_id: gone.build_hook_id })(graph)
    const { id } = await workflow(shop, graph)
    await database().query('delete from build_hooks where id = $1', [gone.build_hook_id])
    expect((await update(id, { key: unique() })).status).toBe(200)
    expect(faults(await update(id, { status: 'active' }))).toEqual([422, 'workflow_graph_invalid', '/nodes/deploy/build_hook_id build_hook_unknown'])
    expect((await update(id, { status: 'archived' })).status).toBe(200)
  })

  test.each([
    ['nodes that are a list', { nodes: [] }, '/nodes'],
    ['edges that are none', { edges: null }, '/edges'],
    ['a schedule that is no text', { schedule: 5 }, '/schedule'],
    ['a status that is none', { status: 'paused' }, '/status'],
    ['no key', { key: '' }, '/key'],
  ])('A workflow with %s is refused as invalid input', async (_, body, pointer) => {
    const answer = await save(shop, body)
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([422, 'invalid_input', pointer])
  })
})

describe('Listing workflows', () => {
  let of: Shop
  const ask = async (search: string) =>
    (await of.asOperator('GET', `/workflows?${search}`, undefined, eitherApi())).body as { items: { key: string; id: string }[]; cursor: string | null }
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
