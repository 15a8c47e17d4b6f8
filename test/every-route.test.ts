// Whatever route it is: strangers are refused, other tenants' rows do not exist, and nonsense is told where it is wrong.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Route } from '../api/kit/route.ts'
import { routes as table } from '../api/routes.ts'
import { newId } from '../entities/ids.ts'
import { send as upload } from './kit/files.ts'
import { sampleOf, spoiled } from './kit/samples.ts'
import { api, database, http, newShop, type Operator, operator, type Shop, unique, type Visitor } from './kit/shop.ts'

const routes: readonly Route[] = table
const guarded = routes.filter(({ may }) => may !== 'public' && may !== 'secret')
const storefront = guarded.filter(({ may }) => may === 'visitor' || may === 'verified')
const operators = guarded.filter((route) => !storefront.includes(route))
const ofTenant = operators.filter(({ may }) => may !== 'account' && may !== 'platform')
const withBody = guarded.filter(({ body, unparsed }) => body && !unparsed)
const named = (list: readonly Route[]) => list.map((route): [string, Route] => [route.spec, route])

let mine: Shop
let visitor: Visitor
let theirs: Shop
let theirVisitor: Visitor
let platform: Operator
/** What the path of a route of theirs is filled with, by the word before the parameter. */
const rows: Record<string, string> = {}
/** Resources without a row of theirs to look for; a random id stands for it. It may only become shorter. */
const rowless = ['disputes', 'refunds', 'sessions']
const nobody = '0199aaaa-0000-7000-8000-0000000000bb'

beforeAll(async () => {
  ;[mine, theirs, platform] = await Promise.all([newShop(), newShop(), operator(process.env.SUPER_EMAIL?.split(',')[0])])
  ;[visitor, theirVisitor] = await Promise.all([mine.visitor(), theirs.visitor()])
  const first = async (path: string) => {
    const { body } = await theirs.asOperator('GET', path)
    return (body.items ?? body)[0].id as string
  }
  rows.locations = await first('/locations')
  rows.markets = await first('/markets')
  const variants = [{ requires_shipping: false, prices: ['us', 'eu'].map((market) => ({ market, amount: 1 })) }]
  const product = (await theirs.asOperator('POST', '/products', { key: unique(), variants })).body
  rows.products = product.id
  rows.collections = (await theirs.asOperator('POST', '/collections', { key: unique() })).body.id
  rows.entries = (await theirs.asOperator('POST', '/entries', { collection_id: rows.collections, key: unique() })).body.id
  const discounts = [{ type: 'items_percentage', market_key: 'us', bps: 1000 }]
  rows['promo-codes'] = (await theirs.asOperator('POST', '/promo-codes', { code: unique(), discounts, conditions: [] })).body.id
  const smtp = { host: 'smtp.tillwright.test', port: 465, security: 'tls' }
  rows.mailboxes = (await theirs.asOperator('POST', '/mailboxes', { key: unique(), email: 'shop@tillwright.test', smtp })).body.id
  rows['email-templates'] = (await theirs.asOperator('POST', '/email-templates', { key: unique(), format: 'html', subject: 'Hello', body: 'Hello' })).body.id
  rows.forms = (await theirs.asOperator('POST', '/forms', { key: unique() })).body.id
  rows.submissions = (await theirs.asOperator('POST', `/forms/${rows.forms}/submissions`, { fields: [] })).body.id
  rows.services = (await theirs.asOperator('POST', '/services', { key: unique() })).body.id
  rows.taxonomies = (await theirs.asOperator('POST', '/taxonomies', { key: unique() })).body.id
  rows.providers = (await theirs.asOperator('POST', '/providers', { key: unique() })).body.id
  const link = { service_id: rows.services, provider_id: rows.providers, slot_interval: 60 }
  rows['service-providers'] = (await theirs.asOperator('POST', '/service-providers', link)).body.id
  rows.workflows = (await theirs.asOperator('POST', '/workflows', { key: unique(), nodes: { t: { type: 'trigger' } }, edges: [] })).body.id
  ;[rows.executions, rows.runs] = [newId(), newId()]
  await database().query(
    `with x as (insert into executions (id, tenant_id, created_at, updated_at, workflow_id, graph_id, status, source, input)
       select $1, tenant_id, 1, 1, id, graph_id, 'completed', 'webhook', '{}' from workflows where id = $2 returning id, tenant_id)
     insert into node_runs (id, tenant_id, created_at, updated_at, execution_id, key, node, status, fingerprint)
       select $3, tenant_id, 1, 1, id, 't', 't', 'succeeded', '' from x`,
    [rows.executions, rows.workflows, rows.runs],
  )
  rows['build-hooks'] = (await theirs.asOperator('POST', '/build-hooks', { key: unique(), type: 'custom', url: 'https://hooks.example/x' })).body.id
  const dav = { type: 'webdav', settings: { url: 'https://drive.example' }, credentials: { username: 'u', password: 'p' } }
  rows['workflow-connections'] = (await theirs.asOperator('POST', '/workflow-connections', { key: unique(), ...dav })).body.id
  const hook = {
    key: unique(),
    url: 'https://hooks.example.com/',
    events: [{ event: 'order.created' }],
    headers: {},
    secret: 'signs-every-one',
    enabled: false,
  }
  rows.webhooks = (await theirs.asOperator('POST', '/webhooks', hook)).body.id
  rows.deliveries = newId()
  await database().query(
    `with e as (insert into events (id, tenant_id, created_at, updated_at, type, data) values (gen_random_uuid(), $2, 1, 1, 'order.created', '{}') returning id)
     insert into deliveries (id, tenant_id, created_at, updated_at, webhook_id, event_id, type, status, attempts) select $1, $2, 1, 1, $3, id, 'order.created', 'failed', 8 from e`,
    [rows.deliveries, theirs.store_id, rows.webhooks],
  )
  rows.media = (await upload(theirs, [{ name: 'a.txt', bytes: 'theirs' }])).body.items[0].id
  rows.members = theirs.op.account_id
  rows['api-tokens'] = (await database().query('select id from api_tokens where account_id = $1', [theirs.op.account_id])).rows[0].id
  const fill = async () => {
    const cart = (await theirVisitor.call('POST', '/carts/current')).body.id
    await theirVisitor.call('PUT', `/carts/${cart}`, { product_items: [{ product_id: product.id, variant_id: product.variants[0].id, quantity: 1 }] })
    return cart as string
  }
  rows.orders = (await theirVisitor.call('POST', `/carts/${await fill()}/checkout`, { payment_method_key: 'cash' })).body.order_id
  rows.carts = await fill()
  rows.shipments = newId()
  await database().query("insert into shipments (id, tenant_id, created_at, updated_at, order_id, items) values ($1, $2, 1, 1, $3, '[]')", [
    rows.shipments,
    theirs.store_id,
    rows.orders,
  ])
})

afterAll(async () => database().end())

type Fill = { store: string; row: (resource: string) => string }
const pathOf = (route: Route, { store, row }: Fill) =>
  route.path.replaceAll(
    /([^/]+)\/\{(\w+)\}/g,
    (_, resource: string, name: string) => `${resource}/${name === route.tenantParameter && resource === 'stores' ? store : row(resource)}`,
  )
const fillMine = (): Fill => ({ store: mine.store_id, row: () => nobody })

const credentials = ({ may }: Route): Record<string, string> =>
  may === 'visitor' || may === 'verified' ? visitor.headers : may === 'platform' ? platform.headers : mine.op.headers
const send = (route: Route, path: string, body?: unknown, headers = credentials(route)) =>
  http(route.method, path, { headers, body: route.method === 'GET' ? undefined : body })
const sendText = async (route: Route, text: string) => {
  const headers = { ...credentials(route), 'content-type': 'application/json' }
  const answer = await fetch(`${api()}${pathOf(route, fillMine())}`, { method: route.method, headers, body: text })
  return { status: answer.status, type: answer.headers.get('content-type'), body: (await answer.json()) as { code: string; request_id: string } }
}

describe('a stranger is told that he is one', () => {
  test.each(named(operators))('%s', async (_, route) => {
    for (const headers of [
      {},
      { authorization: 'Bearer twat_0123456789abcdef' },
      { authorization: 'Bearer twk_0123456789abcdef' },
      { authorization: mine.op.token },
    ] as Record<string, string>[]) {
      const { status, headers: answered, body } = await send(route, pathOf(route, fillMine()), sampleOf(route), headers)
      expect([status, body.code, answered.get('www-authenticate')]).toEqual([401, 'unauthorized', 'Bearer'])
    }
  })

  test.each(named(storefront))('%s', async (_, route) => {
    const key = { 'x-service-publishable-key': mine.publishable_key }
    const strangers: Record<string, string>[] = [
      {},
      { 'x-service-publishable-key': 'twpk_nobody' },
      { ...key, 'x-service-visitor-token': 'twv_nobody' },
      { ...key, 'x-service-visitor-token': theirVisitor.token },
      ...(route.contact === 'required' ? [key] : []),
    ]
    for (const headers of strangers) {
      const { status, headers: answered } = await send(route, pathOf(route, fillMine()), sampleOf(route), headers)
      expect([status, answered.get('www-authenticate') !== null]).toEqual([401, true])
    }
  })
})

describe('another tenant’s store does not exist', () => {
  test.each(named(ofTenant))('%s', async (_, route) => {
    const { status, body } = await send(route, pathOf(route, { store: theirs.store_id, row: (resource) => rows[resource] ?? nobody }), sampleOf(route))
    expect([status, body.code]).toEqual([404, 'not_found'])
  })
})

describe('another tenant’s rows do not exist', () => {
  const resourcesOf = (route: Route) =>
    [...route.path.matchAll(/([^/]+)\/\{(\w+)\}/g)].filter(([, resource]) => resource !== 'stores').map(([, resource]) => resource as string)
  const ofRows = guarded.filter((route) => resourcesOf(route).length > 0)

  test.each(named(ofRows))('%s', async (_, route) => {
    const path = pathOf(route, { store: mine.store_id, row: (resource) => rows[resource] ?? nobody })
    const { status, body } = await send(route, path, sampleOf(route))
    expect([status, body.code]).toEqual([404, 'not_found'])
  })

  test('and there are rows to look for', () => {
    const wanted = new Set(ofRows.flatMap(resourcesOf))
    expect([...wanted].filter((resource) => !rows[resource] && !rowless.includes(resource))).toEqual([])
    expect(Object.values(rows).every((id) => /^[0-9a-f-]{36}$/.test(id))).toBe(true)
  })
})

describe('too low a role is not enough', () => {
  test.each(named(ofTenant.filter(({ may }) => may !== 'admin')))('%s', async (_, route) => {
    const admin = await operator()
    await database().query(
      "insert into memberships (id, created_at, updated_at, tenant_id, account_id, role) values (gen_random_uuid(), 1, 1, $1, $2, 'admin')",
      [mine.store_id, admin.account_id],
    )
    const { status, body } = await send(route, pathOf(route, fillMine()), sampleOf(route), admin.headers)
    expect([status, body.code]).toEqual([403, 'forbidden'])
  })

  test('for what belongs to the installation either', async () => {
    for (const route of operators.filter(({ may }) => may === 'platform'))
      expect([route.spec, (await send(route, pathOf(route, fillMine()), sampleOf(route), mine.op.headers)).status]).toEqual([route.spec, 403])
  })
})

describe('a body', () => {
  test.each(named(withBody))('that is not JSON is 400: %s', async (_, route) => {
    for (const text of ['{', '{"a":1,}', 'key=value', '\u0000', '"'.repeat(3)]) {
      const { status, type, body } = await sendText(route, text)
      expect([status, type, body.code, typeof body.request_id]).toEqual([400, 'application/problem+json', 'malformed_json', 'string'])
    }
    expect((await sendText(route, '['.repeat(200))).status).toBe(400)
  })

  test.each(named(withBody))('that is not an object is 422: %s', async (_, route) => {
    for (const body of ['[]', 'null', '1', '"text"']) expect([body, (await sendText(route, body)).status]).toEqual([body, 422])
  })

  test.each(named(withBody))('with a wrong field is 422 and names it: %s', async (_, route) => {
    const wrong = spoiled(route)
    if (!wrong) return expect(Object.keys(route.body?.shape ?? {})).toEqual([])
    const { status, body } = await send(route, pathOf(route, fillMine()), wrong.body)
    expect([status, body.code]).toEqual([422, 'invalid_input'])
    const pointer = `/${wrong.field}`
    expect(body.errors.filter((fault: { pointer: string }) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`))).not.toEqual([])
  })

  test.each(named(withBody))('with a field that is not there is 422, because a typo is never lost: %s', async (_, route) => {
    const { status, body } = await send(route, pathOf(route, fillMine()), { ...sampleOf(route), no_such_field: 1 })
    expect([status, body.errors]).toEqual([422, [{ pointer: '/no_such_field', code: 'unknown_field', detail: expect.any(String) }]])
  })

  test.each(named(withBody.filter(({ parameters }) => parameters.length > 0)))('that contradicts its path is 422: %s', async (_, route) => {
    const name = route.parameters.at(-1) as string
    const field = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (field in (route.body?.shape ?? {}) || route.words.includes(name)) return
    const { status, body } = await send(route, pathOf(route, fillMine()), { ...sampleOf(route), [field]: theirs.store_id })
    expect([status, body.errors[0]]).toMatchObject([422, { pointer: `/${field}`, code: 'differs_from_path' }])
  })
})

describe('a list', () => {
  test.each(named(guarded.filter(({ query }) => query && 'cursor' in query.shape)))('refuses a cursor and a limit that are none: %s', async (_, route) => {
    const path = pathOf(route, { store: mine.store_id, row: () => nobody })
    for (const [search, expected] of [
      ['limit=0', 422],
      ['limit=101', 422],
      ['limit=many', 422],
      ['limit=1&cursor=%00', 422],
      ['limit=1&cursor=nonsense', 400],
    ] as const) {
      const { status } = await send(route, `${path}?${search}`)
      // A child of a row that is not there is not there, whatever is asked of it.
      expect([search, status === 404 ? expected : status]).toEqual([search, expected])
    }
  })
})

describe('nothing is answered with 500', () => {
  const ending = ['DELETE /v1/accounts', 'POST /v1/storefront/account/logout']
  const bodies: unknown[] = [undefined, {}, { id: nobody }, { '': '' }, JSON.parse('{"__proto__": {"id": 1}, "constructor": 1}')]
  const parts = [nobody, 'x', '%00', '%ff', '%2e%2e', "'--", '0199AAAA-0000-7000-8000-0000000000BB', '😀', `${'a'.repeat(3000)}`]
  const searches = [
    '',
    '?limit=1e3&cursor=a&cursor=b&ids=,&query=%27:*|&sort_field=id',
    '?query=%00&locale=%F0%9F%98%80',
    '?created_at_from=-1&created_at_to=99999999999999999999&status=&ids=%27',
  ]

  test.each(named(routes.filter(({ spec }) => !ending.includes(spec))))('%s', async (_, route) => {
    const statuses: [number, string][] = []
    const ask = async (path: string, body?: unknown) => statuses.push([(await send(route, path, body)).status, path])
    for (const part of parts) await ask(pathOf(route, { store: mine.store_id, row: () => part }), sampleOf(route))
    for (const part of parts) await ask(pathOf(route, { store: part, row: () => nobody }), sampleOf(route))
    for (const search of searches) await ask(`${pathOf(route, fillMine())}${search}`, sampleOf(route))
    for (const body of bodies) await ask(pathOf(route, fillMine()), body)
    expect(statuses.filter(([status]) => status === 500)).toEqual([])
  })
})
