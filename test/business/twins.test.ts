// A business has what a store has: every twin answers what its store's route answers, spelled by the business surface.
import fs from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { businessTwins } from '../../api/business/shared.ts'
import type { Route } from '../../api/kit/route.ts'
import { everyRow } from '../kit/effects/every-row.ts'
import { database, http, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let rows: Record<string, string>
beforeAll(async () => {
  shop = await newShop()
  rows = await everyRow(shop, await shop.visitor())
})
afterAll(async () => database().end())

const become = (kind: 'store' | 'business') =>
  database().query('update tenants set kind = $2 where id = $1', [shop.store_id, kind])

/** Without separators and case: all that the surfaces may differ by in names and words. */
const plain = (text: string) => text.replaceAll('_', '').toLowerCase()
const spelledAlike = (value: unknown): unknown => {
  if (typeof value === 'string') return plain(value)
  if (Array.isArray(value)) return value.map(spelledAlike)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [plain(key), spelledAlike(one)]))
}
/** An answer names routes of its own surface, and what the tenant is. */
const onOlder = (answer: Record<string, unknown>): unknown =>
  JSON.parse(
    JSON.stringify(answer)
      .replaceAll(`/v1/stores/${shop.store_id}`, `/v1/businesses/${shop.store_id}`)
      .replaceAll('"kind":"store"', '"kind":"business"'),
  )
/** Names of the answer's fields; those below are keys that callers chose. */
const chosen = new Set([
  'settings',
  'headers',
  'value',
  'properties',
  'data',
  'name',
  'description',
  'slug',
  'discounts',
  'conditions',
])
function* namesIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* namesIn(one)
  else if (value !== null && typeof value === 'object')
    for (const [key, one] of Object.entries(value)) {
      yield key
      if (!chosen.has(key)) yield* namesIn(one)
    }
}

const reads = businessTwins.filter(({ method }) => method === 'GET')
const pathOf = ({ path }: Route, own: string) =>
  path
    .replace('/v1/businesses/{businessId}', own)
    .replaceAll(/([^/]+)\/\{\w+\}/g, (_, resource: string) => `${resource}/${rows[resource]}`)
const required = ({ query }: Route) => {
  const shape = query?.shape ?? {}
  const subject = 'subject' in shape ? `&subject=order:${rows.orders}` : ''
  return 'limit' in shape ? `?limit=100${subject}` : ''
}

test('Every read of a business answers what the store’s answers, in camelCase', async () => {
  expect(reads.length).toBeGreaterThan(30)
  const ask = async (base: string) =>
    Promise.all(
      reads.map(async (route) => ({
        route,
        ...(await http('GET', `${pathOf(route, base)}${required(route)}`, { headers: shop.op.headers })),
      })),
    )
  const before = await ask(`/v1/stores/${shop.store_id}`)
  await become('business')
  const after = await ask(`/v1/businesses/${shop.store_id}`)
  for (const [at, { route, status, body }] of after.entries()) {
    // The body of an event has a shape of its own on each surface.
    const { request_id: _, cursor: __, event: ___, ...answer } = body
    const { request_id: ____, cursor: _____, event: ______, ...expected } = before[at]?.body ?? {}
    expect([route.spec, status]).toEqual([route.spec, before[at]?.status])
    // What is missing is mended by routes of the surface.
    if (status !== 200 || route.path.endsWith('/readiness')) continue
    expect([route.spec, spelledAlike(answer)]).toEqual([route.spec, spelledAlike(onOlder(expected))])
    expect([route.spec, [...namesIn(body)].filter((name) => name.includes('_'))]).toEqual([route.spec, []])
  }
  // Those without a row of this test.
  expect(after.filter(({ status }) => status !== 200).map(({ route }) => route.path.split('/').at(-2))).toEqual([
    'refunds',
    'attention',
  ])
  await become('store')
})

test('The address in settings is spelled in the document as it is accepted', async () => {
  const components = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8')).components
    .schemas
  for (const body of ['CreateBusinessBody', 'UpdateBusinessBody']) {
    const name = components[body].properties.settings.properties.address.$ref.split('/').at(-1)
    const settings = {
      address: Object.fromEntries(Object.keys(components[name].properties).map((field) => [field, null])),
    }
    const sent = {
      key: `salon-${unique()}`,
      timezone: 'Europe/Berlin',
      billingEmail: 'bills@tillwright.test',
      settings,
    }
    expect((await http('POST', '/v1/businesses', { headers: shop.op.headers, body: sent })).body).toMatchObject({
      settings,
    })
  }
})

test('A business is created with its markets, read, listed, changed and spelled', async () => {
  const { headers } = shop.op
  const key = `salon-${unique()}`
  const made = await http('POST', '/v1/businesses', {
    headers,
    body: { key, timezone: 'Europe/Berlin', billingEmail: 'bills@tillwright.test' },
  })
  expect([made.status, made.body]).toEqual([
    201,
    {
      ...{
        id: expect.any(String),
        key,
        timezone: 'Europe/Berlin',
        languages: [{ id: 'en' }],
        status: 'ACTIVE',
        isNetwork: false,
      },
      ...{
        billingEmail: 'bills@tillwright.test',
        emails: { billing: 'bills@tillwright.test', support: null },
        settings: { auto_confirm_paid: true },
      },
      ...{
        publishableKey: expect.stringMatching(/^till_pk_/),
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      },
    },
  ])
  const at = `/v1/businesses/${made.body.id}`
  const markets = await http('GET', `${at}/markets`, { headers })
  expect(
    markets.body.items
      .map(({ key, currency, taxMode, zones }: Record<string, unknown>) => [
        key,
        currency,
        taxMode,
        (zones as []).length,
      ])
      .sort(),
  ).toEqual([
    ['booking', 'USD', 'Exclusive', 0],
    ['eu', 'EUR', 'Inclusive', 1],
    ['us', 'USD', 'Exclusive', 1],
  ])
  expect((await http('GET', at, { headers })).body).toEqual(made.body)
  const listed = await http('GET', `/v1/businesses?query=salon&sortField=createdAt&sortDirection=desc&limit=1`, {
    headers,
  })
  expect(listed.body.items).toEqual([made.body])
  const body = {
    ...made.body,
    languages: [{ id: 'de' }, { id: 'en' }],
    emails: { support: 'help@tillwright.test' },
    billingEmail: 'new@tillwright.test',
  }
  const changed = await http('PUT', at, { headers, body })
  expect([changed.status, changed.body]).toMatchObject([
    200,
    {
      languages: [{ id: 'de' }, { id: 'en' }],
      emails: { billing: 'new@tillwright.test', support: 'help@tillwright.test' },
    },
  ])
  const members = await http('POST', `${at}/members`, {
    headers,
    body: { email: 'other@tillwright.test', role: 'Owner' },
  })
  expect([members.status, members.body]).toMatchObject([201, { role: 'Owner', accountId: expect.any(String) }])
})

test('Faults of a business are in its spelling', async () => {
  const { headers } = shop.op
  const ask = async (body: Record<string, unknown>) => (await http('POST', '/v1/businesses', { headers, body })).body
  const good = { key: `salon-${unique()}`, timezone: 'Europe/Berlin', billingEmail: 'a@tillwright.test' }
  expect((await ask({ ...good, billing_email: 'b@tillwright.test' })).errors).toEqual([
    {
      pointer: '/billing_email',
      code: 'unknown_field',
      detail: 'There is no such field. Did you mean `billingEmail`?',
    },
  ])
  expect(await ask({ ...good, billingEmail: undefined })).toMatchObject({
    detail: '/billingEmail: This field is required.',
    errors: [{ pointer: '/billingEmail' }],
  })
  expect((await ask({ ...good, emails: { billing: 'b@tillwright.test' } })).errors).toMatchObject([
    { pointer: '/billingEmail', code: 'differs' },
  ])
  const query = await http('GET', '/v1/businesses?sort_field=key&isNetwork=maybe', { headers })
  expect(query.body.errors).toMatchObject([
    { pointer: 'sort_field', detail: 'There is no such query parameter. Did you mean `sortField`?' },
    { pointer: 'isNetwork' },
  ])
})

test('A store is no business, and a business is no store', async () => {
  const { headers } = shop.op
  const business = (
    await http('POST', '/v1/businesses', {
      headers,
      body: { key: `salon-${unique()}`, timezone: 'UTC', billingEmail: 'a@tillwright.test' },
    })
  ).body
  for (const path of [
    `/v1/businesses/${shop.store_id}`,
    `/v1/businesses/${shop.store_id}/products`,
    `/v1/stores/${business.id}`,
    `/v1/stores/${business.id}/products`,
  ]) {
    const { status, body } = await http('GET', path, { headers })
    expect([path, status, body.code, body.detail]).toEqual([
      path,
      404,
      'not_found',
      `There is no such ${path.includes('businesses') ? 'business' : 'store'}.`,
    ])
  }
  const listed = await http('GET', '/v1/stores?limit=100', { headers })
  expect(listed.body.items.map(({ id }: { id: string }) => id)).not.toContain(business.id)
})
