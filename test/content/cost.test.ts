// The cost of content in statements and rows: writing an entry does not grow with what it names, a page not with the store.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { cursorAt } from '../../api/kit/listing.ts'
import { product } from '../kit/buying.ts'
import { collection, entry, type Made, made, mediaRow } from '../kit/content.ts'
import { listenAlone, nodesOf, rowsOf, type Statement } from '../kit/heard.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

jest.setTimeout(180_000)

let own: Awaited<ReturnType<typeof listenAlone>>
let shop: Shop
let topic: Made
let collections: Made[]

const term = (n: number) => `0199aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`

/** 30,000 entries, most in one collection: term 1 has every second one, term 2 a hundred old ones, the others 30 each. */
beforeAll(async () => {
  own = await listenAlone('content-cost')
  shop = await newShop()
  collections = [await collection(shop), await collection(shop)]
  topic = await made(shop.asOperator('POST', '/taxonomies', { key: 'topic' }))
  await database().query(
    `insert into entries (id, tenant_id, collection_id, created_at, updated_at, key, slug, blocks, taxonomies, status, search)
     select gen_random_uuid(), $1, (case when n % 300 = 0 then $3 else $2 end)::uuid, 1700000000 + n, 1700000000 + (n * 7919) % 100000, 'item-' || n, '{}', '[]', '[]',
       case when n % 10 = 0 then 'draft' else 'active' end, to_tsvector('simple', 'item-' || n || ' common rare' || n % 1000)
     from generate_series(1, 30000) as n`,
    [shop.store_id, collections[0]?.id, collections[1]?.id],
  )
  await database().query(
    `insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
     select e.tenant_id, 'entry', e.id, e.created_at, $2::uuid, ('0199aaaa-0000-7000-8000-' || lpad(t.term::text, 12, '0'))::uuid
     from entries e, lateral (select e.created_at - 1700000000 as n) as x,
       lateral (select 1 as term where n % 2 = 0 union all select 2 where n <= 100 union all select 10 + n % 1000) as t where e.tenant_id = $1`,
    [shop.store_id, topic.id],
  )
  await database().query('analyze entries, taxonomy_links')
})
afterAll(async () => {
  await database().end()
  await own.close()
})

const statementsOf = (...asked: Parameters<Shop['asOperator']>) => own.statementsOf(shop, asked[0], asked[1], asked[2])
const under = (...terms: (number | null)[]) =>
  `taxonomy_query=${encodeURIComponent(JSON.stringify(terms.map((n) => ({ taxonomy_id: topic.id, ...(n === null ? {} : { entry_ids: [term(n)] }) }))))}`
const deep = () => {
  const scope = { spec: 'GET /v1/stores/{storeId}/entries', tenant_id: shop.store_id, path: { storeId: shop.store_id } } as const
  return cursorAt({ ...scope, sort_field: 'created_at', sort_direction: 'desc' }, 1_700_000_500, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
}

describe('A page of 20 out of 30,000', () => {
  const of = (n: number) => `collection_id=${collections[n]?.id}`
  const asked: [string, () => string, number][] = [
    ['everything', () => '', 300],
    ['the oldest', () => 'sort_direction=asc', 300],
    ['by change', () => 'sort_field=updated_at', 300],
    ['by key', () => 'sort_field=key', 300],
    ['a status', () => 'status=draft', 300],
    ['a key', () => 'key=item-77', 300],
    ['a page deep down', () => `cursor=${deep()}`, 300],
    ['a large collection', () => of(0), 300],
    ['a small collection', () => of(1), 300],
    ['a collection and a status', () => `${of(0)}&status=draft`, 300],
    ['a collection by change', () => `${of(1)}&sort_field=updated_at`, 500],
    ['words', () => 'query=rare77', 3_000],
    ['a frequent term', () => under(1), 500],
    ['a rare and old term', () => under(2), 500],
    ['a rare term', () => under(87), 500],
    ['a whole taxonomy', () => under(null), 500],
    ['either of two terms', () => under(87, 88), 500],
    ['two terms at once', () => `match_all=true&${under(1, 87)}`, 1_000],
    ['a frequent term, a page deep down', () => `cursor=${deep()}&${under(1)}`, 2_500],
    ['a frequent term of long ago', () => `created_at_to=1700000500&${under(1)}`, 2_500],
    ['a frequent term from then on, oldest first', () => `created_at_from=1700029000&sort_direction=asc&${under(1)}`, 500],
    ['two frequent terms', () => `match_all=true&${under(1, null)}`, 1_000],
    ['a frequent term in a large collection', () => `${of(0)}&${under(1)}`, 500],
    ['a frequent term of a status', () => `status=draft&${under(1)}`, 1_500],
    ['a rare term in a collection of a status', () => `${of(0)}&status=active&${under(87)}`, 500],
    ['a frequent term in a small collection', () => `${of(1)}&${under(1)}`, 1_500],
    ['a rare term by key', () => `sort_field=key&${under(87)}`, 500],
  ]
  test.each(asked)('A page of entries by %s costs at most four statements and reads by index', async (_, search, rows) => {
    const statements = await statementsOf('GET', `/entries?limit=20&${search()}`)
    expect(statements.length).toBeLessThanOrEqual(4)
    const plan = await own.planOf(statements.find(({ text }) => /from "entries"/.test(text)) as Statement)
    expect(nodesOf(plan)).not.toContain('Seq Scan')
    expect(rowsOf(plan)).toBeLessThan(rows)
  })
})

test('An entry with 20 blocks, ten references, slugs and a taxonomy costs ten statements', async () => {
  const kinds = ['entry', 'product', 'media'] as const
  const types = [...Array.from({ length: 10 }, (_, n) => kinds[n % 3] as string), ...Array.from({ length: 10 }, (_, n) => (n % 2 ? 'text' : 'localized_text'))]
  const { id } = await collection(
    shop,
    types.map((type, n) => ({ key: `b${n}`, type })),
  )
  const other = collections[1]?.id as string
  const target = { entry: async () => (await entry(shop, other)).id, product: async () => (await product(shop)).id, media: () => mediaRow(shop) }
  const blocks: unknown[] = []
  for (const [n, type] of types.entries())
    blocks.push({ key: `b${n}`, type, value: type === 'text' ? 'x' : type === 'localized_text' ? { en: 'x' } : await target[type as 'entry']() })
  const whole = {
    collection_id: id,
    key: unique(),
    slug: { en: unique(), de: unique() },
    blocks,
    taxonomies: [{ taxonomy_id: topic.id, entry_ids: [topic.id] }],
  }
  const statements = await statementsOf('POST', '/entries', whole)
  expect(statements.length).toBeLessThanOrEqual(10)
  expect((await statementsOf('POST', '/entries', { collection_id: id, key: unique() })).length).toBeLessThanOrEqual(8)
  const { items } = (await shop.asOperator('GET', `/entries?key=${whole.key}`)).body
  const { rows } = await database().query('select target_id from block_references where owner_id = $1', [items[0].id])
  expect(rows).toHaveLength(10)

  expect((await statementsOf('PUT', `/entries/${items[0].id}`, { blocks, slug: whole.slug, taxonomies: whole.taxonomies })).length).toBeLessThanOrEqual(11)
  expect((await statementsOf('PUT', `/entries/${items[0].id}`, { status: 'draft' })).length).toBeLessThanOrEqual(6)
  expect((await statementsOf('GET', `/entries/${items[0].id}`)).length).toBeLessThanOrEqual(2)
  expect((await statementsOf('GET', `/entries/${whole.slug.en}`)).length).toBeLessThanOrEqual(3)
  expect((await statementsOf('DELETE', `/entries/${items[0].id}`)).length).toBeLessThanOrEqual(10)
})

test('Deleting a collection costs as many statements with a thousand entries as with one', async () => {
  const remove = async (count: number) => {
    const { id } = await collection(shop)
    await database().query(
      `insert into entries (id, tenant_id, collection_id, created_at, updated_at, key, slug, blocks, taxonomies, status)
         select gen_random_uuid(), $1, $2, 1, 1, 'n' || n, '{}', '[]', '[]', 'active' from generate_series(1, $3) as n`,
      [shop.store_id, id, count],
    )
    return (await statementsOf('DELETE', `/collections/${id}`)).length
  }
  expect(await remove(1000)).toBe(await remove(1))
})
