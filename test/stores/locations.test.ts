// A location needs an address before it ships, and cannot be deleted while stock, carts or orders use it.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
const address = { name: 'Shop', street1: 'Main 1', city: 'Berlin', state: null, postal_code: '10115', country: 'DE' }
const create = (body: Record<string, unknown> = {}) =>
  shop.asOperator('POST', '/locations', { key: unique(), address, ...body })

test('A new store’s location has no address and no inferred country', async () => {
  const { body } = await shop.asOperator('GET', '/locations')
  expect(Array.isArray(body)).toBe(true)
  expect(body).toMatchObject([{ key: 'default', address: null, is_pickup_location: false }])
})

test('A location without an address is written as it is read, and may lose its address', async () => {
  const [first] = (await shop.asOperator('GET', '/locations')).body
  expect((await shop.asOperator('PUT', `/locations/${first.id}`, first)).body).toMatchObject({ address: null })
  const made = await create({ address: null })
  expect([made.status, made.body.address]).toEqual([201, null])
  expect(
    (await shop.asOperator('PUT', `/locations/${(await create()).body.id}`, { address: null })).body.address,
  ).toBeNull()
})

test('A location is read back as written, and an update keeps absent fields', async () => {
  const { status, body } = await create({ is_pickup_location: true, address: { ...address, country: 'de' } })
  expect([status, body.address.country, body.is_pickup_location]).toEqual([201, 'DE', true])
  expect((await shop.asOperator('GET', `/locations/${body.id}`)).body).toEqual(body)
  const changed = await shop.asOperator('PUT', `/locations/${body.id}`, {
    key: `${body.key}-2`,
    address: { country: 'FR' },
  })
  expect(changed.body).toMatchObject({ key: `${body.key}-2`, address: { country: 'FR' }, is_pickup_location: true })
  expect(changed.body.address.city ?? null).toBeNull()
  const again = await shop.asOperator('PUT', `/locations/${body.id}`, { ...changed.body, is_pickup_location: false })
  expect([again.status, again.body.is_pickup_location]).toEqual([200, false])
  const moved = await shop.asOperator('PUT', `/locations/${body.id}`, { address: { country: 'DE' } })
  expect([moved.status, moved.body]).toMatchObject([
    200,
    { key: `${body.key}-2`, address: { country: 'DE' }, is_pickup_location: false },
  ])
  expect((await shop.asOperator('PUT', `/locations/${body.id}`, { is_pickup_location: true })).body).toMatchObject({
    address: { country: 'DE' },
  })
})

test('A location key is unique in its store only', async () => {
  const { body } = await create()
  const { body: other } = await create()
  expect((await create({ key: body.key })).body.code).toBe('key_taken')
  expect((await shop.asOperator('PUT', `/locations/${other.id}`, { key: body.key, address })).body.code).toBe(
    'key_taken',
  )
  expect((await (await newShop()).asOperator('POST', '/locations', { key: body.key, address })).status).toBe(201)
})

test.each([
  ['no key', { address }, '/key'],
  ['no address', { key: 'k' }, '/address'],
  ['an unknown country', { key: 'k', address: { country: 'QQ' } }, '/address/country'],
  ['an unknown field', { key: 'k', address: { ...address, planet: 'Earth' } }, '/address/planet'],
])('A location with %s is refused with its pointer', async (_, body, pointer) => {
  const refused = await shop.asOperator('POST', '/locations', body)
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, pointer])
})

test('A location of another store returns 404', async () => {
  const theirs = (await (await newShop()).asOperator('GET', '/locations')).body[0].id
  expect((await shop.asOperator('GET', `/locations/${theirs}`)).status).toBe(404)
  expect((await shop.asOperator('PUT', `/locations/${theirs}`, { key: 'k', address })).status).toBe(404)
  expect((await shop.asOperator('DELETE', `/locations/${theirs}`)).status).toBe(404)
})

describe('Deleting locations', () => {
  test('An unused location can be deleted', async () => {
    const { body } = await create()
    expect((await shop.asOperator('DELETE', `/locations/${body.id}`)).body).toEqual({ success: true })
    expect((await shop.asOperator('DELETE', `/locations/${body.id}`)).status).toBe(404)
  })

  const inUse = async (id: string) => {
    const { status, body } = await shop.asOperator('DELETE', `/locations/${id}`)
    expect([status, body.code]).toEqual([409, 'location_in_use'])
    return body.used_by
  }
  const stocked = async (location_id: string, available: number) =>
    (
      await shop.asOperator('POST', '/products', {
        key: unique(),
        variants: [
          { requires_shipping: false, prices: [{ market: 'us', amount: 1 }], inventory: [{ location_id, available }] },
        ],
      })
    ).body

  test('A location with inventory cannot be deleted, not even at zero', async () => {
    const { body } = await create()
    const product = await stocked(body.id, 0)
    expect(await inUse(body.id)).toEqual(['inventory'])
    await shop.asOperator('DELETE', `/products/${product.id}`)
    expect((await shop.asOperator('DELETE', `/locations/${body.id}`)).status).toBe(200)
  })

  test('A location of a cart’s pickup or an order’s reservation cannot be deleted', async () => {
    const { body } = await create({ is_pickup_location: true })
    const product = await stocked(body.id, 5)
    const visitor = await shop.visitor()
    const cart = (await visitor.call('POST', '/carts/current')).body.id
    const items = { product_items: [{ product_id: product.id, variant_id: product.variants[0].id, quantity: 1 }] }
    expect((await visitor.call('PUT', `/carts/${cart}`, { ...items, pickup_location_id: body.id })).status).toBe(200)
    expect(await inUse(body.id)).toEqual(['inventory', 'carts'])
    await visitor.call('PUT', `/carts/${cart}`, { pickup_location_id: null })
    const order = await visitor.call('POST', `/carts/${cart}/checkout`, { payment_method_key: 'cash' })
    expect(order.status).toBe(200)
    await shop.asOperator('DELETE', `/products/${product.id}`)
    expect(await inUse(body.id)).toEqual(['orders'])
    const { version } = (await shop.asOperator('GET', `/orders/${order.body.order_id}`)).body
    expect((await shop.asOperator('PUT', `/orders/${order.body.order_id}`, { version, cancel: true })).status).toBe(200)
    expect((await shop.asOperator('DELETE', `/locations/${body.id}`)).status).toBe(200)
  })
})
