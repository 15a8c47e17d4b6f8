// The client sends what an operation declares, keeps a visitor's token, and throws typed problems.
import fs from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ApiProblem, client } from '../../client/client.ts'
import { api, database, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => database().end())

const operator = () => client({ base: `${api()}/`, headers: shop.op.headers })
const storefront = (more = {}) =>
  client({ base: api(), headers: { 'x-service-publishable-key': shop.publishable_key }, ...more })

test('The client imports nothing but its own types', () => {
  const text = fs.readFileSync(new URL('../../client/client.ts', import.meta.url), 'utf8')
  expect(text.match(/^(?:import|export) .* from .*/gm)).toEqual([
    "import type { Operations } from './api.ts'",
    "export type * from './api.ts'",
  ])
  expect(text).not.toMatch(/\bimport\(|\brequire\(|node:/)
})

test('The client sends path, query and body, and returns what the route declares', async () => {
  const call = operator()
  const path = { storeId: shop.store_id }
  const made = await call('POST /v1/stores/{storeId}/products', {
    path,
    body: { key: `tea & ${unique()}`, variants: [{ sku: 'A', prices: [{ market: 'us', amount: 5 }] }] },
  })
  expect(made.variants[0]?.prices).toEqual([{ market: 'us', currency: 'USD', amount: 5 }])
  const page = await call('GET /v1/stores/{storeId}/products', {
    path,
    query: { ids: [made.id, shop.store_id], status: 'active', query: 'tea', cursor: null },
  })
  expect(page.items.map(({ key }) => key)).toEqual([made.key])
  expect((await call('GET /v1/platform/countries/{countryCode}', { path: { countryCode: 'de' } })).name).toBe('Germany')
  expect((await call('DELETE /v1/stores/{storeId}/products/{id}', { path: { ...path, id: made.id } })).success).toBe(
    true,
  )
})

test('An empty list in a query is refused by the API instead of meaning no filter', async () => {
  const empty = operator()('GET /v1/stores/{storeId}/products', {
    path: { storeId: shop.store_id },
    query: { ids: [] },
  })
  await expect(empty).rejects.toMatchObject({ status: 422, errors: [{ pointer: 'ids', code: 'empty' }] })
})

test('A refusal is thrown with its code and the pointers of its faults', async () => {
  const call = operator()
  const refused = call('POST /v1/stores/{storeId}/products', {
    path: { storeId: shop.store_id },
    body: { key: 'x', variants: [{ weight: -1 }, { sku: 'S'.repeat(256) }] },
  })
  const problem = (await refused.catch((error: unknown) => error)) as ApiProblem
  expect(problem).toBeInstanceOf(ApiProblem)
  expect([problem.status, problem.code, problem.errors.map(({ pointer }) => pointer)]).toEqual([
    422,
    'invalid_input',
    ['/variants/0/weight', '/variants/1/sku'],
  ])
  expect(problem.requestId).toBe(problem.document.request_id)
  expect(problem.message).toMatch(/^POST \/v1\/stores\/\{storeId\}\/products: 422 invalid_input: /)
})

test('An operation, parameter or field that does not exist does not compile', async () => {
  const call = client({ base: 'http://127.0.0.1:9', fetch: () => Promise.reject(new Error('asked')) })
  // @ts-expect-error: a part of the path is missing
  await expect(call('GET /v1/stores/{storeId}/products', { path: {} })).rejects.toThrow('needs storeId')
  await expect(call('GET /v1/stores/{storeId}/products', { path: { storeId: '' } })).rejects.toThrow('needs storeId')
  // @ts-expect-error: there is no such route
  await expect(call('GET /v1/nothing')).rejects.toThrow('asked')
  // @ts-expect-error: the key is missing
  await expect(call('POST /v1/stores/{storeId}/products', { path: { storeId: 'x' }, body: {} })).rejects.toThrow(
    'asked',
  )
  await expect(
    // @ts-expect-error: there is no such field
    call('POST /v1/stores/{storeId}/products', { path: { storeId: 'x' }, body: { key: 'x', kye: 'y' } }),
  ).rejects.toThrow('asked')
})

test('A query of another name or type than the route reads does not compile', async () => {
  const call = client({ base: 'http://127.0.0.1:9', fetch: () => Promise.reject(new Error('asked')) })
  const path = { storeId: 'x' }
  const orders = 'GET /v1/stores/{storeId}/orders'
  // @ts-expect-error: there is no such status
  await expect(call(orders, { path, query: { statuses: ['no-such-status'] } })).rejects.toThrow('asked')
  // @ts-expect-error: there is no such parameter
  await expect(call(orders, { path, query: { limitt: 3 } })).rejects.toThrow('asked')
  // @ts-expect-error: a limit is a number
  await expect(call(orders, { path, query: { limit: '3' } })).rejects.toThrow('asked')
  // @ts-expect-error: this list needs a limit
  await expect(call('GET /v1/stores/{storeId}/media', { path })).rejects.toThrow('asked')
  // @ts-expect-error: products are sorted by other fields
  await expect(call('GET /v1/stores/{storeId}/products', { path, query: { sort_field: 'size' } })).rejects.toThrow(
    'asked',
  )
  await expect(
    call(orders, { path, query: { statuses: ['confirmed', 'pending'], limit: 3, cursor: null } }),
  ).rejects.toThrow('asked')
})

test('A node of an unknown type does not compile', async () => {
  const call = client({ base: 'http://127.0.0.1:9', fetch: () => Promise.reject(new Error('asked')) })
  const path = { storeId: 'x' }
  await expect(
    call('POST /v1/stores/{storeId}/workflows', {
      path,
      // @ts-expect-error: there is no such type of node
      body: { key: 'k', nodes: { a: { type: 'nope' } }, edges: [] },
    }),
  ).rejects.toThrow('asked')
})

test('The client keeps the token of a new visitor and reports it once', async () => {
  const told: string[] = []
  const call = storefront({ onVisitorToken: (token: string) => told.push(token) })
  const cart = await call('POST /v1/storefront/carts/current')
  expect((await call('POST /v1/storefront/carts/current')).id).toBe(cart.id)
  expect(told).toHaveLength(1)
  const again = storefront({ visitorToken: told[0] })
  expect((await again('GET /v1/storefront/carts/{id}', { path: { id: cart.id } })).id).toBe(cart.id)
})

test("The client sends a visitor's token to the storefront and businesses only", async () => {
  const sent: boolean[] = []
  const answer = { 'x-service-visitor-token': 'till_vt_1' }
  const call = client({
    ...{ base: 'http://127.0.0.1:9', visitorToken: 'till_vt_1' },
    fetch: async (_url, init) => {
      sent.push(new Headers(init?.headers).has('x-service-visitor-token'))
      return Response.json({}, { headers: answer })
    },
  })
  await call('POST /v1/storefront/carts/current')
  await call('GET /v1/businesses/{businessId}/bookings', { path: { businessId: 'b' } })
  await call('GET /v1/platform/countries')
  expect(sent).toEqual([true, true, false])
})

test('A response that is not a problem document is an ApiProblem with the code unreadable', async () => {
  const call = client({
    base: 'http://127.0.0.1:9',
    fetch: async () => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'retry-after': '3' } }),
  })
  const problem = (await call('GET /v1/platform/countries').catch((error: unknown) => error)) as ApiProblem
  expect([problem.status, problem.code, problem.retryAfterS]).toEqual([502, 'unreadable', 3])
})
