// Integrations: secrets are sealed and never returned, and of a payment, shipping or analytics provider exactly one is
// active.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { api, database, eitherApi, http, newShop, operator, type Shop, secondApi, unique } from '../kit/shop.ts'

type Business = { id: string; publishableKey: string }
let shop: Shop
let business: Business
let at: string
const other = async (): Promise<Business> => {
  const body = { key: `salon-${unique()}`, timezone: 'UTC', billingEmail: 'bills@tillwright.test' }
  return (await http('POST', '/v1/businesses', { headers: shop.op.headers, body })).body
}
beforeAll(async () => {
  shop = await newShop()
  business = await other()
  at = `/v1/businesses/${business.id}/integrations`
})
afterAll(async () => database().end())

type Body = Record<string, unknown>
const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: Body, base?: string) =>
  http(method, path, { headers: shop.op.headers, body, base })
const add = (provider: Body, key = unique(), base?: string) => ask('POST', at, { key, provider }, base)
const change = (id: string, provider: Body, base?: string) => ask('PUT', `${at}/${id}`, { provider }, base)
const read = async (id: string) => (await ask('GET', `${at}/${id}`)).body
const faults = ({ status, body }: { status: number; body: { errors?: { pointer: string; code: string }[] } }) => [
  status,
  ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`),
]
const stored = async (id: string): Promise<string> =>
  (await database().query('select row_to_json(i)::text as row from integrations i where id = $1', [id])).rows[0].row

test('Secrets are sealed, redacted on both surfaces, and kept when they are left out', async () => {
  const provider = { type: 'card_payment', secretKey: 'sk_live_canary', publishableKey: 'pk_live_1', currency: 'eur' }
  const made = await add(provider, 'till')
  const shown = {
    type: 'card_payment',
    secretKey: '__redacted__',
    publishableKey: 'pk_live_1',
    currency: 'EUR',
    activeForCardPayments: false,
  }
  const { id, createdAt, updatedAt } = made.body
  const record = { id, key: 'till', type: 'card_payment', category: 'payment', provider: shown, createdAt, updatedAt }
  expect([made.status, made.body]).toEqual([201, record])
  expect(await read(id)).toEqual(record)
  expect((await ask('GET', at)).body.items).toEqual([record])
  expect(await stored(id)).not.toContain('canary')

  expect((await change(id, { publishableKey: 'pk_live_2', webhookSecret: 'whsec_canary' })).body.provider).toEqual({
    ...shown,
    publishableKey: 'pk_live_2',
    webhookSecret: '__redacted__',
  })
  expect((await change(id, { publishableKey: null, webhookSecret: null })).body.provider).toEqual({
    ...shown,
    publishableKey: undefined,
  })
  expect(faults(await change(id, { secretKey: '__redacted__' }))).toEqual([422, '/provider/secretKey redacted_value'])
  expect(faults(await change(id, { secretKey: null }))).toEqual([422, '/provider/secretKey required'])
  expect(await stored(id)).not.toContain('canary')

  const made2 = await shop.asOperator('POST', '/integrations', {
    key: 'till',
    provider: { type: 'card_payment', secret_key: 'sk_live_canary' },
  })
  expect([made2.status, made2.body.provider]).toEqual([
    201,
    { type: 'card_payment', secret_key: '__redacted__', active_for_card_payments: false },
  ])
})

test.each<[string, Body, string[]]>([
  [
    'a field of another type',
    { type: 'email_a', apiKey: 'k', baseUrl: 'https://api.test' },
    ['/provider/baseUrl unsupported_field'],
  ],
  ['no secret', { type: 'identity_oauth', clientId: 'me' }, ['/provider/clientSecret required']],
  ['null for a required field', { type: 'llm_a', apiKey: 'k', model: null }, ['/provider/model required']],
  ['a type that is no name', { type: 'Some Thing', apiKey: 'k' }, ['/provider/type invalid_format']],
  ['a drive', { type: 's3', apiKey: 'k' }, ['/provider/type invalid_value']],
  ['no type', { apiKey: 'k' }, ['/provider/type required']],
  ['a secret with a line break', { type: 'email_a', apiKey: 'a\nb' }, ['/provider/apiKey invalid_format']],
  ['a deploy hook without http', { type: 'custom_deploy_hook', url: 'ftp://x' }, ['/provider/url invalid_value']],
  [
    'an unknown currency',
    { type: 'card_payment', secretKey: 'k', currency: 'XXQ' },
    ['/provider/currency invalid_value'],
  ],
])('An integration with %s is refused with its pointer', async (_, provider, expected) => {
  expect(faults(await add(provider))).toEqual([422, ...expected])
})

test('Every type of the document has its category; an unknown one has an API key', async () => {
  const providers: [Body, string][] = [
    [{ type: 'shipping_provider', apiToken: 't' }, 'shipping'],
    [{ type: 'identity_oauth', clientId: 'c', clientSecret: 's', scopes: ['email'] }, 'oauth'],
    [{ type: 'analytics_4', measurementId: 'G-1' }, 'analytics'],
    [{ type: 'chat_bot', botToken: 't', action: 'agent' }, 'channel'],
    [{ type: 'llm_b', apiKey: 'k', model: 'm' }, 'ai'],
    [{ type: 'email_b', apiKey: 'k' }, 'email'],
    [{ type: 'messaging_c', apiKey: 'k' }, 'messaging'],
    [{ type: 'host_b_deploy_hook', url: 'https://host.example/hook' }, 'deploy'],
    [{ type: 'newsletter_tool', apiKey: 'k' }, 'other'],
  ]
  for (const [provider, category] of providers) {
    const { status, body } = await add(provider)
    expect([provider.type, status, body.category, body.type]).toEqual([provider.type, 201, category, provider.type])
    const listed = (await ask('GET', `${at}?category=${category}&type=${provider.type}`)).body.items
    expect(listed.map(({ id }: Business) => id)).toEqual([body.id])
  }
  expect((await ask('GET', `${at}?sortField=key&sortDirection=asc&limit=100`)).body.items).toHaveLength(
    providers.length + 1,
  )
})

test('A secret is sent only to the address that it was entered for', async () => {
  const { id } = (await add({ type: 'llm_a', apiKey: 'k', model: 'm' })).body
  expect(faults(await change(id, { baseUrl: 'https://stranger.example' }))).toEqual([422, '/provider/apiKey required'])
  expect((await read(id)).provider).toEqual({ type: 'llm_a', apiKey: '__redacted__', model: 'm' })
  expect((await change(id, { baseUrl: 'https://own.example', apiKey: 'k2' })).body.provider.baseUrl).toBe(
    'https://own.example',
  )
  expect((await change(id, { baseUrl: 'https://own.example', model: 'n' })).body.provider.model).toBe('n')
  expect(faults(await change(id, { baseUrl: null }))).toEqual([422, '/provider/apiKey required'])
  expect(faults(await change(id, { type: 'llm_b' }))).toEqual([422, '/provider/type cannot_change'])
})

test('Of twenty integrations that become active at once, exactly one is', async () => {
  const activeOf = async () =>
    (await ask('GET', `${at}?category=analytics&limit=100`)).body.items.filter(
      ({ provider }: { provider: Body }) => provider.activeForTracking,
    )
  const body = (n: number) => ({ type: 'analytics_4', measurementId: `G-${n}`, activeForTracking: true })
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) => add(body(n), undefined, n % 2 === 0 ? api() : secondApi())),
  )
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
  expect(await activeOf()).toHaveLength(1)

  const changed = await Promise.all(
    made.map(({ body: { id } }) => change(id, { activeForTracking: true }, eitherApi())),
  )
  expect(changed.map(({ status }) => status)).toEqual(changed.map(() => 200))
  const [active, ...others] = await activeOf()
  expect(others).toEqual([])
  const { rows } = await database().query(
    `select count(*)::int as count from integrations where tenant_id = $1 and category = 'analytics' and active`,
    [business.id],
  )
  expect(rows).toEqual([{ count: 1 }])
  await change(active.id, { activeForTracking: false })
  expect(await activeOf()).toEqual([])
})

test('Storefronts and operators read the public fields of the active integration only', async () => {
  const { id, publishableKey } = await other()
  const path = `/v1/businesses/${id}/integrations`
  const config = (type: string, headers: Record<string, string> = { 'x-service-publishable-key': publishableKey }) =>
    http('GET', `${path}/config/${type}`, { headers })
  const provider = {
    type: 'card_payment',
    secretKey: 'sk_live_canary',
    publishableKey: 'pk_live_1',
    activeForCardPayments: false,
  }
  const made = (await ask('POST', path, { key: 'till', provider })).body
  expect((await config('payment')).status).toBe(404)
  await ask('PUT', `${path}/${made.id}`, { provider: { webhookSecret: 'whsec_canary', activeForCardPayments: true } })
  const shown = { type: 'card_payment', publishableKey: 'pk_live_1', activeForCardPayments: true }
  for (const headers of [undefined, shop.op.headers]) {
    const { status, body } = await config('payment', headers)
    expect([status, body]).toEqual([
      200,
      { id: made.id, key: 'till', type: 'card_payment', category: 'payment', provider: shown },
    ])
  }
  for (const type of ['shipping', 'analytics', 'ai', 'drive'])
    expect([type, (await config(type)).status]).toEqual([type, 404])
  expect((await config('payment', { 'x-service-publishable-key': business.publishableKey })).status).toBe(404)
  expect((await config('payment', (await operator()).headers)).status).toBe(404)
  expect((await config('payment', {})).status).toBe(401)
})

test('Drives are no integrations here, and integrations no drives; keys are unique over both', async () => {
  const drive = {
    type: 'webdav',
    settings: { url: 'https://drive.example' },
    credentials: { username: 'u', password: 'p' },
  }
  const dav = (await shop.asOperator('POST', '/workflow-connections', { key: 'dav', ...drive })).body.id
  const mail = (
    await shop.asOperator('POST', '/integrations', { key: 'mail', provider: { type: 'email_a', api_key: 'k' } })
  ).body.id
  const keys = async (path: string) =>
    (await shop.asOperator('GET', path)).body.items.map(({ key }: { key: string }) => key)
  expect([await keys('/workflow-connections'), await keys('/integrations?type=email_a')]).toEqual([['dav'], ['mail']])
  for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
    expect((await shop.asOperator(method, `/integrations/${dav}`, body)).status).toBe(404)
    expect((await shop.asOperator(method, `/workflow-connections/${mail}`, body)).status).toBe(404)
  }
  const taken = { status: 409, body: { code: 'key_taken' } }
  expect(
    await shop.asOperator('POST', '/integrations', { key: 'dav', provider: { type: 'email_a', api_key: 'k' } }),
  ).toMatchObject(taken)
  expect(await shop.asOperator('PUT', `/integrations/${mail}`, { key: 'dav' })).toMatchObject(taken)
  const upload = { type: 'drive_upload', connection_id: mail, file_name: 'a', content: 'a' }
  const nodes = { start: { type: 'trigger' }, keep: upload }
  const edges = [{ source: 'start', target: 'keep', output: 'default' }]
  expect(faults(await shop.asOperator('POST', '/workflows', { key: unique(), nodes, edges }))).toEqual([
    422,
    '/nodes/keep/connection_id connection_unknown',
  ])
  expect((await shop.asOperator('DELETE', `/integrations/${mail}`)).body).toEqual({ success: true })
  expect((await shop.asOperator('GET', `/integrations/${mail}`)).status).toBe(404)
})
