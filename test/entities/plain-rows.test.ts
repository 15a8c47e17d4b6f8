// A page is bounded by the size of its records: with records of any size, one process answers concurrent requests, and
// paging skips none.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { collection } from '../kit/content/content.ts'
import { apiWith } from '../kit/orders/buying.ts'
import { type Answer, database, http, newShop, type Shop, type Visitor } from '../kit/shop.ts'

let shop: Shop
let visitor: Visitor
let one: Awaited<ReturnType<typeof apiWith>>

/** About a megabyte of JSON: digits that do not compress, one repeated letter, or very many small values. */
const contents = (n: string) => `case
  when ${n} % 2 = 0 then (select jsonb_agg(jsonb_build_object('key', 'k', 'type', 't', 'value', md5(${n}::text || i))) from generate_series(1, 14000) as i)
  when ${n} % 20 > 1 then jsonb_build_array(jsonb_build_object('key', 'k', 'type', 't', 'value', repeat('x', 1000000)))
  else (select jsonb_build_array(jsonb_build_object('key', 'k', 'type', 't', 'value', jsonb_agg(i % 10))) from generate_series(1, 330000) as i) end`

/** Dozens of each, some of the same second, then a hundred small entries. */
beforeAll(async () => {
  shop = await newShop()
  visitor = await shop.visitor()
  one = await apiWith({ NODE_OPTIONS: '--max-old-space-size=384' })
  const fill = (sql: string, ...more: unknown[]) => database().query(sql, [shop.store_id, ...more])
  await fill(
    `insert into entries (id, tenant_id, collection_id, created_at, updated_at, key, slug, blocks, taxonomies, status)
     select gen_random_uuid(), $1, $2, 1700000000 + n / 3, 1, 'e' || n, '{}',
       case when n <= 40 then ${contents('n')} else '[]' end, '[]', 'active'
     from generate_series(1, 140) as n`,
    (await collection(shop)).id,
  )
  await fill(
    `insert into products (id, tenant_id, created_at, updated_at, key, slug, blocks, taxonomies, status)
     select gen_random_uuid(), $1, 1700000000 + n / 3, 1, 'p' || n, '{}', case when n <= 30 then ${contents('n')} else '[]' end, '[]', 'active' from generate_series(1, 140) as n`,
  )
  await fill(
    `insert into product_variants (id, tenant_id, product_id, created_at, updated_at, position, prices, attributes)
     select gen_random_uuid(), tenant_id, id, 1, 1, v, '[]', case when n between 31 and 60 and v = 1 then ${contents('n')} else '[]' end
     from (select tenant_id, id, substring(key from 2)::int as n from products where tenant_id = $1) as p, generate_series(0, 1) as v`,
  )
  await fill(
    `insert into orders (id, tenant_id, created_at, updated_at, number, status, fulfillment_status, contact_id, verified, source_cart_id, payment_id, market, money, forms)
     select gen_random_uuid(), $1, 1700000000 + n / 3, 1, n, 'pending', 'none', $2, false, gen_random_uuid(), gen_random_uuid(), 'us',
       '{"currency": "USD", "subtotal": 0, "discount": 0, "shipping": 0, "tax": 0, "total": 0}',
       case when n <= 20 then
         jsonb_build_array(jsonb_build_object('key', 'f', 'entries',
           jsonb_build_array(jsonb_build_object('key', 'a', 'value', ${contents('n')}))))
       else '[]' end
     from generate_series(1, 140) as n`,
    visitor.contact_id,
  )
  await fill(
    `insert into email_templates (id, tenant_id, created_at, updated_at, key, type, status, format, subject, body)
     select gen_random_uuid(), $1, 1700000000 + n / 3, 1, 't' || n, 'transactional', 'active', 'html', 's', repeat('x', case when n <= 15 then 900000 else 10 end)
     from generate_series(1, 40) as n`,
  )
}, 120_000)
afterAll(async () => {
  await one?.stop()
  await database().end()
})

const known = () => ({ 'x-service-publishable-key': shop.publishable_key, 'x-service-visitor-token': visitor.token })
const get = (path: string): Promise<Answer> =>
  http('GET', path, { base: one.url, headers: path.startsWith('/v1/storefront') ? known() : shop.op.headers })

const lists: [string, () => string, number, string][] = [
  ['entries', () => '/v1/storefront/entries', 140, 'sort_direction=desc'],
  ['products, of which some have large variants', () => '/v1/storefront/products', 140, 'sort_direction=asc'],
  ['a visitor’s own orders', () => '/v1/storefront/orders', 140, 'sort_field=updated_at'],
  [
    'e-mail templates',
    () => `/v1/stores/${shop.store_id}/email-templates`,
    40,
    'sort_field=updated_at&sort_direction=asc',
  ],
]

describe.each(lists)('Pages of %s', (name, path, count, sorted) => {
  test(`Pages of large ${name} follow each other without a gap and fit into memory`, async () => {
    const seen: string[] = []
    const sizes: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body }: Answer = await get(`${path()}?limit=100&${sorted}&cursor=${cursor}`)
      expect(status).toBe(200)
      expect(body.items.length).toBeGreaterThan(0)
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      sizes.push(JSON.stringify(body).length)
      cursor = body.cursor
    }
    expect([seen.length, new Set(seen).size]).toEqual([count, count])
    expect(Math.max(...sizes)).toBeLessThan(6 * 1024 * 1024)
    // Full pages and not single records: small records by the hundred, large ones by the megabyte.
    expect(sizes.length).toBeLessThan(30)
  }, 60_000)

  test(`Four concurrent requests for large ${name} are all answered`, async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => get(`${path()}?limit=100&sort_direction=asc`)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  }, 60_000)
})

test('A product cannot grow beyond its limit by repeated updates', async () => {
  const made = await shop.asOperator('POST', '/products', {
    key: 'grown',
    variants: Array.from({ length: 5 }, () => ({})),
  })
  const ids: string[] = made.body.variants.map(({ id }: { id: string }) => id)
  const grown = (at: number) =>
    shop.asOperator('PUT', `/products/${made.body.id}`, {
      variants: ids.map((id, n) => (n === at ? { id, attributes: ['x'.repeat(900_000)] } : { id })),
    })
  expect([(await grown(0)).status, (await grown(1)).status]).toEqual([200, 200])
  const refused = await grown(2)
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [expect.objectContaining({ pointer: '/variants', code: 'too_big' })],
  ])
})
