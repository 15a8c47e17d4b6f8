// The cost of contacts in a store with many of them: lists read what they show by an index, and a merge has a fixed
// number of statements.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { made } from '../kit/content/content.ts'
import { asQuery, term } from '../kit/content/taxonomies.ts'
import { nodesOf, recordStatementsAlone, rowsOf, type Statement } from '../kit/database/statements.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(180_000)

/** Nine of ten are visitors without an address. */
const contacts = 20_000

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let shop: Shop
let topic: string
let child: string

beforeAll(async () => {
  own = await recordStatementsAlone('contacts')
  shop = await newShop()
  ;[topic, child] = [(await term(shop)).id, (await term(shop)).id]
  const fill = (count: number, anonymous: boolean) =>
    database().query(
      `with c as (insert into contacts (id, tenant_id, created_at, updated_at, status, taxonomies, anonymous, search)
         select gen_random_uuid(), $1, 1700000000 + n, 1700000000 + (n * 7919) % 100000, case when n % 1000 = 0 then 'archived' else 'active' end, '[]', $2,
           case when not $2 then to_tsvector('simple', 'person' || n || ' group' || n % 500 || ' tillwright test') end
         from generate_series(1, $3::int) n returning id, tenant_id, created_at, created_at - 1700000000 as n),
       h as (insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, address, owned)
         select gen_random_uuid(), tenant_id, 1, 1, id, 'person' || n || '@tillwright.test', true from c where not $2)
       insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
       select tenant_id, 'contact', id, created_at, $4::uuid, case when n % 50 = 0 then $5::uuid else $4::uuid end from c where not $2`,
      [shop.store_id, anonymous, count, topic, child],
    )
  await fill(contacts / 10, false)
  await fill((contacts * 9) / 10, true)
  await database().query('vacuum analyze contacts')
  await database().query('vacuum analyze contact_channels')
  await database().query('vacuum analyze taxonomy_links')
})
afterAll(async () => {
  await database().end()
  await own.close()
})

test.each<[by: string, query: () => string, rows: number]>([
  ['default', () => '', 500],
  ['age', () => 'sort_direction=asc', 500],
  ['change', () => 'sort_field=updated_at', 500],
  ['a rare status', () => 'status=archived', 500],
  ['a frequent word', () => 'query=tillwright', 3_000],
  ['a rare word', () => 'query=group77', 3_000],
  ['an address', () => 'query=person77%20tillwright', 3_000],
  ['an id', () => `query=${topic}`, 500],
  ['a term', () => asQuery([{ taxonomy_id: topic, entry_ids: [child] }]), 1_000],
  ['a whole taxonomy', () => asQuery([{ taxonomy_id: topic }]), 1_000],
  ['visitors', () => 'anonymous=true', 500],
])('A page of 20 contacts by %s has three statements and reads what it shows', async (_, query, rows) => {
  const statements = await own.statementsOf(shop, 'GET', `/contacts?limit=20&${query()}`)
  expect(statements.length).toBeLessThanOrEqual(3)
  const plan = await own.planOf(statements.find(({ text }) => /from "?contacts\b/.test(text)) as Statement)
  expect(nodesOf(plan)).not.toContain('Seq Scan')
  expect(rowsOf(plan)).toBeLessThan(rows)
})

test('A merge has at most 29 statements, however many orders, channels and terms', async () => {
  const email = (n: number) => ({
    email: `merged${n}@tillwright.test`,
    taxonomies: [{ taxonomy_id: topic, entry_ids: n % 2 ? [child] : [] }],
  })
  for (const orders of [0, 1_000]) {
    const source = await made(shop.asOperator('POST', '/contacts', email(orders)))
    const target = await made(shop.asOperator('POST', '/contacts', email(orders + 1)))
    await database().query(
      `insert into orders (id, tenant_id, created_at, updated_at, number, fulfillment_status, contact_id, verified, source_cart_id, payment_id, market, money, forms)
       select gen_random_uuid(), $1, n, n, n, 'none', $2, false, gen_random_uuid(), gen_random_uuid(), 'us', '{}', '[]' from generate_series(1, $3::int) n`,
      [shop.store_id, source.id, orders],
    )
    await database().query(
      `insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, type, address)
       select gen_random_uuid(), $1, 1, 1, c, 'custom', n from unnest($2::uuid[]) c, generate_series(1, 20) n`,
      [shop.store_id, [source.id, target.id]],
    )
    const statements = await own.statementsOf(shop, 'POST', `/contacts/${target.id}/merge`, {
      source_contact_id: source.id,
    })
    expect(statements.length).toBeLessThanOrEqual(29)
    const { rows } = await database().query('select count(*)::int as count from orders where contact_id = $1', [
      target.id,
    ])
    expect(rows[0].count).toBe(orders)
  }
})
