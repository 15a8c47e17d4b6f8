// A product is read back as it was written, by each of its names, and no other name finds it.
import { beforeAll, expect, test } from '@jest/globals'
import { database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let location: string
beforeAll(async () => {
  shop = await newShop({ languages: ['de', 'en'] })
  location = (await shop.asOperator('GET', '/locations')).body[0].id
})

const create = (body: Record<string, unknown> = {}, at = shop) =>
  at.asOperator('POST', '/products', { key: unique(), ...body })
const read = (id: string, at = shop) => at.asOperator('GET', `/products/${id}`, undefined, eitherApi())
const update = (id: string, body: unknown) => shop.asOperator('PUT', `/products/${id}`, body)
const pointers = (answer: { body: { errors?: { pointer: string }[] } }) =>
  answer.body.errors?.map(({ pointer }) => pointer)
const us = { market: 'us', currency: 'USD', amount: 500 }

test('A product is read back as written, without stock, by either process at once', async () => {
  const block = { id: 'b1', key: 'title', type: 'localized_text', properties: { min: 1 }, value: { en: 'Tea' } }
  const slug = { en: unique(), de: unique() }
  const taxonomy = await shop.asOperator('POST', '/taxonomies', { key: unique() })
  const taxonomies = [{ taxonomy_id: taxonomy.body.id, entry_ids: [] }]
  const variants = [
    {
      sku: 'T-1',
      prices: [us],
      attributes: [{ key: 'size', value: 'L' }],
      weight: 100,
      requires_shipping: true,
      taxable: false,
      is_digital: false,
    },
    { sku: null, prices: [], attributes: [], weight: null, requires_shipping: false, taxable: true, is_digital: true },
  ]
  const [first, second] = variants
  const given = {
    slug,
    blocks: [block],
    taxonomies,
    variants: [{ ...first, inventory: [{ location_id: location, available: 7 }] }, second],
  }
  const made = await create(given)
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ slug, blocks: [block], taxonomies, variants, status: 'active' })
  expect(JSON.stringify(made.body)).not.toMatch(/inventory|available|search|tenant/)
  expect((await read(made.body.id)).body).toEqual(made.body)
})

test('A product that was read can be sent back unchanged', async () => {
  const { body: product } = await create({
    slug: { en: unique() },
    variants: [{ sku: 'A', prices: [us], inventory: [{ location_id: location, available: 3 }] }],
  })
  const again = await update(product.id, product)
  expect(again.status).toBe(200)
  expect({ ...again.body, updated_at: 0 }).toEqual({ ...product, updated_at: 0 })
  expect((await shop.asOperator('GET', `/products/${product.id}/inventory`)).body).toMatchObject([{ available: 3 }])
})

test('A product can be copied under another key, and the copy has its own variants', async () => {
  const { body: product } = await create({ variants: [{ sku: 'A' }] })
  const copy = await create({ ...product, id: undefined, slug: {}, key: unique() })
  expect(copy.status).toBe(201)
  expect(copy.body.variants[0].sku).toBe('A')
  expect(copy.body.variants[0].id).not.toBe(product.variants[0].id)
})

/** A slug that was written before slugs like ids were refused. */
const giveSlug = (id: string, slug: string) =>
  database().query('update slugs set slug = $2 where owner_id = $1', [id, slug])

test('A product is read by a slug that looks like an id unless a product has that id', async () => {
  const slug = '0199aaaa-0000-7000-8000-00000000cafe'
  const [{ body: product }, { body: other }] = [
    await create({ slug: { en: unique() } }),
    await create({ slug: { en: unique() } }),
  ]
  await giveSlug(product.id, slug)
  await giveSlug(other.id, product.id)
  expect((await read(slug)).body).toEqual(product)
  expect((await read(product.id)).body.id).toBe(product.id)
  expect((await read(other.id)).status).toBe(200)
  expect((await read('0199aaaa-0000-7000-8000-00000000beef')).status).toBe(404)
})

test('A deleted product returns 404, and its key and slugs are free', async () => {
  const slug = { en: unique() }
  const { body: product } = await create({ slug, variants: [{ inventory: [{ location_id: location, available: 1 }] }] })
  expect(await shop.asOperator('DELETE', `/products/${product.id}`)).toMatchObject({
    status: 200,
    body: { success: true },
  })
  expect((await read(product.id)).status).toBe(404)
  expect((await shop.asOperator('DELETE', `/products/${product.id}`)).status).toBe(404)
  expect((await create({ key: product.key, slug })).status).toBe(201)
})

test('A product is archived and reactivated by its status in any case', async () => {
  const { body: product } = await create()
  expect((await update(product.id, { status: 'ARCHIVED' })).body.status).toBe('archived')
  expect((await update(product.id, { status: 'active' })).body.status).toBe('active')
  expect(pointers(await update(product.id, { status: 'gone' }))).toEqual(['/status'])
})

test('A list of variants replaces by id: new ones are created, absent ones deleted', async () => {
  const { body: product } = await create({ variants: [{ sku: 'A' }, { sku: 'B' }, { sku: 'C' }] })
  const [a, b, c] = product.variants
  const { body } = await update(product.id, { variants: [{ id: c.id }, { sku: 'D' }, { id: a.id, sku: 'A2' }] })
  expect(body.variants.map(({ sku }: { sku: string }) => sku)).toEqual(['C', 'D', 'A2'])
  expect(body.variants.map(({ id }: { id: string }) => id)).toEqual([c.id, expect.not.stringMatching(b.id), a.id])
  expect((await read(product.id)).body).toEqual(body)
  expect((await update(product.id, { variants: [] })).body.variants).toEqual([])
})

test('An absent field of a variant is kept, and inventory that is sent replaces its stock', async () => {
  const other = (await shop.asOperator('POST', '/locations', { key: unique(), address: {} })).body.id
  const inventory = [
    { location_id: location, available: 3 },
    { location_id: other, available: 4 },
  ]
  const { body: product } = await create({ variants: [{ sku: 'A', prices: [us], weight: 5, inventory }] })
  const { id } = product.variants[0]
  const stock = async () =>
    (await shop.asOperator('GET', `/products/${product.id}/inventory`)).body
      .map((row: { available: number }) => row.available)
      .sort()
  expect((await update(product.id, { variants: [{ id, sku: 'B' }] })).body.variants).toMatchObject([
    { id, sku: 'B', prices: [us], weight: 5 },
  ])
  expect(await stock()).toEqual([3, 4])
  await update(product.id, { variants: [{ id, weight: null, inventory: [{ location_id: other, available: 9 }] }] })
  expect(await stock()).toEqual([9])
  expect((await read(product.id)).body.variants[0].weight).toBeNull()
  await update(product.id, { variants: [{ id, inventory: [] }] })
  expect(await stock()).toEqual([])
})

test('A variant id of another product is refused', async () => {
  const { body: one } = await create({ variants: [{ sku: 'A' }] })
  const { body: other } = await create({ variants: [{ sku: 'B' }] })
  const refused = await update(other.id, { variants: [{ sku: 'N' }, { id: one.variants[0].id }] })
  expect([refused.status, refused.body.code, pointers(refused)]).toEqual([422, 'variant_unknown', ['/variants/1/id']])
  expect((await read(other.id)).body.variants).toEqual(other.variants)
  const twice = [{ id: other.variants[0].id }, { id: other.variants[0].id }]
  expect(pointers(await update(other.id, { variants: twice }))).toEqual(['/variants/1/id'])
})

test('Concurrent updates of one product do not mix their variants', async () => {
  const { body: product } = await create({ variants: [{ sku: 'A' }] })
  const writes = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) => update(product.id, { variants: [{ sku: `${n}a` }, { sku: `${n}b` }] })),
  )
  expect(writes.map(({ status }) => status)).toEqual(Array(6).fill(200))
  const skus = (await read(product.id)).body.variants.map(({ sku }: { sku: string }) => sku)
  expect(skus).toEqual([`${skus[0][0]}a`, `${skus[0][0]}b`])
})

test('A price without a currency gets its market’s currency', async () => {
  const { body } = await create({
    variants: [
      {
        prices: [
          { market: 'us', amount: 1 },
          { market: 'eu', currency: 'eur', amount: 2 },
        ],
      },
    ],
  })
  expect(body.variants[0].prices).toEqual([
    { market: 'us', currency: 'USD', amount: 1 },
    { market: 'eu', currency: 'EUR', amount: 2 },
  ])
})

test.each([
  ['an unknown market', { prices: [us, { market: 'xx', amount: 1 }] }, 'market_unknown', '/variants/0/prices/1/market'],
  [
    'another currency than the market’s',
    { prices: [{ ...us, currency: 'EUR' }] },
    'currency_mismatch',
    '/variants/0/prices/0/currency',
  ],
  ['two prices in one market', { prices: [us, us] }, 'invalid_input', '/variants/0/prices/1/market'],
  ['a negative price', { prices: [{ ...us, amount: -1 }] }, 'invalid_input', '/variants/0/prices/0/amount'],
  ['a fraction of a cent', { prices: [{ ...us, amount: 1.5 }] }, 'invalid_input', '/variants/0/prices/0/amount'],
  [
    'an unknown location',
    { inventory: [{ location_id: '0199aaaa-0000-7000-8000-000000000000', available: 1 }] },
    'location_unknown',
    '/variants/0/inventory/0/location_id',
  ],
  [
    'less than nothing in stock',
    { inventory: [{ location_id: '0199aaaa-0000-7000-8000-000000000000', available: -1 }] },
    'invalid_input',
    '/variants/0/inventory/0/available',
  ],
  ['an unknown field', { colour: 'red' }, 'invalid_input', '/variants/0/colour'],
])('A product with %s is refused with its pointer and not stored', async (_, variant, code, pointer) => {
  const key = unique()
  const refused = await create({ key, variants: [variant] })
  expect([refused.status, refused.body.code, pointers(refused)]).toEqual([422, code, [pointer]])
  expect((await create({ key })).status).toBe(201)
})

test('A location of another store is refused like an unknown one', async () => {
  const other = await newShop()
  const theirs = (await other.asOperator('GET', '/locations')).body[0].id
  expect((await create({ variants: [{ inventory: [{ location_id: theirs, available: 1 }] }] })).body.code).toBe(
    'location_unknown',
  )
})

test('A product key is unique in its store, also for concurrent creations, but not globally', async () => {
  const key = unique()
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => shop.asOperator('POST', '/products', { key }, eitherApi())),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
  for (const { body } of answers.filter(({ status }) => status === 409))
    expect([body.code, body.errors[0].pointer]).toEqual(['key_taken', '/key'])
  const { body: other } = await create()
  expect((await update(other.id, { key })).body.code).toBe('key_taken')
  expect((await create({ key }, await newShop())).status).toBe(201)
})

test('A slug is unique per locale, also for concurrent creations', async () => {
  const slug = unique()
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      shop.asOperator('POST', '/products', { key: unique(), slug: { de: unique(), en: slug } }, eitherApi()),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
  for (const { body } of answers.filter(({ status }) => status === 409))
    expect([body.code, body.errors[0].pointer]).toEqual(['slug_taken', '/slug/en'])
  expect((await create({ slug: { fr: slug } })).status).toBe(201)
  expect((await create({ slug: { en: slug } }, await newShop())).status).toBe(201)
})

test('A product is found by its slug in a locale, or in the store’s first language', async () => {
  const word = unique()
  const { body: english } = await create({ slug: { en: word } })
  const { body: german } = await create({ slug: { de: word } })
  expect((await read(`${word}?locale=en`)).body.id).toBe(english.id)
  expect((await read(`${word}?locale=de`)).body.id).toBe(german.id)
  expect((await read(word)).body.id).toBe(german.id)
  expect((await read(`${word}?locale=fr`)).status).toBe(404)
  await update(german.id, { slug: { de: `${word}-neu` } })
  expect((await read(word)).body.id).toBe(english.id)
  expect((await read(`${word}-neu`)).body.id).toBe(german.id)
})

test('A product of another store returns 404 by id and slug', async () => {
  const other = await newShop()
  const { body: theirs } = await create({ slug: { en: unique() }, variants: [{ sku: 'A' }] }, other)
  for (const name of [theirs.id, theirs.slug.en]) expect((await read(name)).status).toBe(404)
  expect((await update(theirs.id, { status: 'archived' })).status).toBe(404)
  expect((await shop.asOperator('DELETE', `/products/${theirs.id}`)).status).toBe(404)
  expect((await shop.as(shop.op, 'GET', `/v1/stores/${other.store_id}/products`)).status).toBe(404)
  expect((await read(theirs.id, other)).body.status).toBe('active')
})
