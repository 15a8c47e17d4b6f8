// The cost of taxonomies: statements do not grow with the size of a tree, and pages read only what they show.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { listenAlone, nodesOf, rowsOf, type Statement } from '../kit/heard.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'
import { asQuery, attach, kinds, term } from '../kit/taxonomies.ts'

jest.setTimeout(180_000)

let own: Awaited<ReturnType<typeof listenAlone>>
let shop: Shop
beforeAll(async () => {
  own = await listenAlone('taxonomy-cost')
  shop = await newShop()
})
afterAll(async () => {
  await database().end()
  await own.close()
})

const statementsOf = async (...asked: Parameters<Shop['asOperator']>) => (await own.statementsOf(shop, asked[0], asked[1], asked[2])).length

/** A taxonomy with so many descendants, and as many records of each kind under these. */
async function tree(below: number): Promise<string> {
  const { id } = await term(shop)
  await database().query(
    `with t as (insert into taxonomies (id, tenant_id, created_at, updated_at, key, schema, status, parent_id)
       select gen_random_uuid(), $1, 1, 1, 'below-' || gen_random_uuid(), '[]', 'active', $2 from generate_series(1, $3::int) returning id)
     insert into products (id, tenant_id, created_at, updated_at, key, slug, blocks, taxonomies, status)
     select gen_random_uuid(), $1, 1, 1, 'p-' || id, '{}', '[]', jsonb_build_array(jsonb_build_object('taxonomy_id', id, 'entry_ids', '[]'::jsonb)), 'active' from t`,
    [shop.store_id, id, below],
  )
  await database().query(
    `insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
     select tenant_id, 'product', id, created_at, (taxonomies #>> '{0,taxonomy_id}')::uuid, (taxonomies #>> '{0,taxonomy_id}')::uuid
     from products where tenant_id = $1 and key like 'p-%' and taxonomies <> '[]' on conflict do nothing`,
    [shop.store_id],
  )
  return id
}

test('Creating a taxonomy costs the same statements below a thousand others as below none', async () => {
  const [small, large] = [await tree(1), await tree(1000)]
  const create = (parent_id: string | null) => statementsOf('POST', '/taxonomies', { key: unique(), parent_id })
  expect([await create(small), await create(large)]).toEqual([4, 4])
  expect(await create(null)).toBe(2)
})

test('Moving a taxonomy costs the same statements with a thousand below it as with one', async () => {
  const [small, large, parent] = [await tree(1), await tree(1000), await tree(1000)]
  const moved = (id: string) => statementsOf('PUT', `/taxonomies/${id}`, { parent_id: parent })
  expect([await moved(small), await moved(large)]).toEqual([5, 5])
  expect(await statementsOf('PUT', `/taxonomies/${small}`, { key: unique() })).toBe(3)
})

test('Deleting a taxonomy costs the same statements with a thousand below it as with one', async () => {
  const [small, large] = [await tree(1), await tree(1000)]
  const removed = (id: string) => statementsOf('DELETE', `/taxonomies/${id}`)
  expect([await removed(small), await removed(large)]).toEqual([10, 10])
  const everywhere = await term(shop)
  for (const kind of kinds) await attach(kind, shop, [{ taxonomy_id: everywhere.id, entry_ids: [] }])
  expect(await removed(everywhere.id)).toBe(10)
  expect(await removed((await term(shop)).id)).toBeLessThan(10)
})

test('Reading or listing taxonomies costs two statements, and listing children three', async () => {
  const id = await tree(50)
  expect(await statementsOf('GET', `/taxonomies/${id}`)).toBe(2)
  expect(await statementsOf('GET', '/taxonomies?limit=100')).toBe(2)
  expect(await statementsOf('GET', `/taxonomies/${id}/children?limit=50`)).toBe(3)
})

describe('A page out of 30,000 services', () => {
  const tenth = 3_000
  const ids: Record<string, string> = {}
  let large: Shop
  beforeAll(async () => {
    large = await newShop()
    for (const key of ['topic', 'frequent', 'tenth', 'rare', 'oldest', 'other']) ids[key] = (await term(large, { key })).id
    await database().query(
      `with x as (insert into services (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status)
         select gen_random_uuid(), 1700000000 + n, 1700000000 + n, $1, 'item-' || n, '{}',
           jsonb_build_array(jsonb_build_object('id', 'b', 'key', 'text', 'type', 'text', 'value', repeat(md5(n::text), 20))), '[]', 'active' from generate_series(1, 30000) n
         returning id, tenant_id, created_at, created_at - 1700000000 as n)
       insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
       select tenant_id, 'service', id, created_at, taxonomy_id, entry_id from x, lateral (
         select $2::uuid as taxonomy_id, $3::uuid as entry_id where abs(hashint8(n)) % 10 < 6
         union all select $2, $4 where abs(hashint8(n)) % 10 = 7
         union all select $2, $5 where n % 3000 = 7
         union all select $2, $6 where n <= ${tenth}
         union all select $7, $7 where n % 2 = 0) l`,
      [large.store_id, ids.topic, ids.frequent, ids.tenth, ids.rare, ids.oldest, ids.other],
    )
    await database().query('vacuum analyze services')
    await database().query('vacuum analyze taxonomy_links')
  })
  const at = (name: string, ...entries: string[]) => ({
    taxonomy_id: ids[name] as string,
    ...(entries.length > 0 ? { entry_ids: entries.map((key) => ids[key]) } : {}),
  })

  test.each([
    ['a frequent term', ['topic/frequent'], '', 300],
    ['one of a tenth', ['topic/tenth'], '', 300],
    ['a rare term', ['topic/rare'], '', 300],
    ['one that only the oldest are under', ['topic/oldest'], '', 300],
    ['a whole taxonomy', ['other'], '', 300],
    ['a rare term or a frequent one', ['topic/rare', 'other'], '', 1000],
    ['two frequent terms', ['topic/frequent', 'other'], 'match_all=true&', 600],
    ['a frequent term and a rare one', ['topic/rare', 'other'], 'match_all=true&', 300],
    ['a frequent term and one that only the oldest are under', ['topic/oldest', 'other'], 'match_all=true&', 600],
  ])('A page of services under %s reads only the rows it shows', async (_, terms, more, most) => {
    const queries = terms.map((name) => at(...(name.split('/') as [string, string])))
    const statements = await own.statementsOf(large, 'GET', `/services?limit=20&${more}${asQuery(queries)}`)
    expect(statements).toHaveLength(2)
    const plan = await own.planOf(statements[1] as Statement)
    expect(nodesOf(plan)).not.toContain('Seq Scan')
    expect(rowsOf(plan)).toBeLessThan(most)
  })
})
