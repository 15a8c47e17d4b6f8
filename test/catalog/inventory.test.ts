// Stock is set per variant and location, exactly, also while it is being sold.
import { beforeAll, expect, test } from '@jest/globals'
import { eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let here: string
let there: string
beforeAll(async () => {
  shop = await newShop()
  here = (await shop.asOperator('GET', '/locations')).body[0].id
  there = (await shop.asOperator('POST', '/locations', { key: 'there', address: {} })).body.id
})

async function product(variants: Record<string, unknown>[] = [{}, {}]) {
  const { body } = await shop.asOperator('POST', '/products', { key: unique(), variants })
  return { id: body.id as string, variants: body.variants.map(({ id }: { id: string }) => id) as string[] }
}
const read = (id: string) => shop.asOperator('GET', `/products/${id}/inventory`, undefined, eitherApi())
const write = (id: string, inventory: unknown) => shop.asOperator('PUT', `/products/${id}/inventory`, { inventory })

test('Setting inventory rows keeps the others and returns all', async () => {
  const { id, variants } = await product([{ inventory: [{ location_id: here, available: 5 }] }, {}])
  const [a, b] = variants
  const done = await write(id, [{ variant_id: a, location_id: there, available: 2 }])
  expect(done.status).toBe(200)
  expect(done.body).toEqual(
    expect.arrayContaining([
      { variant_id: a, location_id: here, available: 5 },
      { variant_id: a, location_id: there, available: 2 },
    ]),
  )
  await write(id, [
    { variant_id: a, location_id: here, available: 0 },
    { variant_id: b, location_id: here, available: 9 },
  ])
  const rows = (await read(id)).body
  expect(rows).toHaveLength(3)
  expect(rows).toEqual(
    expect.arrayContaining([expect.objectContaining({ variant_id: a, location_id: here, available: 0 })]),
  )
  expect((await write(id, [])).body).toEqual(rows)
})

test('Invalid inventory is refused with its pointer, and nothing is set', async () => {
  const { id, variants } = await product([{ inventory: [{ location_id: here, available: 5 }] }])
  const other = await product()
  const theirs = (await (await newShop()).asOperator('GET', '/locations')).body[0].id
  const good = { variant_id: variants[0], location_id: here, available: 1 }
  const refusals = [
    [{ ...good, available: -1 }, 'invalid_input', '/inventory/1/available'],
    [{ ...good, available: 1.5 }, 'invalid_input', '/inventory/1/available'],
    [{ ...good, variant_id: other.variants[0] }, 'variant_unknown', '/inventory/1/variant_id'],
    [{ ...good, location_id: theirs }, 'location_unknown', '/inventory/1/location_id'],
    [good, 'invalid_input', '/inventory/1'],
  ] as const
  for (const [row, code, pointer] of refusals) {
    const refused = await write(id, [good, row])
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([422, code, pointer])
  }
  expect((await read(id)).body).toMatchObject([{ available: 5 }])
})

test('A product without inventory has an empty list, and an unknown product returns 404', async () => {
  const bare = await shop.asOperator('POST', '/products', { key: unique() })
  expect((await read(bare.body.id)).body).toEqual([])
  const other = await newShop()
  const theirs = await other.asOperator('POST', '/products', { key: unique(), variants: [{}] })
  expect((await read(theirs.body.id)).status).toBe(404)
  expect((await write(theirs.body.id, [])).status).toBe(404)
})

test('Setting a count while the last units are sold never sells too many', async () => {
  const { id, variants } = await product([
    {
      prices: [{ market: 'us', amount: 100 }],
      requires_shipping: false,
      inventory: [{ location_id: here, available: 6 }],
    },
  ])
  const variant_id = variants[0] as string
  const carts = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const visitor = await shop.visitor()
      const cart = (await visitor.call('POST', '/carts/current')).body.id
      await visitor.call('PUT', `/carts/${cart}`, { product_items: [{ product_id: id, variant_id, quantity: 1 }] })
      return () => visitor.call('POST', `/carts/${cart}/checkout`, { payment_method_key: 'cash' }, eitherApi())
    }),
  )
  const row = { variant_id, location_id: here, available: 4 }
  const [set, ...checkouts] = await Promise.all([write(id, [row]), ...carts.map((checkout) => checkout())])
  expect(set?.status).toBe(200)
  const sold = checkouts.filter(({ status }) => status === 200).length
  for (const { status, body } of checkouts)
    expect([status, status === 409 ? body.code : null]).toEqual(status === 200 ? [200, null] : [409, 'out_of_stock'])
  const { available } = (await read(id)).body[0]
  // Before the count at most six were sold, after it four; what was sold after it is subtracted from it.
  expect(sold).toBe(10 - checkouts.filter(({ status }) => status === 409).length)
  expect(available).toBeGreaterThanOrEqual(Math.max(0, 4 - sold))
  expect(available).toBeLessThanOrEqual(4)
  expect(sold).toBeLessThanOrEqual(6 + 4 - available)
})

/** The level of the first variant here, by both routes: as a row of the inventory, and of the product's variant. */
const routes = {
  inventory: (id: string, variant_id: string, level: object) =>
    write(id, [{ variant_id, location_id: here, ...level }]),
  product: (id: string, variant_id: string, level: object) =>
    shop.asOperator(
      'PUT',
      `/products/${id}`,
      { variants: [{ id: variant_id, inventory: [{ location_id: here, ...level }] }] },
      eitherApi(),
    ),
}

test.each(Object.entries(routes))(
  'Stock that is changed by delta at the %s route keeps what was sold meanwhile',
  async (_, change) => {
    const { id, variants } = await product([{ inventory: [{ location_id: here, available: 10 }] }])
    const level = async () => (await read(id)).body[0]?.available
    const to = async (body: object) => {
      const { status, body: answer } = await change(id, variants[0] as string, body)
      return status === 200 ? level() : [status, answer.code, answer.available]
    }
    expect([await to({ delta: 5 }), await to({ delta: -7 }), await to({ delta: 0 })]).toEqual([15, 8, 8])
    expect([await to({ delta: -9 }), await level()]).toEqual([[409, 'out_of_stock', 8], 8])
    expect([await to({ available: 15, if_available: 9 }), await level()]).toEqual([[409, 'available_changed', 8], 8])
    expect([await to({ available: 15, if_available: null }), await level()]).toEqual([[409, 'available_changed', 8], 8])
    expect([await to({ available: 15, if_available: 8 }), await to({ available: 3 })]).toEqual([15, 3])
    // Repeated with what was read, a difference is written once.
    expect([await to({ delta: 5, if_available: 3 }), await to({ delta: 5, if_available: 3 })]).toEqual([
      8,
      [409, 'available_changed', 8],
    ])
    expect(await to({ delta: 1_000_000_000_000 })).toEqual([422, 'too_big', undefined])
    expect([await to({}), await to({ available: 1, delta: 1 }), await to({ delta: 1.5 })]).toEqual(
      Array(3).fill([422, 'invalid_input', undefined]),
    )
  },
)

test.each(Object.entries(routes))(
  'A variant without a level gets one by a delta at the %s route',
  async (_, change) => {
    const { id, variants } = await product([{}])
    const to = async (body: object) => {
      const { status, body: answer } = await change(id, variants[0] as string, body)
      return [
        status,
        answer.code ?? (await read(id)).body[0].available,
        answer.errors?.[0].pointer.replace('/variants/0', ''),
      ]
    }
    expect(await to({ delta: -1 })).toEqual([409, 'out_of_stock', '/inventory/0'])
    expect(await to({ available: 4, if_available: 0 })).toEqual([409, 'available_changed', '/inventory/0'])
    expect((await read(id)).body).toEqual([])
    expect([await to({ delta: 4, if_available: null }), await to({ delta: 2 })]).toEqual([
      [200, 4, undefined],
      [200, 6, undefined],
    ])
  },
)

test('Deltas of many operators on two servers, and sales between them, all count', async () => {
  const { id, variants } = await product([{ prices: [{ market: 'us', amount: 100 }], requires_shipping: false }])
  const variant_id = variants[0] as string
  const add = (level: object) => write(id, [{ variant_id, location_id: here, ...level }])
  // At first there is no level.
  const first = await Promise.all(Array.from({ length: 10 }, () => add({ delta: 3 })))
  expect(first.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect((await read(id)).body[0].available).toBe(30)
  const buy = async () => {
    const visitor = await shop.visitor()
    const cart = (await visitor.call('POST', '/carts/current')).body.id
    await visitor.call('PUT', `/carts/${cart}`, { product_items: [{ product_id: id, variant_id, quantity: 2 }] })
    return visitor.call('POST', `/carts/${cart}/checkout`, { payment_method_key: 'cash' }, eitherApi())
  }
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? buy() : add({ delta: n % 3 === 1 ? 5 : -1 }))),
  )
  expect(all.map(({ status }) => status)).toEqual(Array(12).fill(200))
  expect((await read(id)).body[0].available).toBe(30 - 4 * 2 + 4 * 5 - 4)
  const expected = await Promise.all(Array.from({ length: 8 }, (_, n) => add({ available: 100 + n, if_available: 38 })))
  expect(expected.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
})
