// The cost of products in statements and rows does not grow with the catalog.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { cursorAt } from '../../api/kit/listing.ts'
import { listenAlone, nodesOf, rowsOf, type Statement } from '../kit/heard.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

jest.setTimeout(180_000)

let own: Awaited<ReturnType<typeof listenAlone>>
let shop: Shop

/** A catalog as large as a large store's. */
beforeAll(async () => {
  own = await listenAlone('catalog-cost')
  shop = await newShop()
  await database().query(
    `insert into products (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status, search)
     select gen_random_uuid(), 1700000000 + n, 1700000000 + (n * 7919) % 100000, $1, 'item-' || n, '{}', '[]',
       jsonb_build_array(jsonb_build_object('taxonomy_id', $2::text, 'entry_ids', jsonb_build_array(lpad((n % 1000)::text, 36, '0199aaaa-0000-7000-8000-000000000000')))),
       case when n % 10 = 0 then 'draft' else 'active' end, to_tsvector('simple', 'item-' || n || ' item common rare' || n % 1000)
     from generate_series(1, 30000) as n`,
    [shop.store_id, taxonomy],
  )
  await database().query(
    `insert into product_variants (id, created_at, updated_at, tenant_id, product_id, position, prices, attributes)
     select gen_random_uuid(), 1, 1, tenant_id, id, 0, '[]', '[]' from products where tenant_id = $1`,
    [shop.store_id],
  )
  await database().query(`insert into taxonomies (id, created_at, updated_at, tenant_id, key, schema) values ($2, 1, 1, $1, 'sorts', '[]')`, [
    shop.store_id,
    taxonomy,
  ])
  await database().query(
    `insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
     select tenant_id, 'product', id, created_at, $2::uuid, (taxonomies #>> '{0,entry_ids,0}')::uuid from products where tenant_id = $1`,
    [shop.store_id, taxonomy],
  )
  await database().query('analyze products, product_variants, taxonomy_links')
})
afterAll(async () => {
  await database().end()
  await own.close()
})

const statementsOf = (...asked: Parameters<Shop['asOperator']>) => own.statementsOf(shop, asked[0], asked[1], asked[2])

const taxonomy = '0199bbbb-0000-7000-8000-000000000000'
const entry = '0199aaaa-0000-7000-8000-0000000000'
const inTaxonomy = (filters: unknown) => `taxonomy_query=${encodeURIComponent(JSON.stringify(filters))}`

const deep = () => {
  const scope = { spec: 'GET /v1/stores/{storeId}/products', tenant_id: shop.store_id, path: { storeId: shop.store_id } } as const
  return cursorAt({ ...scope, sort_field: 'created_at', sort_direction: 'desc' }, 1_700_000_500, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
}

test.each([
  '',
  'sort_direction=asc',
  'sort_field=updated_at',
  'sort_field=key',
  'status=draft',
  'cursor=<deep>',
  'created_at_from=1700000100&created_at_to=1700000200',
  'query=common',
  'query=rare77',
  inTaxonomy([{ taxonomy_id: taxonomy, entry_ids: [`${entry}77`, `${entry}78`] }]),
  `match_all=true&${inTaxonomy([{ taxonomy_id: taxonomy, entry_ids: [`${entry}77`] }, { taxonomy_id: taxonomy }])}`,
  inTaxonomy([{ taxonomy_id: taxonomy }]),
])('A page of products by %p costs at most four statements and reads by index', async (search) => {
  const statements = await statementsOf('GET', `/products?limit=20&${search.replace('<deep>', deep)}`)
  expect(statements.length).toBeLessThanOrEqual(4)
  const page = statements.find(({ text }) => /from "products"/.test(text)) as Statement
  const plan = await own.planOf(page)
  expect(nodesOf(plan)).not.toContain('Seq Scan')
  // A search walks the newest until it has enough, or reads all its matches: some hundreds, not the table.
  expect(rowsOf(plan)).toBeLessThan(search.startsWith('query') ? 3_000 : 500)
})

describe('Single products', () => {
  const here = async () => (await shop.asOperator('GET', '/locations')).body[0].id
  const variants = (count: number, location_id: string) =>
    Array.from({ length: count }, (_, n) => ({
      sku: `${n}`,
      prices: [
        { market: 'us', amount: n },
        { market: 'eu', amount: n },
      ],
      inventory: [{ location_id, available: n }],
    }))

  test('A product with a hundred variants costs as many statements as with one', async () => {
    const location_id = await here()
    const create = (count: number) =>
      statementsOf('POST', '/products', { key: unique(), slug: { en: unique(), de: unique() }, variants: variants(count, location_id) })
    const [one, hundred] = [(await create(1)).length, (await create(100)).length]
    expect(hundred).toBe(one)
    expect(one).toBeLessThanOrEqual(8)
  })

  test('Updating a whole product costs thirteen statements, and its status five', async () => {
    const location_id = await here()
    const { body } = await shop.asOperator('POST', '/products', { key: unique(), slug: { en: unique() }, variants: variants(50, location_id) })
    const kept = body.variants
      .slice(10)
      .map(({ id }: { id: string }, n: number) => ({ id, sku: `new ${n}`, prices: [{ market: 'us', amount: 1 }], inventory: [] }))
    const change = { slug: { en: unique() }, variants: [...kept, ...variants(10, location_id)] }
    expect((await statementsOf('PUT', `/products/${body.id}`, change)).length).toBeLessThanOrEqual(13)
    expect((await statementsOf('PUT', `/products/${body.id}`, { status: 'archived' })).length).toBeLessThanOrEqual(5)
  })

  test('Reading a product costs three statements by id and four by slug', async () => {
    const slug = unique()
    const { body } = await shop.asOperator('POST', '/products', { key: unique(), slug: { en: slug }, variants: [{}] })
    expect((await statementsOf('GET', `/products/${body.id}`)).length).toBe(3)
    expect((await statementsOf('GET', `/products/${slug}`)).length).toBe(4)
  })
})
