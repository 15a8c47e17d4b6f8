// What a product costs is counted in statements and rows, and does not grow with the catalog.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { log } from '../../api/kit/log.ts'
import { serve } from '../../api/kit/server.ts'
import { routes } from '../../api/routes.ts'
import { type Orm, openOrm } from '../../entities/orm.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

type Statement = { text: string; values: readonly unknown[] }
let said: Statement[] = []
let orm: Orm
let server: http.Server
let base: string
let shop: Shop

/** An API process of our own, whose statements are heard; the catalog is that of a large store. */
beforeAll(async () => {
  log.level = 'silent'
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
  orm.config.set('onQuery', (text, values) => {
    said.push({ text, values })
    return text
  })
  server = http.createServer(serve(orm, routes, () => {}).callback()).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
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
  await database().query('analyze products, product_variants')
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await orm.close(true)
  await database().end()
})

async function statementsOf(...asked: Parameters<Shop['asOperator']>): Promise<Statement[]> {
  said = []
  const { status, body } = await shop.asOperator(asked[0], asked[1], asked[2], base)
  if (status > 201) throw new Error(JSON.stringify(body))
  return said
}

type Plan = { 'Node Type': string; 'Actual Rows': number; 'Actual Loops': number; 'Rows Removed by Filter'?: number; Plans?: Plan[] }
const rowsOf = (plan: Plan): number =>
  (plan.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'])
const nodesOf = (plan: Plan): string[] => [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodesOf)]

async function planOf({ text, values }: Statement): Promise<Plan> {
  const rows: { 'QUERY PLAN': { Plan: Plan }[] }[] = await orm.em.fork().execute(`explain (analyze, format json) ${text}`, [...values])
  return rows[0]?.['QUERY PLAN'][0]?.Plan as Plan
}

const taxonomy = '0199bbbb-0000-7000-8000-000000000000'
const entry = '0199aaaa-0000-7000-8000-0000000000'
const inTaxonomy = (filters: unknown) => `taxonomy_query=${encodeURIComponent(JSON.stringify(filters))}`

const deep = Buffer.from(JSON.stringify(['created_at', 1_700_000_500, 'ffffffff-ffff-ffff-ffff-ffffffffffff'])).toString('base64url')

describe('a page of 20 out of 30,000', () => {
  test.each([
    '',
    'sort_direction=asc',
    'sort_field=updated_at',
    'sort_field=key',
    'status=draft',
    `cursor=${deep}`,
    'created_at_from=1700000100&created_at_to=1700000200',
    'query=common',
    'query=rare77',
    inTaxonomy([{ taxonomy_id: taxonomy, entry_ids: [`${entry}77`, `${entry}78`] }]),
    `match_all=true&${inTaxonomy([{ taxonomy_id: taxonomy, entry_ids: [`${entry}77`] }, { taxonomy_id: taxonomy }])}`,
    inTaxonomy([{ taxonomy_id: taxonomy }]),
  ])('asked for %p is four statements at most, and reads what it shows by index', async (search) => {
    const statements = await statementsOf('GET', `/products?limit=20&${search}`)
    expect(statements.length).toBeLessThanOrEqual(4)
    const page = statements.find(({ text }) => /from "products"/.test(text) && !/product_variants/.test(text)) as Statement
    const plan = await planOf(page)
    expect(nodesOf(plan)).not.toContain('Seq Scan')
    // A search walks the newest until it has enough, or takes all that it found: some hundreds, not the table.
    expect(rowsOf(plan)).toBeLessThan(search.startsWith('query') ? 3_000 : 200)
  })
})

describe('a product', () => {
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

  test('costs as many statements with a hundred variants as with one', async () => {
    const location_id = await here()
    const create = (count: number) =>
      statementsOf('POST', '/products', { key: unique(), slug: { en: unique(), de: unique() }, variants: variants(count, location_id) })
    const [one, hundred] = [(await create(1)).length, (await create(100)).length]
    expect(hundred).toBe(one)
    expect(one).toBeLessThanOrEqual(8)
  })

  test('is changed as a whole in a dozen, and its status in four', async () => {
    const location_id = await here()
    const { body } = await shop.asOperator('POST', '/products', { key: unique(), slug: { en: unique() }, variants: variants(50, location_id) })
    const kept = body.variants
      .slice(10)
      .map(({ id }: { id: string }, n: number) => ({ id, sku: `new ${n}`, prices: [{ market: 'us', amount: 1 }], inventory: [] }))
    const change = { slug: { en: unique() }, variants: [...kept, ...variants(10, location_id)] }
    expect((await statementsOf('PUT', `/products/${body.id}`, change)).length).toBeLessThanOrEqual(12)
    expect((await statementsOf('PUT', `/products/${body.id}`, { status: 'archived' })).length).toBeLessThanOrEqual(4)
  })

  test('is read by id in three and by slug in four', async () => {
    const slug = unique()
    const { body } = await shop.asOperator('POST', '/products', { key: unique(), slug: { en: slug }, variants: [{}] })
    expect((await statementsOf('GET', `/products/${body.id}`)).length).toBe(3)
    expect((await statementsOf('GET', `/products/${slug}`)).length).toBe(4)
  })
})
