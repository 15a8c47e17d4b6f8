// A storefront shows active products to everyone and nothing else.
import { beforeAll, expect, test } from '@jest/globals'
import { http, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
const ids: Record<string, string> = {}
beforeAll(async () => {
  shop = await newShop()
  const here = (await shop.asOperator('GET', '/locations')).body[0].id
  for (const status of ['active', 'draft', 'archived']) {
    const variants = [
      { sku: `${status}-sku`, prices: [{ market: 'us', amount: 5 }], inventory: [{ location_id: here, available: 3 }] },
    ]
    const made = await shop.asOperator('POST', '/products', {
      key: `a-${status}-tea`,
      slug: { en: `${status}-tea` },
      status,
      variants,
    })
    ids[status] = made.body.id
  }
})
const see = (path: string) => shop.asVisitor('GET', path)

test('A storefront list shows active products under every filter', async () => {
  for (const query of ['', '?query=tea', `?ids=${ids.active},${ids.draft}`, '?sort_field=key&sort_direction=asc']) {
    const { status, body } = await see(`/products${query}`)
    expect([query, status, body.items.map(({ id }: { id: string }) => id)]).toEqual([query, 200, [ids.active]])
  }
  expect((await see('/products?query=draft')).body.items).toEqual([])
  expect((await see('/products?status=draft')).status).toBe(422)
})

test('A storefront reads a product by id or slug while it is active', async () => {
  for (const name of [ids.active, 'active-tea', 'active-tea?locale=en'])
    expect((await see(`/products/${name}`)).body.id).toBe(ids.active)
  for (const name of [ids.draft, ids.archived, 'draft-tea', 'archived-tea', 'active-tea?locale=de', 'no-tea'])
    expect((await see(`/products/${name}`)).status).toBe(404)
})

test('A storefront product shows what can be sold and its stars, and no fields for operators', async () => {
  const { body } = await see(`/products/${ids.active}`)
  const fields = ['blocks', 'created_at', 'id', 'key', 'slug', 'stars', 'taxonomies', 'variants']
  expect(Object.keys(body).sort()).toEqual(fields)
  expect(body.variants[0]).toMatchObject({ sku: 'active-sku', prices: [{ market: 'us', currency: 'USD', amount: 5 }] })
  expect(JSON.stringify(body)).not.toMatch(/inventory|location|tenant/)
})

test('The stock of a variant is the sum of all locations, and null without any', async () => {
  const [here, there] = [
    (await shop.asOperator('GET', '/locations')).body[0].id,
    (await shop.asOperator('POST', '/locations', { key: 'cellar', address: null })).body.id,
  ]
  const inventory = [here, there].map((location_id) => ({ location_id, available: 4 }))
  const { body } = await shop.asOperator('POST', '/products', { key: 'two', variants: [{ inventory }, {}] })
  const stockIn = ({ variants }: { variants: { available: number | null }[] }) => variants.map((one) => one.available)
  expect(stockIn((await see(`/products/${body.id}`)).body)).toEqual([8, null])
  expect(stockIn((await see(`/products?ids=${body.id}`)).body.items[0])).toEqual([8, null])
  await shop.asOperator('DELETE', `/products/${body.id}`)
})

test('A storefront product has the average of its stars, in the list and alone', async () => {
  const target = { type: 'product', id: ids.active }
  const [ann, ben] = [await shop.visitor(), await shop.visitor()]
  const before = await see(`/products/${ids.active}`)
  expect(before.body.stars).toEqual({ average: null, count: 0 })
  await ann.call('POST', '/reactions', { target, kind: 'star_5' })
  await ben.call('POST', '/reactions', { target, kind: 'star_4' })
  const stars = { average: 4.5, count: 2 }
  expect((await see(`/products/${ids.active}`)).body.stars).toEqual(stars)
  expect((await see('/products')).body.items.map((one: { stars: object }) => one.stars)).toEqual([stars])
})

test('A storefront lists the markets with their payment methods', async () => {
  const { body } = await see('/markets?sort_field=key&sort_direction=asc')
  expect(body.items.map(({ key, currency, tax_mode }: Record<string, string>) => [key, currency, tax_mode])).toEqual([
    ['eu', 'EUR', 'inclusive'],
    ['us', 'USD', 'exclusive'],
  ])
  expect(Object.keys(body.items[0]).sort()).toEqual(['currency', 'id', 'key', 'payment_methods', 'tax_mode', 'zones'])
})

test('A publishable key gives access to its own store alone', async () => {
  const other = await newShop()
  expect((await other.asVisitor('GET', '/products')).body.items).toEqual([])
  expect((await other.asVisitor('GET', `/products/${ids.active}`)).status).toBe(404)
  expect((await http('GET', '/v1/storefront/products')).status).toBe(401)
  expect(
    (await http('GET', '/v1/storefront/products', { headers: { 'x-service-publishable-key': 'till_pk_nobody' } }))
      .status,
  ).toBe(401)
})
