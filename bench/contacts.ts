// A page of 20 out of 100,000 contacts, and a merge of two contacts of which one has 1,000 orders.
import { createHash } from 'node:crypto'
import { client } from '../client/client.ts'
import type { Measure, Path } from './kit/path.ts'
import { resultOf, timesOf } from './kit/report.ts'
import { newStore, type Shop } from './kit/shop.ts'

const count = 100_000
const since = 1_700_000_000
/** The id of a term or an audience, in statements and in requests. */
const id = (name: string) => `md5('${name}')::uuid`
const idOf = (name: string) =>
  createHash('md5')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** All have an address. `often` and `rare` are terms and audiences of every other and of every thousandth contact. */
async function fillContacts({ db }: Shop, storeId: string): Promise<void> {
  await db.query(
    `with t as (insert into taxonomies (id, tenant_id, created_at, updated_at, key, schema, status) values (${id('group')}, $1, 1, 1, 'group', '[]', 'active')),
     a as (insert into audiences (id, tenant_id, created_at, updated_at, key, name, status, type)
       select v.id, $1, 1, 1, v.key, v.key, 'active', 'open' from (values (${id('often')}, 'often'), (${id('rare')}, 'rare')) v(id, key) returning id),
     c as (insert into contacts (id, tenant_id, created_at, updated_at, status, taxonomies, anonymous, search)
       select gen_random_uuid(), $1, ${since} + n * 300, ${since} + n * 300, 'active', '[]', false, to_tsvector('simple', 'person' || n || ' group' || n % 500 || ' shop example')
       from generate_series(1, ${count}) n returning id, created_at, (created_at - ${since}) / 300 as n),
     h as (insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, address, owned)
       select gen_random_uuid(), $1, 1, 1, id, 'person' || n || '@shop.example', true from c),
     of as (select c.*, x.id as of_id from c join lateral (select ${id('often')} as id where n % 2 = 0 union all select ${id('rare')} where n % 1000 = 77) x on true),
     l as (insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
       select $1, 'contact', id, created_at, ${id('group')}, of_id from of)
     insert into audience_members (id, tenant_id, created_at, updated_at, audience_id, contact_id, status, source, fields, joined_at)
     select gen_random_uuid(), $1, created_at, created_at, a.id, of.id, 'active', 'import', '{}', created_at from of join a on a.id = of.of_id`,
    [storeId],
  )
  // Autovacuum would do it within a minute; these rows were inserted within seconds.
  for (const table of ['contacts', 'contact_channels', 'taxonomy_links', 'audience_members'])
    await db.query(`vacuum analyze ${table}`)
}

const under = (...terms: string[]) =>
  `taxonomy_query=${encodeURIComponent(JSON.stringify(terms.map((term) => ({ taxonomy_id: idOf('group'), entry_ids: [idOf(term)] }))))}`
const queries = [
  '',
  'query=example',
  'query=group77',
  'query=person4711%20shop',
  under('often'),
  under('rare'),
  `match_all=true&${under('often', 'rare')}`,
  `audience_id=${idOf('often')}`,
  `audience_id=${idOf('rare')}`,
  `audience_id=${idOf('rare')}&query=group77`,
]

let store: Promise<string> | undefined

export const contactList: Path = {
  name: 'contact-list-100000',
  floor: 'statements',
  target: { p95_ms: 30, sql: 3, clients: 1 },
  async lanes(shop, clients) {
    store ??= (async () => {
      const { id: storeId } = await newStore(shop, 'many-contacts')
      await fillContacts(shop, storeId)
      return storeId
    })()
    const at = await store
    const all = queries.map((query) => ({
      method: 'GET' as const,
      path: `/v1/stores/${at}/contacts?limit=20&${query}`,
      headers: shop.operator,
    }))
    // Each client begins with another request.
    return Array.from({ length: clients }, (_, lane) => [
      ...all.slice(lane % all.length),
      ...all.slice(0, lane % all.length),
    ])
  },
}

const orders = 1_000
const rounds = 5

export const contactMerge: Measure = {
  name: 'contact-merge-1000',
  target: { p95_ms: 300, clients: 1 },
  async measure(_, shop) {
    const { id: storeId } = await newStore(shop, 'merged-contacts')
    const call = client({ base: shop.api, headers: shop.operator })
    const added = (name: string, round: number) =>
      call('POST /v1/stores/{storeId}/contacts', {
        path: { storeId },
        body: { email: `${name}-${round}@shop.example` },
      })
    const each: number[] = []
    for (let round = 0; round < rounds; round++) {
      const [source, target] = [await added('source', round), await added('target', round)]
      await shop.db.query(
        `insert into orders (id, tenant_id, created_at, updated_at, number, fulfillment_status, contact_id, verified, source_cart_id, payment_id, market, money, forms)
         select gen_random_uuid(), $1, n, n, $3::int * ${orders} + n, 'none', $2, false, gen_random_uuid(), gen_random_uuid(), 'us', '{}', '[]' from generate_series(1, ${orders}) n`,
        [storeId, source.id, round],
      )
      const begun = performance.now()
      await call('POST /v1/stores/{storeId}/contacts/{id}/merge', {
        path: { storeId, id: target.id },
        body: { source_contact_id: source.id },
      })
      each.push(performance.now() - begun)
      const { rows } = await shop.db.query<{ moved: number }>(
        'select count(*)::int as moved from orders where contact_id = $1',
        [target.id],
      )
      if (rows[0]?.moved !== orders) throw new Error(`${rows[0]?.moved} orders moved`)
    }
    return resultOf('contact-merge-1000', 1, 0, timesOf(each), null)
  },
}
