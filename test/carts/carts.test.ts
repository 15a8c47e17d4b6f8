// A cart belongs to one visitor, is updated field by field, and every refusal names the field and the reason.
import { beforeAll, expect, test } from '@jest/globals'
import { bookable } from '../kit/bookings/booking.ts'
import {
  atOnce,
  buyer,
  cash,
  checkOut,
  locationOf,
  market,
  product,
  refusalOf,
  type Sold,
} from '../kit/orders/buying.ts'
import { eitherApi, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

let shop: Shop
let tea: Sold
beforeAll(async () => {
  shop = await newShop()
  tea = await product(shop)
})

const address = {
  name: 'Ada',
  street1: '5 Elm Street',
  city: 'Portland',
  state: 'OR',
  postal_code: '97201',
  country: 'US',
}
const forms = [{ key: 'order-notes', entries: [{ key: 'note', value: 'ring twice' }] }]

test('A new cart is in the first market whose zones name a country, once there is one', async () => {
  const other = await newShop()
  const marketOf = async () => (await other.asVisitor('POST', '/carts/current')).body.market
  expect(await marketOf()).toBe('us')
  await market(other, 'eu', { zones: [{ countries: ['DE'] }] })
  expect(await marketOf()).toBe('eu')
  await market(other, 'us', { zones: [{ countries: ['US'] }] })
  expect(await marketOf()).toBe('us')
})

test('A new visitor’s cart is open, empty and in the store’s first market', async () => {
  const answer = await shop.asVisitor('POST', '/carts/current')
  expect(answer.status).toBe(200)
  const token = answer.headers.get('x-service-visitor-token') as string
  expect(token).toMatch(/^till_vt_/)
  expect(answer.body).toEqual({
    id: expect.any(String),
    contact_id: expect.any(String),
    status: 'open',
    market: 'us',
    product_items: [],
    booking_items: [],
    shipping_address: null,
    billing_address: null,
    forms: [],
    payment_method_key: null,
    shipping_method_id: null,
    pickup_location_id: null,
    promo_code: null,
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  })
  expect((await shop.asVisitor('POST', '/carts/current', {}, token)).body).toEqual(answer.body)
  expect((await shop.asVisitor('GET', `/carts/${answer.body.id}`, undefined, token)).body).toEqual(answer.body)
})

test('Twenty concurrent requests for a visitor’s current cart return the same cart', async () => {
  const visitor = await shop.visitor()
  const answers = await atOnce(20, () => visitor.call('POST', '/carts/current', undefined, eitherApi()))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
})

test('A visitor has a current cart at every moment while carts are checked out repeatedly', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item()])
  let id = cart.id
  for (let round = 0; round < 5; round++) {
    const [done, ...current] = await Promise.all([
      checkOut(visitor, { id }, cash),
      ...(await atOnce(6, async () => visitor.call('POST', '/carts/current', undefined, eitherApi()))),
    ])
    expect([done.status, ...current.map(({ status }) => status)]).toEqual(Array.from({ length: 7 }, () => 200))
    const next = (await visitor.call('POST', '/carts/current')).body
    expect([next.status, next.id === id]).toEqual(['open', false])
    id = next.id
    await visitor.call('PUT', `/carts/${id}`, { product_items: [tea.item()] })
  }
})

test('A cart update replaces the fields it sends, keeps the others and clears with null', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item(2)])
  const put = async (change: Record<string, unknown>) => {
    const answer = await visitor.call('PUT', `/carts/${cart.id}`, change, eitherApi())
    expect(answer.status).toBe(200)
    return answer.body
  }
  const filled = await put({
    shipping_address: address,
    billing_address: { country: 'de' },
    forms,
    payment_method_key: 'cash',
    shipping_method_id: 'x',
  })
  expect(filled).toMatchObject({
    shipping_address: address,
    billing_address: { country: 'DE' },
    forms,
    payment_method_key: 'cash',
    product_items: [tea.item(2)],
  })
  expect(await put({ market: 'eu' })).toMatchObject({ ...filled, market: 'eu', updated_at: expect.any(Number) })
  // An address is replaced as a whole.
  expect((await put({ shipping_address: { city: 'Salem' } })).shipping_address).toMatchObject({
    city: 'Salem',
    name: null,
    street1: null,
    state: null,
  })
  const cleared = await put({
    product_items: null,
    shipping_address: null,
    billing_address: null,
    forms: null,
    payment_method_key: null,
    shipping_method_id: null,
    pickup_location_id: null,
  })
  expect(cleared).toMatchObject({
    product_items: [],
    shipping_address: null,
    billing_address: null,
    forms: [],
    payment_method_key: null,
    market: 'eu',
  })
  expect(await put({})).toMatchObject({ ...cleared, updated_at: expect.any(Number) })
})

test('A cart that was read can be sent back unchanged', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item(2)], {
    shipping_address: address,
    forms,
    payment_method_key: 'cash',
  })
  const again = await visitor.call('PUT', `/carts/${cart.id}`, cart)
  expect(again.status).toBe(200)
  expect(again.body).toEqual({ ...cart, updated_at: expect.any(Number) })
})

test.each([
  ['its name', [{ key: 'name', type: 'text', value: ' Linen apron ' }], 'Linen apron'],
  [
    'its name in the first language of the store',
    [{ key: 'name', type: 'localized_text', value: { de: 'Schürze', 'en-GB': 'Pinny', en: 'Apron' } }],
    'Apron',
  ],
  [
    'its name in any language, if the store’s have none',
    [{ key: 'name', type: 'localized_text', value: { it: 'Grembiule' } }],
    'Grembiule',
  ],
  ['at most 255 characters of its name', [{ key: 'name', type: 'text', value: '🧵'.repeat(300) }], '🧵'.repeat(255)],
  ['its key without a name', [], null],
])('A line of goods is named after the product: by %s', async (_, blocks, name) => {
  const [made, { visitor, cart }] = await Promise.all([product(shop), buyer(shop, [])])
  const { body } = await shop.asOperator('PUT', `/products/${made.id}`, { blocks })
  await visitor.call('PUT', `/carts/${cart.id}`, { product_items: [made.item()] })
  const quote = await visitor.call('POST', `/carts/${cart.id}/quote`, {})
  expect(quote.body.product_lines ?? quote.body).toMatchObject([{ name: name ?? body.key }])
})

test('A slot of the availability goes into a cart as it was read', async () => {
  const cut = await bookable(shop)
  const [slot] = (await cut.free()) as [{ from: number; to: number; spots: number }]
  const { visitor, cart } = await buyer(shop, [])
  const { service_id, provider_id } = cut
  const put = await visitor.call('PUT', `/carts/${cart.id}`, {
    booking_items: [{ service_id, provider_id, slots: [slot] }],
  })
  expect([put.status, put.body.booking_items]).toEqual([200, [cut.item(slot)]])
})

test('All faults of a cart update are returned at once with pointers, and nothing changes', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item()])
  const elsewhere = await product(await newShop())
  const id = '00000000-0000-7000-8000-000000000000'
  const faultsOf = async (change: unknown) => {
    const { status, body } = await visitor.call('PUT', `/carts/${cart.id}`, change)
    expect(status).toBe(422)
    return body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code])
  }
  const other = await product(shop)
  const items = [
    tea.item(),
    elsewhere.item(),
    { ...tea.item(), product_id: other.id },
    { product_id: tea.id, variant_id: id, quantity: 1 },
  ]
  expect(await faultsOf({ product_items: items, market: 'mars', pickup_location_id: await locationOf(shop) })).toEqual([
    ['/product_items/1/variant_id', 'variant_unknown'],
    ['/product_items/2/variant_id', 'variant_unknown'],
    ['/product_items/3/variant_id', 'variant_unknown'],
    ['/market', 'market_unknown'],
    ['/pickup_location_id', 'pickup_location_unknown'],
  ])
  for (const quantity of [0, -1, 1.5, '2', 1_000_001, null])
    expect((await faultsOf({ product_items: [{ ...tea.item(), quantity }] }))[0][0]).toBe('/product_items/0/quantity')
  expect(await faultsOf({ product_items: [tea.item(600_000), other.item(), tea.item(400_001)] })).toEqual([
    ['/product_items/2/quantity', 'too_big'],
  ])
  expect(await faultsOf({ shiping_address: address })).toEqual([['/shiping_address', 'unknown_field']])
  expect(await faultsOf({ shipping_address: { ...address, zip: '1' } })).toEqual([
    ['/shipping_address/zip', 'unknown_field'],
  ])
  expect((await faultsOf({ shipping_address: { country: 'Atlantis' } }))[0][0]).toBe('/shipping_address/country')
  expect((await faultsOf({ market: null }))[0][0]).toBe('/market')
  expect(await faultsOf({ id })).toEqual([['/id', 'differs_from_path']])
  expect((await visitor.call('GET', `/carts/${cart.id}`)).body).toEqual(cart)
})

test('A quote that cannot be made returns the reason with a pointer into the cart', async () => {
  const other = await newShop()
  const local = await product(other, { prices: [{ market: 'us', amount: 700 }] })
  const unpriced = await product(other, { prices: [] })
  const { visitor, cart } = await buyer(other, [local.item()])
  const quoted = async (change: Record<string, unknown>) => {
    expect((await visitor.call('PUT', `/carts/${cart.id}`, change)).status).toBe(200)
    return visitor.call('POST', `/carts/${cart.id}/quote`, {}, secondApi())
  }
  expect((await quoted({})).body).toMatchObject({
    money: { currency: 'USD', subtotal: 700, discount: 0, shipping: 0, tax: null, total: 700 },
  })
  expect(refusalOf(await quoted({ payment_method_key: 'shells' }))).toEqual([
    422,
    '/payment_method_key',
    'payment_method_unknown',
  ])
  expect(refusalOf(await quoted({ payment_method_key: null, market: 'eu' }))).toEqual([
    422,
    '/product_items/0',
    'price_missing',
  ])
  expect(refusalOf(await quoted({ market: 'us', shipping_method_id: 'express' }))).toEqual([
    422,
    '/shipping_method_id',
    'shipping_method_unknown',
  ])
  expect(refusalOf(await quoted({ shipping_method_id: null, product_items: [local.item(), unpriced.item()] }))).toEqual(
    [422, '/product_items/1', 'price_missing'],
  )
  await market(other, 'us', { zones: [{ countries: ['DE'] }] })
  expect(refusalOf(await quoted({ product_items: [local.item()], shipping_address: { country: 'US' } }))).toEqual([
    422,
    '/shipping_address',
    'zone_not_found',
  ])
  // A quote of an empty cart succeeds with a total of 0.
  expect((await quoted({ product_items: [] })).body).toMatchObject({ product_lines: [], money: { total: 0 } })
  await quoted({ product_items: [local.item()], shipping_address: { country: 'DE' } })
  await other.asOperator('PUT', `/products/${local.id}`, { status: 'archived' })
  expect(refusalOf(await quoted({}))).toEqual([422, '/product_items/0', 'product_not_active'])
})

test('A pickup location replaces the shipping method once its address has a country', async () => {
  const other = await newShop()
  const sold = await product(other)
  const id = (
    await other.asOperator('POST', '/locations', {
      key: `desk-${unique()}`,
      address: { city: 'Berlin' },
      is_pickup_location: true,
    })
  ).body.id
  const { visitor, cart } = await buyer(other, [sold.item()], { pickup_location_id: id })
  const quote = () => visitor.call('POST', `/carts/${cart.id}/quote`)
  expect(refusalOf(await quote())).toEqual([422, '/pickup_location_id', 'pickup_location_not_configured'])
  await other.asOperator('PUT', `/locations/${id}`, {
    key: 'desk',
    address: { country: 'DE' },
    is_pickup_location: true,
  })
  await market(other, 'us', {
    zones: [{ countries: ['DE'], tax_bps: 1000, shipping_methods: [{ id: 'post', amount: 500 }] }],
  })
  expect((await quote()).body).toMatchObject({
    shipping_lines: [],
    shipping_methods: [],
    money: { shipping: 0, tax: { amount: 100 }, total: 1100 },
  })
  await other.asOperator('PUT', `/locations/${id}`, {
    key: 'desk',
    address: { country: 'DE' },
    is_pickup_location: false,
  })
  expect(refusalOf(await quote())).toEqual([422, '/pickup_location_id', 'pickup_location_unknown'])
})

test('Carts of another visitor or another store return 404', async () => {
  const { cart } = await buyer(shop, [tea.item()])
  const strangers = [await shop.visitor(), await (await newShop()).visitor()]
  for (const stranger of strangers)
    for (const answer of [
      await stranger.call('GET', `/carts/${cart.id}`),
      await stranger.call('PUT', `/carts/${cart.id}`, { product_items: [] }),
      await stranger.call('POST', `/carts/${cart.id}/quote`),
      await checkOut(stranger, cart, cash),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  expect((await shop.asVisitor('GET', `/carts/${cart.id}`)).status).toBe(401)
})

test('An ordered cart can be read, but not changed or quoted', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item()])
  await checkOut(visitor, cart, cash)
  expect((await visitor.call('GET', `/carts/${cart.id}`)).body).toMatchObject({
    status: 'ordered',
    product_items: [tea.item()],
  })
  for (const answer of [
    await visitor.call('PUT', `/carts/${cart.id}`, { product_items: [] }),
    await visitor.call('POST', `/carts/${cart.id}/quote`),
  ])
    expect([answer.status, answer.body.code]).toEqual([409, 'cart_ordered'])
})

test('A cart that is changed during its checkout is ordered as it was at one moment', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item(1)])
  const [done, ...changes] = await Promise.all([
    checkOut(visitor, cart, cash),
    ...(await Promise.all(
      [2, 3, 4, 5].map(async (quantity) =>
        visitor.call('PUT', `/carts/${cart.id}`, { product_items: [tea.item(quantity)] }, eitherApi()),
      ),
    )),
  ])
  expect(done.status).toBe(200)
  for (const { status } of changes) expect([200, 409]).toContain(status)
  const ordered = (await visitor.call('GET', `/carts/${cart.id}`)).body
  const lines = (await shop.asOperator('GET', `/orders/${done.body.order_id}/products`)).body
  expect(lines[0].quantity).toBe(ordered.product_items[0].quantity)
})
