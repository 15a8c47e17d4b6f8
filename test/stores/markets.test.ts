// A market is written with all of its zones, never changes its key and currency, and cannot be deleted while anything
// is sold in it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
afterAll(() => database().end())
beforeAll(async () => {
  shop = await newShop()
})
const create = (body: Record<string, unknown> = {}, at = shop) =>
  at.asOperator('POST', '/markets', { key: unique(), currency: 'GBP', ...body })
const update = (id: string, body: unknown) => shop.asOperator('PUT', `/markets/${id}`, body)
const list = async (at = shop) => (await at.asOperator('GET', '/markets?sort_field=key&sort_direction=asc')).body.items
const remove = (id: string, at = shop) => at.asOperator('DELETE', `/markets/${id}`)

test('A new store sells in us and eu', async () => {
  expect(await list()).toMatchObject([
    { key: 'eu', currency: 'EUR', tax_mode: 'inclusive', zones: [{ countries: [], tax_bps: 0 }] },
    {
      key: 'us',
      currency: 'USD',
      tax_mode: 'exclusive',
      payment_methods: [
        { key: 'cash', type: 'cash' },
        { key: 'credit_card', type: 'card' },
      ],
    },
  ])
})

test('A market is read back as written, enums in any case, and can be sent back', async () => {
  const zone = {
    name: 'Isles',
    countries: ['gb', 'IE'],
    states: [],
    postal_codes: ['SW1*'],
    tax_bps: 2000,
    shipping_methods: [{ id: 'post', amount: 300 }],
  }
  const { status, body } = await create({
    currency: 'gbp',
    tax_mode: 'Inclusive',
    zones: [zone],
    payment_methods: [{ key: 'till', type: 'CASH' }],
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    currency: 'GBP',
    tax_mode: 'inclusive',
    payment_methods: [{ key: 'till', type: 'cash' }],
  })
  expect(body.zones).toMatchObject([
    {
      ...zone,
      id: expect.any(String),
      countries: ['GB', 'IE'],
      shipping_methods: [{ id: 'post', amount: 300, taxable: true, eta_text: '' }],
    },
  ])
  expect((await shop.asOperator('GET', `/markets/${body.id}`, undefined, eitherApi())).body).toEqual(body)
  expect({ ...(await update(body.id, body)).body, updated_at: 0 }).toEqual({ ...body, updated_at: 0 })
})

test('A market of a key and a currency can sell at once', async () => {
  const { body } = await create()
  expect(body).toMatchObject({
    tax_mode: 'exclusive',
    zones: [],
    payment_methods: [{ key: 'cash' }, { key: 'credit_card' }],
  })
})

test('Zones are replaced as a whole, keep the ids that are sent, and absent fields stay', async () => {
  const { body } = await create({ zones: [{ countries: ['GB'] }, { countries: ['IE'] }] })
  const [, second] = body.zones
  const changed = await update(body.id, {
    zones: [
      { ...second, tax_bps: 100 },
      { id: 'mine', countries: ['FR'] },
    ],
  })
  expect(changed.body.zones).toMatchObject([{ id: second.id, tax_bps: 100 }, { id: 'mine' }])
  expect(changed.body.payment_methods).toEqual(body.payment_methods)
  expect((await update(body.id, { tax_mode: 'inclusive' })).body.zones).toEqual(changed.body.zones)
  expect((await update(body.id, { zones: [] })).body.zones).toEqual([])
})

test('The key and the currency of a market cannot change', async () => {
  const { body } = await create()
  for (const [field, value] of [
    ['key', 'other'],
    ['currency', 'EUR'],
  ] as const) {
    const refused = await update(body.id, { [field]: value })
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
      422,
      'cannot_change',
      `/${field}`,
    ])
  }
  expect((await update(body.id, { key: body.key, currency: 'gbp' })).status).toBe(200)
})

const method = { id: 'post', amount: 1 }
test.each([
  ['two zones of one id', { zones: [{ id: 'z' }, {}, { id: 'z' }] }, '/zones/2/id'],
  [
    'two shipping methods of one id, in one zone',
    { zones: [{ shipping_methods: [method, method] }] },
    '/zones/0/shipping_methods/1/id',
  ],
  [
    'two shipping methods of one id, in two zones',
    { zones: [{ shipping_methods: [method] }, { shipping_methods: [method] }] },
    '/zones/1/shipping_methods/0/id',
  ],
  [
    'two payment methods of one key',
    {
      payment_methods: [
        { key: 'a', type: 'cash' },
        { key: 'a', type: 'card' },
      ],
    },
    '/payment_methods/1/key',
  ],
  ['a payment method of no known type', { payment_methods: [{ key: 'a', type: 'barter' }] }, '/payment_methods/0/type'],
  ['an invalid country', { zones: [{ countries: ['DE', 'QQ'] }] }, '/zones/0/countries/1'],
  ['a negative tax', { zones: [{ tax_bps: -1 }] }, '/zones/0/tax_bps'],
  [
    'a shipping price that is a fraction',
    { zones: [{ shipping_methods: [{ id: 'a', amount: 1.5 }] }] },
    '/zones/0/shipping_methods/0/amount',
  ],
  ['an unknown field', { zones: [{ vat: 1 }] }, '/zones/0/vat'],
  ['an invalid currency', { currency: 'XXQ' }, '/currency'],
])('A market with %s is refused with its pointer', async (_, body, pointer) => {
  const refused = await create(body)
  expect([refused.status, refused.body.errors.map((fault: { pointer: string }) => fault.pointer)]).toEqual([
    422,
    [pointer],
  ])
})

test('A market’s zones name at most 20,000 places; a larger older market is still quoted', async () => {
  const zones = (...sizes: number[]) =>
    sizes.map((size) => ({ postal_codes: Array.from({ length: size }, (_, n) => `${n}`) }))
  expect(
    (
      await create({
        zones: [...zones(5_000, 5_000, 5_000), { countries: ['DE'], states: Array(1_000).fill('BE') }, ...zones(3_999)],
      })
    ).status,
  ).toBe(201)
  const refused = await create({
    zones: [...zones(5_000, 5_000, 5_000, 4_999), { countries: ['DE'], states: ['BE'] }, ...zones(1)],
  })
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [expect.objectContaining({ pointer: '/zones/4/states', code: 'too_big' })],
  ])

  const other = await newShop()
  const [{ id }] = (await list(other)).filter(({ key }: { key: string }) => key === 'us')
  const many = {
    id: 'many',
    countries: ['GB'],
    states: Array(1_000).fill('nowhere'),
    postal_codes: [],
    tax_bps: 0,
    shipping_methods: [],
  }
  await database().query('update markets set zones = $2 where id = $1', [id, JSON.stringify(Array(100).fill(many))])
  const market = await other.asOperator('GET', `/markets/${id}`)
  expect([market.status, market.body.zones.length]).toEqual([200, 100])
  const variants = [{ prices: [{ market: 'us', amount: 1 }], is_digital: true }]
  const made = (await other.asOperator('POST', '/products', { key: unique(), variants })).body
  const visitor = await other.visitor()
  const cart = (await visitor.call('POST', '/carts/current')).body.id
  const product_items = [{ product_id: made.id, variant_id: made.variants[0].id, quantity: 1 }]
  await visitor.call('PUT', `/carts/${cart}`, {
    market: 'us',
    product_items,
    billing_address: { country: 'GB', state: 'Kent' },
  })
  expect((await visitor.call('POST', `/carts/${cart}/quote`)).body.money.total).toBe(1)
})

test('A market key is unique in its store, also for concurrent creations', async () => {
  const key = unique()
  const answers = await Promise.all(
    [1, 2, 3].map(() => shop.asOperator('POST', '/markets', { key, currency: 'GBP' }, eitherApi())),
  )
  expect(answers.map(({ status, body }) => (status === 201 ? '201' : body.code)).sort()).toEqual([
    '201',
    'key_taken',
    'key_taken',
  ])
  expect((await create({ key }, await newShop())).status).toBe(201)
})

test('A market of another store returns 404', async () => {
  const theirs = (await list(await newShop()))[0].id
  expect((await shop.asOperator('GET', `/markets/${theirs}`)).status).toBe(404)
  expect((await update(theirs, { zones: [] })).status).toBe(404)
  expect((await remove(theirs)).status).toBe(404)
})

test('A market in which nothing is sold can be deleted', async () => {
  const { body } = await create()
  expect((await remove(body.id)).body).toEqual({ success: true })
  expect((await remove(body.id)).status).toBe(404)
})

test('A market with a price, a filled cart or an order cannot be deleted', async () => {
  const { body: market } = await create()
  const inUse = async () => {
    const { status, body } = await remove(market.id)
    expect([status, body.code]).toEqual([409, 'market_in_use'])
    return body.used_by
  }
  const product = await shop.asOperator('POST', '/products', {
    key: unique(),
    variants: [{ requires_shipping: false, prices: [{ market: market.key, amount: 1 }] }],
  })
  expect(await inUse()).toEqual(['prices'])
  const { id: product_id, variants } = product.body
  const visitor = await shop.visitor()
  const cart = (await visitor.call('POST', '/carts/current')).body.id
  await visitor.call('PUT', `/carts/${cart}`, {
    market: market.key,
    product_items: [{ product_id, variant_id: variants[0].id, quantity: 1 }],
  })
  expect(await inUse()).toEqual(['prices', 'carts'])
  expect((await visitor.call('POST', `/carts/${cart}/checkout`, { payment_method_key: 'cash' })).status).toBe(200)
  expect(await inUse()).toEqual(['prices', 'orders'])
  await shop.asOperator('DELETE', `/products/${product_id}`)
  expect(await inUse()).toEqual(['orders'])
})

test('A market with an active promo code’s discount cannot be deleted', async () => {
  const { body: market } = await create()
  const discounts = [{ type: 'items_percentage', market_key: market.key, bps: 1000 }]
  const { body: code } = await shop.asOperator('POST', '/promo-codes', { code: unique(), discounts, conditions: [] })
  const refused = await remove(market.id)
  expect([refused.status, refused.body.code, refused.body.used_by]).toEqual([409, 'market_in_use', ['promo_codes']])
  await shop.asOperator('PUT', `/promo-codes/${code.id}`, { status: 'archived' })
  expect((await remove(market.id)).status).toBe(200)
})

test('Deleting a market moves its empty carts to the store’s first market', async () => {
  const { body: market } = await create()
  const visitor = await shop.visitor()
  const cart = (await visitor.call('POST', '/carts/current')).body.id
  await visitor.call('PUT', `/carts/${cart}`, { market: market.key })
  expect((await remove(market.id)).status).toBe(200)
  expect((await visitor.call('GET', `/carts/${cart}`)).body.market).toBe('us')
})

test('The last market cannot be deleted', async () => {
  const small = await newShop()
  const [eu, us] = await list(small)
  expect((await remove(eu.id, small)).status).toBe(200)
  expect((await remove(us.id, small)).body.code).toBe('last_market')
})

test('A market is deleted or gets a price, never both', async () => {
  for (let round = 0; round < 5; round++) {
    const { body: market } = await create()
    const variants = [{ prices: [{ market: market.key, amount: 1 }] }]
    const [gone, made] = await Promise.all([
      remove(market.id),
      shop.asOperator('POST', '/products', { key: unique(), variants }, eitherApi()),
    ])
    expect([`${gone.status} ${made.status}`]).toContainEqual(expect.stringMatching(/^(200 422|409 201)$/))
  }
})
