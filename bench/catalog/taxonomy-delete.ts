// Deletes a tree of 1,000 taxonomies with 10,000 references in products, services, providers and entries, in one
// request and one transaction.
import { client } from '../../client/client.ts'
import type { Measure } from '../kit/path.ts'
import { resultOf, timesOf } from '../kit/report.ts'
import type { Shop } from '../kit/shop.ts'

const nodes = 1_000
/** References to the tree: two per record, and a third one to a taxonomy that stays. */
const references = 10_000
const rounds = 5
const kinds = { product: 'products', service: 'services', provider: 'providers', entry: 'entries' } as const

const id = (kind: string, n: string) => `md5('${kind}' || (${n}))::uuid`

/** Four children each, and a chain of thirty-one levels. */
async function fillTree({ db }: Shop, storeId: string): Promise<void> {
  await db.query(
    `insert into taxonomies (id, tenant_id, created_at, updated_at, key, schema, status, parent_id)
     select ${id('term', 'n')}, $1::uuid, n, n, 'term-' || n, '[]'::jsonb, 'active',
       case when n = 0 then null when n < 32 then ${id('term', 'n - 1')} when n < 36 then ${id('term', '0')} else ${id('term', '32 + (n - 36) / 4')} end
     from generate_series(0, ${nodes - 1}) n
     union all select ${id('term', "'stays'")}, $1, 0, 0, 'stays', '[]', 'active', null
     on conflict do nothing`,
    [storeId],
  )
}

async function fillRecords({ db }: Shop, storeId: string, collectionId: string): Promise<void> {
  const each = references / 2 / Object.keys(kinds).length
  for (const [kind, table] of Object.entries(kinds))
    await db.query(
      `insert into ${table} (id, tenant_id, created_at, updated_at, key, slug, blocks, taxonomies, status${kind === 'entry' ? ', collection_id' : ''})
       select ${id(kind, 'n')}, $1, n, n, '${kind}-' || n, '{}',
         jsonb_build_array(jsonb_build_object('id', 'b', 'key', 'text', 'type', 'text', 'value', repeat('What a good thing it is. ', 8))),
         jsonb_build_array(jsonb_build_object('taxonomy_id', ${id('term', `n % ${nodes}`)}, 'fields', '[]'::jsonb),
           jsonb_build_object('taxonomy_id', ${id('term', "'stays'")}, 'entry_ids', jsonb_build_array(${id('term', `(n * 7 + 1) % ${nodes}`)}, ${id('term', "'stays'")}))),
         'active'${kind === 'entry' ? `, '${collectionId}'` : ''} from generate_series(0, ${each - 1}) n
       on conflict (id) do update set taxonomies = excluded.taxonomies`,
      [storeId],
    )
  for (const [kind, table] of Object.entries(kinds))
    await db.query(
      `insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
       select o.tenant_id, '${kind}', o.id, o.created_at, (t ->> 'taxonomy_id')::uuid, (e #>> '{}')::uuid
       from ${table} o, jsonb_array_elements(o.taxonomies) t, jsonb_array_elements(coalesce(t -> 'entry_ids', jsonb_build_array(t -> 'taxonomy_id'))) e
       where o.tenant_id = $1 on conflict do nothing`,
      [storeId],
    )
  for (const table of ['taxonomies', 'taxonomy_links', ...Object.values(kinds)])
    await db.query(`vacuum analyze ${table}`)
}

const openStore = async (shop: Shop) => {
  const call = client({ base: shop.api, headers: shop.operator })
  const body = { key: 'sorted', timezone: 'UTC', languages: ['en'], emails: { billing: null, support: null } }
  const { id: storeId } = await call('POST /v1/stores', { body })
  const collection = await call('POST /v1/stores/{storeId}/collections', { path: { storeId }, body: { key: 'things' } })
  const { rows } = await shop.db.query<{ id: string }>(`select ${id('term', '0')} as id`)
  const root = rows[0]?.id as string
  return {
    storeId,
    collectionId: collection.id,
    remove: () => call('DELETE /v1/stores/{storeId}/taxonomies/{id}', { path: { storeId, id: root } }),
  }
}

/** Checks that the deletion really happened. */
async function check({ db }: Shop, storeId: string, left: { terms: number; links: number }): Promise<void> {
  const { rows } = await db.query<{ terms: number; links: number }>(
    'select (select count(*) from taxonomies where tenant_id = $1) as terms, (select count(*) from taxonomy_links where tenant_id = $1) as links',
    [storeId],
  )
  const found = { terms: Number(rows[0]?.terms), links: Number(rows[0]?.links) }
  if (found.terms !== left.terms || found.links !== left.links)
    throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(left)}`)
}

export const taxonomyDelete: Measure = {
  name: 'taxonomy-delete-1000',
  target: { p95_ms: 2_000, clients: 1 },
  async measure(_, shop) {
    const { storeId, collectionId, remove } = await openStore(shop)
    const each: number[] = []
    for (let round = 0; round < rounds; round++) {
      await fillTree(shop, storeId)
      await fillRecords(shop, storeId, collectionId)
      await check(shop, storeId, { terms: nodes + 1, links: references + references / 2 })
      const since = performance.now()
      await remove()
      each.push(performance.now() - since)
      await check(shop, storeId, { terms: 1, links: references / 2 })
    }
    return resultOf('taxonomy-delete-1000', 1, 0, timesOf(each), null)
  },
}
