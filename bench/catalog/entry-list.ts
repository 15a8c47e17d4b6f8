// A page of 20 out of 100,000 entries under taxonomies: frequent, rare and old terms, and pairs of terms without a
// common entry.
import { createHash } from 'node:crypto'
import { cursorAt } from '../../api/kit/answer/cursors.ts'
import type { Path } from '../kit/path.ts'
import { newStore, type Shop } from '../kit/shop.ts'

const count = 100_000
const since = 1_700_000_000
const apart = 300
/** The n-th id of a kind, in statements and in requests. */
const id = (kind: string) => `md5('${kind}')::uuid`
const idOf = (kind: string) =>
  createHash('md5')
    .update(kind)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/**
 * The entries under each term; `a` is evenly distributed from 0 to 999. Two of ten entries are drafts, the hundred
 * oldest are archived.
 */
const terms = {
  even: 'n % 2 = 0',
  odd: 'n % 2 = 1',
  tenth: 'a < 100',
  hundredth: 'a between 200 and 209',
  thousandth: 'a = 500',
  oldest: 'n < 3000',
  few: 'n % 10000 = 77',
}
type Term = keyof typeof terms

/** Two collections. The second one has a hundred old entries. */
async function fillEntries({ db }: Shop, storeId: string): Promise<void> {
  await db.query(
    `with c as (insert into collections (id, tenant_id, created_at, updated_at, key, schema, blocks)
       select v.id, $1, 1, 1, v.key, '[]', '[]' from (values (${id('posts')}, 'posts'), (${id('pages')}, 'pages')) as v(id, key))
     insert into taxonomies (id, tenant_id, created_at, updated_at, key, schema, status) values (${id('topic')}, $1, 1, 1, 'topic', '[]', 'active')`,
    [storeId],
  )
  const x = `select n, ${since} + n * ${apart} as at, abs(hashint8(n)) % 1000 as a, abs(hashint8(n + 777)) % 1000 as b from generate_series(0, ${count - 1}) n`
  await db.query(
    `with e as (insert into entries (id, tenant_id, created_at, updated_at, collection_id, key, slug, blocks, taxonomies, status, search)
       select gen_random_uuid(), $1, at, at, case when n % 50 = 7 and n < 5000 then ${id('pages')} else ${id('posts')} end, 'entry-' || n, jsonb_build_object('en', 'entry-' || n),
         jsonb_build_array(jsonb_build_object('id', 'a', 'key', 'title', 'type', 'text', 'value', 'Entry number ' || n),
           jsonb_build_object('id', 'b', 'key', 'body', 'type', 'markdown', 'value', repeat('What a good thing to read. ', 12))),
         '[]', case when n < 100 then 'archived' when b < 200 then 'draft' else 'active' end, to_tsvector('simple', 'entry number ' || n) from (${x}) x
       returning id, created_at, (created_at - ${since}) / ${apart} as n)
     insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
     select $1, 'entry', e.id, e.created_at, ${id('topic')}, t.id from e join (${x}) x using (n)
       cross join lateral (${Object.entries(terms)
         .map(([name, condition]) => `select ${id(name)} as id where ${condition}`)
         .join(' union all ')}) as t`,
    [storeId],
  )
  // Autovacuum would do it within a minute; these rows were inserted within seconds.
  for (const table of ['entries', 'taxonomy_links']) await db.query(`vacuum analyze ${table}`)
}

const under = (...of: (Term | Term[] | null)[]) =>
  `taxonomy_query=${encodeURIComponent(
    JSON.stringify(
      of.map((names) => ({
        taxonomy_id: idOf('topic'),
        ...(names === null ? {} : { entry_ids: [names].flat().map(idOf) }),
      })),
    ),
  )}`
const posts = `collection_id=${idOf('posts')}`
const pages = `collection_id=${idOf('pages')}`
const halfway = (storeId: string): string => {
  const scope = { spec: 'GET /v1/stores/{storeId}/entries', tenant_id: storeId, path: { storeId } } as const
  return cursorAt(
    { ...scope, sort_field: 'created_at', sort_direction: 'desc' },
    since + (count / 2) * apart,
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  )
}

/** The requests. */
const entryQueries: Record<string, string> = {
  frequent: under('even'),
  tenth: under('tenth'),
  rare: under('few'),
  oldest: under('oldest'),
  'whole taxonomy': under(null),
  'one of three': under(['hundredth', 'thousandth', 'few']),
  'either query': under('tenth', 'few'),
  'frequent and tenth': `match_all=true&${under('even', 'tenth')}`,
  'frequent and old': `match_all=true&${under('even', 'oldest')}`,
  'rare and rare': `match_all=true&${under('thousandth', 'hundredth')}`,
  'never both': `match_all=true&${under('even', 'odd')}`,
  'frequent in the collection': `${posts}&${under('even')}`,
  'rare in the collection, active': `${posts}&status=active&${under('thousandth')}`,
  'frequent in the small collection': `${pages}&${under('odd')}`,
  'frequent and archived': `status=archived&${under('even')}`,
  'two in the collection, drafts': `match_all=true&${posts}&status=draft&${under('even', 'hundredth')}`,
  'frequent, halfway down': `cursor=<halfway>&${under('even')}`,
  'frequent by key': `sort_field=key&${under('even')}`,
}

let store: Promise<string> | undefined

export const entryList: Path = {
  name: 'entry-list-100000',
  floor: 'statements',
  target: { p95_ms: 30, sql: 4, clients: 1 },
  async lanes(shop, clients) {
    store ??= (async () => {
      const { id: storeId } = await newStore(shop, 'many-entries')
      await fillEntries(shop, storeId)
      return storeId
    })()
    const at = await store
    const all = Object.values(entryQueries).map((search) => ({
      method: 'GET' as const,
      path: `/v1/stores/${at}/entries?limit=20&${search.replace('<halfway>', () => halfway(at))}`,
      headers: shop.operator,
    }))
    // Each client begins with another request.
    return Array.from({ length: clients }, (_, lane) => [
      ...all.slice(lane % all.length),
      ...all.slice(0, lane % all.length),
    ])
  },
}
