// The cost of requests, counted in statements and rows: no list and no write costs more in a large store than in a
// small one.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { cursorAt } from '../api/kit/answer/cursors.ts'
import { attentionItem, attentionItems, scopeOfAccount, scopeOfMember } from '../entities/attention.ts'
import type { AttentionScope } from '../entities/kit/attention.ts'
import { newId, uuids } from '../entities/kit/ids.ts'
import type { MoneyScope } from '../entities/payments/attention/money-columns.ts'
import { moneyAttention } from '../entities/payments/attention/money-items.ts'
import { lateCheckouts } from '../entities/payments/checkout-steps.ts'
import { call, edge, workflow } from './kit/automation/automations.ts'
import { newWorkflow } from './kit/automation/graphs.ts'
import { collection, entry, type Made, made, mediaRow } from './kit/content/content.ts'
import { asQuery, attach, kinds, term } from './kit/content/taxonomies.ts'
import {
  nodesOf,
  type Plan,
  recordStatementsAlone,
  rowsOf,
  type Statement,
  scannedBy,
  scansOf,
} from './kit/database/statements.ts'
import { product } from './kit/orders/buying.ts'
import { type Forum, newForum, type Person, said, type Target } from './kit/reactions.ts'
import { database, type Method, newShop, type Shop, unique } from './kit/shop.ts'

jest.setTimeout(180_000)

const lists = ['products', 'entries', 'services'] as const
type List = (typeof lists)[number]

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
/** A store whose lists have 30,000 records each, and a small one for writes. */
let large: Shop
let shop: Shop
let collections: Made[]
/** Taxonomies of the large store by key. */
const topics: Record<string, string> = {}

/** An entry of the taxonomy `topic`. */
const place = (n: number) => `0199aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`

beforeAll(async () => {
  own = await recordStatementsAlone('cost')
  shop = await newShop()
  large = await newShop()
  collections = [await collection(large), await collection(large)]
  for (const key of ['topic', 'frequent', 'tenth', 'rare', 'oldest', 'other'])
    topics[key] = (await term(large, { key })).id
  await fillProducts()
  await fillEntries()
  await fillServices()
})
afterAll(async () => {
  await database().end()
  await own.close()
})

/** Each product is under one of a thousand entries of `topic`; a tenth are drafts. */
async function fillProducts(): Promise<void> {
  await database().query(
    `insert into products (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status, search)
     select gen_random_uuid(), 1700000000 + n, 1700000000 + (n * 7919) % 100000, $1, 'item-' || n, '{}', '[]',
       jsonb_build_array(jsonb_build_object('taxonomy_id', $2::text, 'entry_ids', jsonb_build_array('0199aaaa-0000-7000-8000-' || lpad((n % 1000)::text, 12, '0')))),
       case when n % 10 = 0 then 'draft' else 'active' end, to_tsvector('simple', 'item-' || n || ' item common rare' || n % 1000)
     from generate_series(1, 30000) as n`,
    [large.store_id, topics.topic],
  )
  await database().query(
    `insert into product_variants (id, created_at, updated_at, tenant_id, product_id, position, prices, attributes)
     select gen_random_uuid(), 1, 1, tenant_id, id, 0, '[]', '[]' from products where tenant_id = $1`,
    [large.store_id],
  )
  await database().query(
    `insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
     select tenant_id, 'product', id, created_at, $2::uuid, (taxonomies #>> '{0,entry_ids,0}')::uuid from products where tenant_id = $1`,
    [large.store_id, topics.topic],
  )
  await database().query('analyze products, product_variants, taxonomy_links')
}

/**
 * Most entries are in one collection. Term 1 has every second one, term 2 a hundred old ones, terms 10 to 1009 have 30
 * each.
 */
async function fillEntries(): Promise<void> {
  await database().query(
    `insert into entries (id, tenant_id, collection_id, created_at, updated_at, key, slug, blocks, taxonomies, status, search)
     select gen_random_uuid(), $1, (case when n % 300 = 0 then $3 else $2 end)::uuid, 1700000000 + n, 1700000000 + (n * 7919) % 100000, 'item-' || n, '{}', '[]', '[]',
       case when n % 10 = 0 then 'draft' else 'active' end, to_tsvector('simple', 'item-' || n || ' common rare' || n % 1000)
     from generate_series(1, 30000) as n`,
    [large.store_id, collections[0]?.id, collections[1]?.id],
  )
  await database().query(
    `insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
     select e.tenant_id, 'entry', e.id, e.created_at, $2::uuid, ('0199aaaa-0000-7000-8000-' || lpad(t.term::text, 12, '0'))::uuid
     from entries e, lateral (select e.created_at - 1700000000 as n) as x,
       lateral (select 1 as term where n % 2 = 0 union all select 2 where n <= 100 union all select 10 + n % 1000) as t where e.tenant_id = $1`,
    [large.store_id, topics.topic],
  )
  await database().query('analyze entries, taxonomy_links')
}

/**
 * Entries of `topic` are the other taxonomies: `frequent` has six of ten services, `tenth` one, `rare` ten in all,
 * `oldest` the first tenth; `other` has half.
 */
async function fillServices(): Promise<void> {
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
       union all select $2, $6 where n <= 3000
       union all select $7, $7 where n % 2 = 0) l`,
    [large.store_id, topics.topic, topics.frequent, topics.tenth, topics.rare, topics.oldest, topics.other],
  )
  await database().query('vacuum analyze services')
  await database().query('vacuum analyze taxonomy_links')
}

/** A cursor 29,500 records into the list. */
const deep = (list: 'products' | 'entries') => {
  const scope = {
    spec: `GET /v1/stores/{storeId}/${list}`,
    tenant_id: large.store_id,
    path: { storeId: large.store_id },
  } as const
  return `cursor=${cursorAt({ ...scope, sort_field: 'created_at', sort_direction: 'desc' }, 1_700_000_500, 'ffffffff-ffff-ffff-ffff-ffffffffffff')}`
}
/** Records under these entries of `topic`; null: under any. */
const under = (...terms: (number | null)[]) =>
  asQuery(terms.map((n) => ({ taxonomy_id: topics.topic, ...(n === null ? {} : { entry_ids: [place(n)] }) })))
/** `topic/rare`: an entry of a taxonomy. */
const inTopics = (...names: string[]) =>
  asQuery(
    names
      .map((name) => name.split('/'))
      .map(([at, ...entries]) => ({
        taxonomy_id: topics[at as string],
        ...(entries[0] ? { entry_ids: entries.map((key) => topics[key]) } : {}),
      })),
  )
const of = (n: number) => `collection_id=${collections[n]?.id}`

const pages: [list: List, by: string, search: () => string, rows: number][] = [
  ['products', 'default', () => '', 500],
  ['products', 'age', () => 'sort_direction=asc', 500],
  ['products', 'change', () => 'sort_field=updated_at', 500],
  ['products', 'key', () => 'sort_field=key', 500],
  ['products', 'status', () => 'status=draft', 500],
  ['products', 'a cursor deep down', () => deep('products'), 500],
  ['products', 'a time range', () => 'created_at_from=1700000100&created_at_to=1700000200', 500],
  // A search walks the newest until it has enough, or reads all its matches: some hundreds, not the table.
  ['products', 'a frequent word', () => 'query=common', 3_000],
  ['products', 'a rare word', () => 'query=rare77', 3_000],
  ['products', 'either of two terms', () => under(77, 78), 500],
  ['products', 'a term and its taxonomy', () => `match_all=true&${under(77, null)}`, 500],
  ['products', 'a whole taxonomy', () => under(null), 500],
  ['entries', 'default', () => '', 300],
  ['entries', 'age', () => 'sort_direction=asc', 300],
  ['entries', 'change', () => 'sort_field=updated_at', 300],
  ['entries', 'key', () => 'sort_field=key', 300],
  ['entries', 'status', () => 'status=draft', 300],
  ['entries', 'a key', () => 'key=item-77', 300],
  ['entries', 'a cursor deep down', () => deep('entries'), 300],
  ['entries', 'a large collection', () => of(0), 300],
  ['entries', 'a small collection', () => of(1), 300],
  ['entries', 'a collection and a status', () => `${of(0)}&status=draft`, 300],
  ['entries', 'a collection by change', () => `${of(1)}&sort_field=updated_at`, 500],
  ['entries', 'a rare word', () => 'query=rare77', 3_000],
  ['entries', 'a frequent term', () => under(1), 500],
  ['entries', 'a rare and old term', () => under(2), 500],
  ['entries', 'a rare term', () => under(87), 500],
  ['entries', 'a whole taxonomy', () => under(null), 500],
  ['entries', 'either of two terms', () => under(87, 88), 500],
  ['entries', 'two terms at once', () => `match_all=true&${under(1, 87)}`, 1_000],
  ['entries', 'a frequent term and a cursor deep down', () => `${deep('entries')}&${under(1)}`, 2_500],
  ['entries', 'a frequent term of long ago', () => `created_at_to=1700000500&${under(1)}`, 2_500],
  [
    'entries',
    'a frequent term since a time, oldest first',
    () => `created_at_from=1700029000&sort_direction=asc&${under(1)}`,
    500,
  ],
  ['entries', 'two frequent terms', () => `match_all=true&${under(1, null)}`, 1_000],
  ['entries', 'a frequent term in a large collection', () => `${of(0)}&${under(1)}`, 500],
  ['entries', 'a frequent term of a status', () => `status=draft&${under(1)}`, 1_500],
  ['entries', 'a rare term in a collection of a status', () => `${of(0)}&status=active&${under(87)}`, 500],
  ['entries', 'a frequent term in a small collection', () => `${of(1)}&${under(1)}`, 1_500],
  ['entries', 'a rare term by key', () => `sort_field=key&${under(87)}`, 500],
  ['services', 'a frequent term', () => inTopics('topic/frequent'), 300],
  ['services', 'one term of a tenth', () => inTopics('topic/tenth'), 300],
  ['services', 'a rare term', () => inTopics('topic/rare'), 300],
  ['services', 'a term of the oldest', () => inTopics('topic/oldest'), 300],
  ['services', 'a whole taxonomy', () => inTopics('other'), 300],
  ['services', 'a rare term or a frequent one', () => inTopics('topic/rare', 'other'), 1_000],
  ['services', 'two frequent terms', () => `match_all=true&${inTopics('topic/frequent', 'other')}`, 600],
  ['services', 'a frequent term and a rare one', () => `match_all=true&${inTopics('topic/rare', 'other')}`, 300],
  [
    'services',
    'a frequent term and one of the oldest',
    () => `match_all=true&${inTopics('topic/oldest', 'other')}`,
    600,
  ],
]
/** Of a page with the caller's check. */
const statementsOfPage: Record<List, number> = { products: 4, entries: 4, services: 2 }

test.each(pages)('A page of 20 of 30,000 %s by %s reads what it shows by an index', async (list, _, search, rows) => {
  const statements = await own.statementsOf(large, 'GET', `/${list}?limit=20&${search()}`)
  expect(statements.length).toBeLessThanOrEqual(statementsOfPage[list])
  const plan = await own.planOf(statements.find(({ text }) => new RegExp(`from "?${list}\\b`).test(text)) as Statement)
  expect(nodesOf(plan)).not.toContain('Seq Scan')
  expect(rowsOf(plan)).toBeLessThan(rows)
})

/** The statements of a request of the small store's operator. */
const count = async (method: Method, path: string, body?: unknown): Promise<number> =>
  (await own.statementsOf(shop, method, path, body)).length

async function variants(length: number) {
  const location_id = (await shop.asOperator('GET', '/locations')).body[0].id
  const prices = (n: number) => ['us', 'eu'].map((market) => ({ market, amount: n }))
  return Array.from({ length }, (_, n) => ({
    sku: `${n}`,
    prices: prices(n),
    inventory: [{ location_id, available: n }],
  }))
}
const newProduct = async (length: number) =>
  await made(
    shop.asOperator('POST', '/products', { key: unique(), slug: { en: unique() }, variants: await variants(length) }),
  )

/** A body with every kind of reference, slugs and a taxonomy, of a collection of its own. */
async function wholeEntry() {
  const references = ['entry', 'product', 'media'] as const
  const types = Array.from({ length: 20 }, (_, n) =>
    n < 10 ? (references[n % 3] as string) : n % 2 ? 'text' : 'localized_text',
  )
  const { id } = await collection(
    shop,
    types.map((type, n) => ({ key: `b${n}`, type })),
  )
  const others = (await collection(shop)).id
  const target: Record<string, () => Promise<unknown>> = {
    entry: async () => (await entry(shop, others)).id,
    product: async () => (await product(shop)).id,
    media: () => mediaRow(shop),
    text: async () => 'x',
    localized_text: async () => ({ en: 'x' }),
  }
  const blocks: unknown[] = []
  for (const [n, type] of types.entries()) blocks.push({ key: `b${n}`, type, value: await target[type]?.() })
  const topic = await term(shop)
  return {
    collection_id: id,
    key: unique(),
    slug: { en: unique(), de: unique() },
    blocks,
    taxonomies: [{ taxonomy_id: topic.id, entry_ids: [topic.id] }],
  }
}
const newEntry = async () => {
  const whole = await wholeEntry()
  const { id } = await made(shop.asOperator('POST', '/entries', whole))
  const { rows } = await database().query('select target_id from block_references where owner_id = $1', [id])
  expect(rows).toHaveLength(10)
  return { ...whole, id }
}

/** A taxonomy with so many descendants, and a product under each of these. */
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

/** A collection with so many entries. */
async function filled(size: number): Promise<string> {
  const { id } = await collection(shop)
  await database().query(
    `insert into entries (id, tenant_id, collection_id, created_at, updated_at, key, slug, blocks, taxonomies, status)
     select gen_random_uuid(), $1, $2, 1, 1, 'n' || n, '{}', '[]', '[]', 'active' from generate_series(1, $3) as n`,
    [shop.store_id, id, size],
  )
  return id
}

/** A graph of so many nodes in a row after its trigger. */
const chain = (length: number) => ({
  nodes: {
    start: { type: 'trigger' },
    ...Object.fromEntries(Array.from({ length }, (_, n) => [`n${n}`, { type: 'transform', code: 'return 1' }])),
  },
  edges: Array.from({ length }, (_, n) =>
    n === 0 ? edge('start', 'default', 'n0') : edge(`n${n - 1}`, 'success', `n${n}`),
  ),
})

/** An execution of so many nodes after its trigger, each with an output. */
async function executed(length: number): Promise<string> {
  const { webhook_url } = await workflow(shop, chain(length))
  const { id, workflow_id } = (await call(webhook_url)).body
  await database().query(
    `insert into node_runs (id, tenant_id, created_at, updated_at, execution_id, key, node, fingerprint, status, output, output_bytes, applied)
     select gen_random_uuid(), $1, 1, 1, $2, 'n' || n, 'n' || n, '', 'succeeded', '1', 1, true from generate_series(0, $3 - 1) as n`,
    [shop.store_id, id, length],
  )
  return `/workflows/${workflow_id}/executions/${id}`
}

/** A graph that calls so many build hooks. */
async function deploys(size: number) {
  const ids = await Promise.all(
    Array.from({ length: size }, async () => {
      const hook = await made(
        shop.asOperator('POST', '/build-hooks', { key: unique(), type: 'custom', url: 'https://hooks.example/x' }),
      )
      return hook.id
    }),
  )
  const nodes = ids.map((id) => [id, { type: 'deploy_webhook', build_hook_id: id }])
  return {
    key: unique(),
    nodes: { start: { type: 'trigger' }, ...Object.fromEntries(nodes) },
    edges: ids.map((id) => edge('start', 'default', id)),
  }
}

/** `most` statements at each of the sizes, and at all of them equally many. */
const costs: [what: string, most: number, sizes: number[], cost: (size: number) => Promise<number>][] = [
  [
    'Creating a product with variants',
    9,
    [1, 90],
    async (size) =>
      count('POST', '/products', {
        key: unique(),
        slug: { en: unique(), de: unique() },
        variants: await variants(size),
      }),
  ],
  [
    'Replacing the variants of a product',
    14,
    [10, 50],
    async (size) => {
      const { id, variants: before } = await newProduct(size)
      const kept = (before as { id: string }[])
        .slice(5)
        .map((one, n) => ({ id: one.id, sku: `new ${n}`, prices: [{ market: 'us', amount: 1 }], inventory: [] }))
      return count('PUT', `/products/${id}`, { slug: { en: unique() }, variants: [...kept, ...(await variants(10))] })
    },
  ],
  [
    'Changing the status of a product',
    6,
    [1],
    async () => count('PUT', `/products/${(await newProduct(1)).id}`, { status: 'archived' }),
  ],
  ['Reading a product by id', 3, [1], async (size) => count('GET', `/products/${(await newProduct(size)).id}`)],
  [
    'Reading a product by slug',
    4,
    [1],
    async (size) => count('GET', `/products/${((await newProduct(size)).slug as { en: string }).en}`),
  ],
  [
    'Creating an entry without blocks',
    8,
    [0],
    async () => count('POST', '/entries', { collection_id: (await collection(shop)).id, key: unique() }),
  ],
  [
    'Creating an entry with references, slugs and a taxonomy',
    10,
    [20],
    async () => count('POST', '/entries', await wholeEntry()),
  ],
  [
    'Updating an entry with references, slugs and a taxonomy',
    11,
    [20],
    async () => {
      const { id, blocks, slug, taxonomies } = await newEntry()
      return count('PUT', `/entries/${id}`, { blocks, slug, taxonomies })
    },
  ],
  [
    'Changing the status of an entry',
    6,
    [20],
    async () => count('PUT', `/entries/${(await newEntry()).id}`, { status: 'draft' }),
  ],
  // One of them reads the files of its blocks.
  ['Reading an entry by id', 3, [20], async () => count('GET', `/entries/${(await newEntry()).id}`)],
  ['Reading an entry by slug', 4, [20], async () => count('GET', `/entries/${(await newEntry()).slug.en}`)],
  ['Deleting an entry', 10, [20], async () => count('DELETE', `/entries/${(await newEntry()).id}`)],
  ['Deleting a collection', 13, [1, 1000], async (size) => count('DELETE', `/collections/${await filled(size)}`)],
  ['Creating a taxonomy', 2, [0], () => count('POST', '/taxonomies', { key: unique() })],
  [
    'Creating a taxonomy below another',
    4,
    [1, 1000],
    async (size) => count('POST', '/taxonomies', { key: unique(), parent_id: await tree(size) }),
  ],
  [
    'Moving a taxonomy',
    5,
    [1, 1000],
    async (size) => count('PUT', `/taxonomies/${await tree(size)}`, { parent_id: await tree(1000) }),
  ],
  [
    'Changing the key of a taxonomy',
    4,
    [1],
    async (size) => count('PUT', `/taxonomies/${await tree(size)}`, { key: unique() }),
  ],
  ['Deleting a taxonomy', 11, [1, 1000], async (size) => count('DELETE', `/taxonomies/${await tree(size)}`)],
  ['Deleting an unused taxonomy', 9, [0], async () => count('DELETE', `/taxonomies/${(await term(shop)).id}`)],
  [
    'Deleting a taxonomy of records of every kind',
    11,
    [1],
    async () => {
      const { id } = await term(shop)
      for (const kind of kinds) await attach(kind, shop, [{ taxonomy_id: id, entry_ids: [] }])
      return count('DELETE', `/taxonomies/${id}`)
    },
  ],
  ['Reading a taxonomy', 2, [50], async (size) => count('GET', `/taxonomies/${await tree(size)}`)],
  ['Listing taxonomies', 2, [1], () => count('GET', '/taxonomies?limit=100')],
  [
    'Listing the children of a taxonomy',
    3,
    [50],
    async (size) => count('GET', `/taxonomies/${await tree(size)}/children?limit=50`),
  ],
  ['Saving a graph with references', 8, [1, 20], async (size) => count('POST', '/workflows', await deploys(size))],
  ['Reading an execution', 4, [1, 60], async (size) => count('GET', await executed(size))],
  [
    'Listing workflows',
    3,
    [1, 60],
    async (size) => {
      // Saved by the process that lists them, because their URLs are encrypted.
      const one = await newShop()
      await own.statementsOf(one, 'POST', '/workflows', { key: unique(), ...chain(size) })
      return (await own.statementsOf(one, 'GET', '/workflows')).length
    },
  ],
]

test.each(costs)('%s costs at most %i statements at any size', async (_, most, sizes, cost) => {
  const counts: number[] = []
  for (const size of sizes) counts.push(await cost(size))
  expect([Math.max(...counts) <= most, new Set(counts).size, counts]).toEqual([true, 1, counts])
})

test('A body above 16 KiB costs one statement more: its caller is identified before', async () => {
  const product = async (padding: number) => ({
    key: unique(),
    slug: { en: unique() },
    variants: (await variants(1)).map((one) => ({ ...one, sku: 'x' })),
    blocks: [{ key: 'text', type: 'text', value: 'x'.repeat(padding) }],
  })
  const small = await count('POST', '/products', await product(10))
  expect(await count('POST', '/products', await product(17_000))).toBe(small + 1)
})

test('A call of a workflow’s webhook costs one statement, which does not contain the secret', async () => {
  const { webhook_url } = await workflow(shop)
  const statements = await own.said((base) => call(webhook_url, { n: 1 }, base))
  expect(statements).toHaveLength(1)
  expect(JSON.stringify(statements)).not.toContain(webhook_url.split('/').at(-1))
})

describe('Money that needs a person', () => {
  const moneyTables = [
    'orders',
    'subscriptions',
    'payments',
    'refunds',
    'payment_sessions',
    'session_expiries',
    'authorization_ends',
    'subscription_changes',
  ]
  /** Each of these tables has 30,000 rows, and 30 that need a person. */
  beforeAll(async () => {
    const db = database()
    const tenant = large.store_id
    const rows = 'generate_series(1, 30000) n'
    const state = `case when n % 1000 = 0 then 'unknown' else 'succeeded' end`
    const common = 'id, created_at, updated_at, tenant_id'
    const row = 'gen_random_uuid(), 1700000000 + n, 1700000000 + n, $1'
    const effect = `status, fingerprint, attempt, settled_at`
    const effectRow = `${state}, '', 1, to_timestamp(1700000000 + n)`
    const numbered = (table: string) => `(
        select id, row_number() over (order by id) n from ${table} where tenant_id = $1)`
    const ofPayments = `(
        select id, order_id, row_number() over (order by id) n from payments where tenant_id = $1) p`
    for (const statement of [
      `insert into orders (${common}, number, status, cancel_requested, fulfillment_status, contact_id, verified,
         source_cart_id, payment_id, market, money, forms)
       select ${row}, 1000000 + n, case when n % 1000 = 0 then 'pending' else 'confirmed' end, n % 1000 = 0, 'none',
         gen_random_uuid(), false, gen_random_uuid(), gen_random_uuid(), 'us', '{}', '[]'
       from ${rows}`,
      `insert into subscriptions (${common}, plan_id, kind, status, ended_at, amount, currency, interval)
       select ${row}, 'pro', 'recurring', 'ended', 1700000000 + n, 500, 'USD', '{"period":"month","count":1}'
       from ${rows}`,
      `insert into payments (${common}, order_id, type, status, currency, amount, captured_amount, error)
       select gen_random_uuid(), created_at, updated_at, $1, id, 'card', 'paid', 'USD', 500, 500,
         case when number % 1000 = 0 then '{"code":"amount_mismatch","message":"Another amount."}'::jsonb
           when number % 10 = 0 then '{"code":"card_declined"}' end
       from orders
       where tenant_id = $1`,
      `insert into refunds (${common}, refund_id, order_id, payment_id, amount, currency, origin, ${effect},
         needs_attention)
       select ${row}, gen_random_uuid(), p.order_id, p.id, 1, 'USD', 'operator', ${effectRow}, n % 1000 = 0
       from ${ofPayments}`,
      `insert into payment_sessions (${common}, order_id, payment_id, return_url, amount, currency, ${effect})
       select ${row}, p.order_id, p.id, '', 500, 'USD', ${effectRow}
       from ${ofPayments}`,
      `insert into session_expiries (${common}, payment_session_id, ${effect})
       select ${row}, s.id, ${effectRow}
       from ${numbered('payment_sessions')} s`,
      `insert into authorization_ends (${common}, order_id, payment_id, kind, provider_payment_id, amount,
         currency, ${effect})
       select ${row}, p.order_id, p.id, case when n % 2 = 0 then 'cancel' else 'capture' end, 'pi_' || n, 500,
         'USD', ${effectRow}
       from ${ofPayments}`,
      `insert into subscription_changes (${common}, subscription_id, kind, requested_by, ${effect})
       select ${row}, s.id, 'cancel', 'operator', ${effectRow}
       from ${numbered('subscriptions')} s`,
    ])
      await db.query(statement, [tenant])
    for (const table of moneyTables) await db.query(`vacuum analyze ${table}`)
  })

  const scopes: [of: string, scope: () => MoneyScope, items: boolean][] = [
    ['a store', () => ({ tenants: uuids([large.store_id]) }), true],
    ['a small store', () => ({ tenants: uuids([shop.store_id]) }), false],
    ['the plan of a store', () => ({ plan_of: large.store_id }), false],
    ['the platform', () => 'plans', false],
  ]
  test.each(scopes)('The list of money of %s reads no table as a whole', async (_, scope, items) => {
    let found: unknown[] = []
    const statements = await own.statementsIn(async (em) => {
      found = await moneyAttention(em, scope(), 1_000)
    })
    expect(statements).toHaveLength(1)
    if (items) expect(found.length).toBeGreaterThan(60)
    const plan = await own.planOf(statements[0] as Statement)
    expect(scannedBy(plan).filter((table) => moneyTables.includes(table))).toEqual([])
    expect(rowsOf(plan)).toBeLessThan(5_000)
  })

  const everything: [of: string, scope: () => AttentionScope][] = [
    ['a store', () => scopeOfMember(large.store_id, 'owner')],
    ['a small store', () => scopeOfMember(shop.store_id, 'admin')],
    ['an account', () => scopeOfAccount(shop.op.account_id, undefined)],
    ['the installation', () => 'platform'],
  ]
  /** Of both lists: what is open, and what was resolved. */
  const lists = everything.flatMap(([of, scope]) =>
    [undefined, 1_800_000_000].map((resolvedUntil) => {
      const what = resolvedUntil === undefined ? 'is open' : 'was resolved'
      return [`of ${of} that ${what}`, scope, { limit: 20, resolvedUntil }] as const
    }),
  )
  test.each(lists)('The list of everything %s reads no table as a whole', async (_, scope, which) => {
    const statements = await own.statementsIn((em) => attentionItems(em, scope(), which))
    const [open] = statements as [Statement]
    const plan = await own.planOf(open)
    expect(scannedBy(plan).filter((table) => moneyTables.includes(table))).toEqual([])
    expect(rowsOf(plan)).toBeLessThan(5_000)
    // The rows of all kinds in one statement, and one or two for each kind of the page.
    expect(statements.length).toBeLessThan(20)
  })

  test.each(lists)('Each part of the list of everything %s has an index', async (_, scope, which) => {
    const [open] = (await own.statementsIn((em) => attentionItems(em, scope(), which))) as [Statement]
    const client = await database().connect()
    try {
      await client.query('begin')
      // Tables without rows would be read as a whole: with these settings only those that no index serves are.
      for (const way of ['seqscan', 'hashjoin', 'mergejoin']) await client.query(`set local enable_${way} = off`)
      let n = 0
      const { rows } = await client.query(`explain (format json) ${open.text.replaceAll('?', () => `$${++n}`)}`, [
        ...open.values,
      ])
      const { rows: partial } = await client.query(
        'select indexrelid::regclass::text as name from pg_index where indpred is not null',
      )
      const names = new Set(partial.map(({ name }) => name))
      const plan = rows[0]['QUERY PLAN'][0].Plan as Plan
      const whole = scansOf(plan).filter(
        (scan) => !scan['Index Cond'] && !scan['Recheck Cond'] && !names.has(scan['Index Name'] ?? ''),
      )
      expect(whole.map((scan) => [scan['Relation Name'], scan['Index Name']])).toEqual([])
      expect(scansOf(plan).length).toBeGreaterThan(10)
    } finally {
      await client.query('rollback')
      client.release()
    }
  })

  test.each(['unknown', 'succeeded'])('A page ends at its limit, however many outcomes are %s', async (status) => {
    const isResolved = status !== 'unknown'
    const of = await newShop()
    const { workflow_id, graph_id } = await newWorkflow(of.store_id, { nodes: {}, edges: [] })
    const execution = newId()
    await database().query(
      `insert into executions (id, created_at, updated_at, tenant_id, workflow_id, graph_id, status, source, input)
       values ($1, 1, 1, $2, $3, $4, 'failed', 'webhook', '{}')`,
      [execution, of.store_id, workflow_id, graph_id],
    )
    await database().query(
      `insert into node_runs (id, created_at, updated_at, tenant_id, execution_id, key, node, applied, status,
         fingerprint, attempt, settled_at, resolution)
       select gen_random_uuid(), 1700000000 + n, 1, $1, $2, n, 'call', true, $3, '', 1,
         to_timestamp(1700000000 + n),
         case when $4 then jsonb_build_object('outcome', $3::text, 'note', '', 'at', 1700000000 + n) end
       from generate_series(1, 100000) n`,
      [of.store_id, execution, status, isResolved],
    )
    await database().query('vacuum analyze node_runs')
    const scopes = [
      scopeOfMember(of.store_id, 'owner'),
      scopeOfAccount(of.op.account_id, undefined),
      scopeOfAccount(of.op.account_id, [of.store_id]),
    ]
    for (const scope of scopes) {
      const read: Awaited<ReturnType<typeof attentionItems>>[] = []
      for (const n of [1, 2]) {
        const [open] = await own.statementsIn(async (em) => {
          const which = { limit: 100, resolvedUntil: isResolved ? 1_700_100_000 : undefined }
          read.push(await attentionItems(em, scope, { ...which, after: read.at(-1)?.last ?? null }))
        })
        expect(rowsOf(await own.planOf(open as Statement))).toBeLessThan(5_000)
        expect([read.length, read.at(-1)?.items.length, read.at(-1)?.more]).toEqual([n, 100, true])
      }
    }
    await database().query('delete from node_runs where execution_id = $1', [execution])
  })

  test('One item of everything is read by its id, with few rows', async () => {
    const { rows } = await database().query(
      `select id from authorization_ends where tenant_id = $1 and status = 'unknown' limit 1`,
      [large.store_id],
    )
    const scope = scopeOfMember(large.store_id, 'owner')
    let found: unknown
    const [first] = await own.statementsIn(async (em) => {
      found = await attentionItem(em, scope, rows[0].id)
    })
    expect(found).toMatchObject({ id: rows[0].id, status: 'open' })
    expect(rowsOf(await own.planOf(first as Statement))).toBeLessThan(1_000)
  })

  test('One item of the list is read by its id', async () => {
    const { rows } = await database().query(
      `select id from authorization_ends where tenant_id = $1 and status = 'unknown' limit 1`,
      [large.store_id],
    )
    const statements = await own.statementsIn((em) =>
      moneyAttention(em, { tenants: uuids([large.store_id]) }, 1, [rows[0].id]),
    )
    expect(rowsOf(await own.planOf(statements[0] as Statement))).toBeLessThan(1_000)
  })

  test('Looks for checkouts that are late read those alone', async () => {
    for (const late of lateCheckouts) {
      const statements = await own.statementsIn((em) =>
        late(em, { idleS: 60, now: 1_800_000_000, limit: 100, after: null }),
      )
      expect(rowsOf(await own.planOf(statements[0] as Statement))).toBeLessThan(1_000)
    }
  })
})

describe('Reactions', () => {
  let forum: Forum
  let target: Target
  let ann: Person
  let at: string
  beforeAll(async () => {
    forum = await newForum()
    ;[target, ann] = [await forum.product(), await forum.person()]
    at = `/reactions?targetType=product&targetId=${target.id}`
    for (let n = 0; n < 30; n++) {
      const { id } = await forum.comment(n % 2 ? ann : await forum.person(), target)
      if (n % 3 === 0) await forum.react(ann, target, 'love', { parentId: id })
    }
    await forum.react(ann, target, 'review', said('It is good.'))
    await forum.react(ann, target, 'star_4')
  })
  const asked = (method: Method, path: string, body?: unknown) =>
    own.said((base) => forum.as(ann, method, path, body, { base }))

  test('A like costs two statements, and none of them begins a transaction', async () => {
    const said = await asked('POST', '/reactions', { target: await forum.product(), kind: 'like' })
    expect(said.map(({ text }) => text.split(' ')[0])).toEqual(['select', 'with'])
  })

  test('A summary costs two statements, with and without reactions', async () => {
    for (const { id } of [target, await forum.product()])
      expect(await asked('GET', `/reactions/summary?targetType=product&targetId=${id}`)).toHaveLength(2)
  })

  test.each([2, 20, 100])(
    'A page of %i comments with marks, own marks and stars costs four statements at most',
    async (limit) => {
      for (const query of ['', '&contentOnly=true', '&parentId=null', '&kind=comment,review']) {
        const statements = await asked('GET', `${at}&limit=${limit}${query}`)
        expect([query, statements.length <= 4]).toEqual([query, true])
      }
    },
  )
})

describe('Comments of social networks', () => {
  const [connection, publication] = [newId(), newId()]
  const at = `/social-publications/${publication}/comments`
  beforeAll(async () => {
    await database().query(
      `insert into social_connections (id, tenant_id, created_at, updated_at, type, provider_account_id, name, scopes, connected_by, granted_by, refreshed_at)
       values ($1, $2, 1, 1, 'network_b_business', $3, 'Acme', '[]', $1, 'account', 1)`,
      [connection, large.store_id, unique()],
    )
    await database().query(
      `insert into social_publications (id, tenant_id, created_at, updated_at, social_connection_id, type, content, status, published_at, scheduled_at, provider_post_id, issues, created_by)
       values ($1, $2, 1, 1, $3, 'network_b_business', '{}', 'published', 1, 1, '1', '[]', $3)`,
      [publication, large.store_id, connection],
    )
    await database().query(
      `insert into social_comments (id, tenant_id, created_at, updated_at, publication_id, provider_comment_id, text, text_digest, own, provider_created_at, synced_at, answered, label, sentiment, needs_reply)
       select gen_random_uuid(), $1, 1, 1, $2, 'n' || n, 'Text ' || n, md5(n::text), false, 1700000000 + n, 1, n % 10 = 0,
         case when n % 3 = 0 then (array['question', 'complaint', 'praise'])[1 + n % 2] end, case when n % 3 = 0 then 'neutral' end, case when n % 3 = 0 then n % 5 = 0 end
       from generate_series(1, 20000) as n`,
      [large.store_id, publication],
    )
    await database().query('analyze social_comments')
  })

  test.each([
    '',
    'label=complaint',
    'needs_reply=true',
    'needs_reply=false',
    'answered=true',
    'answered=false',
    'label=question&answered=false',
  ])('A page of 20 of 20,000 comments by [%s] reads what it shows by an index', async (search) => {
    const statements = await own.statementsOf(large, 'GET', `${at}?limit=20&${search}`)
    expect(statements.length).toBeLessThanOrEqual(3)
    const plan = await own.planOf(statements.find(({ text }) => text.includes('from social_comments')) as Statement)
    expect(nodesOf(plan).filter((node) => /Seq Scan|Sort|Bitmap/.test(node))).toEqual([])
    expect(rowsOf(plan)).toBeLessThan(100)
  })

  test('A page of a thread is read by an index, and a thread that was just read asks for nothing', async () => {
    const [root] = (
      await database().query('select id from social_comments where publication_id = $1 limit 1', [publication])
    ).rows
    await database().query(
      'update social_comments set root_id = $1, parent_provider_id = $2 where publication_id = $3 and id <> $1 and provider_created_at % 4 = 0',
      [root.id, 'root', publication],
    )
    await database().query(
      'update social_comments set thread_synced_at = extract(epoch from now())::bigint where id = $1',
      [root.id],
    )
    const statements = await own.statementsOf(large, 'GET', `${at}/${root.id}/thread`)
    expect(statements.length).toBeLessThanOrEqual(6)
    const plan = await own.planOf(statements.find(({ text }) => text.includes('where root_id')) as Statement)
    expect([nodesOf(plan), rowsOf(plan) < 100]).toEqual([['Limit', 'Index Scan'], true])
  })
})
