// A business with many products and visitors who react, and targets with as many reactions as a measurement needs, in
// the rows that the API writes.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { digest } from '../../api/kit/caller.ts'
import { client } from '../../client/client.ts'
import { newId } from '../../entities/kit/ids.ts'
import { SHARDS } from '../../rules/community/reactions.ts'
import { type Ask, json } from './path.ts'
import { type Buyer, fill, insertBuyers, type Shop } from './shop.ts'

export type Forum = {
  id: string
  at: string
  key: string
  products: string[]
  /** Each of another contact. */
  visitors(count: number): Promise<Buyer[]>
}

/** An answer of a path that only a forum can give; of one key there is one. */
const opened = new Map<string, Promise<Forum>>()

export function forumOf(shop: Shop, key: string, products: number): Promise<Forum> {
  const known = opened.get(key) ?? openForum(shop, key, products)
  opened.set(key, known)
  return known
}

async function openForum(shop: Shop, key: string, products: number): Promise<Forum> {
  const { api, operator, db, shared } = shop
  const { id, publishableKey } = await client({ base: api, headers: operator })('POST /v1/businesses', {
    body: { key: `${key}-${Date.now()}`, timezone: 'UTC', billingEmail: 'bench@shop.example' },
  })
  await fill(db, id, products)
  const { rows } = await db.query<{ id: string }>('select id from products where tenant_id = $1 order by id', [id])
  shared.add(id)
  return {
    ...{ id, at: `/v1/businesses/${id}/reactions`, key: publishableKey, products: rows.map((row) => row.id) },
    visitors: (count) => insertBuyers({ ...shop, store_id: id, key: publishableKey, items: () => [] }, count),
  }
}

/** Computed from what is reacted to: a replay of the statements needs that of its own target. */
const subjectOf = (target: string, kind: string) =>
  createHash('md5')
    .update(`product ${target} ${target} ${kind}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

export const reaction = (
  { at }: Forum,
  { contact_id, session_id, token, headers }: Buyer,
  target: string,
  kind: string,
): Ask => ({
  method: 'POST',
  path: at,
  headers: json(headers),
  body: JSON.stringify({ target: { type: 'product', id: target }, kind }),
  own: [contact_id, session_id, digest(token), target, subjectOf(target, kind)],
})

/**
 * `contents`: comments, of which nine of ten are replies to the first tenth; all else are likes. `authors`: of the
 * comments.
 */
export type Crowd = { marks: number; contents: number; authors: readonly string[]; since: number }

/** Reactions to one product, a second apart, with their counters. The fifth like of each hundred is of a comment. */
export async function fillReactions(
  db: pg.Pool,
  tenant: string,
  target: string,
  { marks, contents, authors, since }: Crowd,
): Promise<void> {
  const roots = Math.max(1, Math.floor(contents / 10))
  const id = (n: string) => `md5($2::uuid::text || 'c' || (${n}))::uuid`
  // With few distinct words PostgreSQL keeps no statistics of beginnings of words.
  const vocabulary = `(select string_agg('word' || abs(hashint8(n * 31 + k)) % (30 * k), ' ') from generate_series(1, 12) k)`
  const subject = (place: string, kind: string) =>
    `md5('product ' || $2::uuid::text || ' ' || (${place})::text || ' ' || '${kind}')::uuid`
  if (contents > 0)
    await db.query(
      `insert into reactions (id, tenant_id, created_at, updated_at, author_id, target_type, target_id, parent_id, place_id, ancestors, kind, subject, slot, shard, has_content, blocks, status,
         reply_count, search)
       select ${id('n')}, $1::uuid, $3::bigint + n, $3::bigint + n, a, 'product', $2::uuid, p, coalesce(p, $2::uuid), case when p is null then '{}' else array[p] end, 'comment', ${subject('coalesce(p, $2::uuid)', 'comment')}, '.' || left(md5(n::text), 31),
         ('x' || right(a::text, 2))::bit(8)::int % ${SHARDS}, true,
         jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'key', 'text', 'type', 'text', 'value', 'What I say of it is number ' || n || '. ' || repeat('It is good. ', 8))),
         case when n % 100 = 99 then 'pending' else 'published' end, case when p is null then 9 else 0 end,
         to_tsvector('simple', 'number ' || n || ' good ' || case when n % 1000 = 7 then 'rare ' else '' end || ${vocabulary})
       from (select n, ($4::uuid[])[1 + n % $5::int] as a, case when n < ${roots} then null else ${id(`n % ${roots}`)} end as p from generate_series(0, ${contents - 1}) n) x`,
      [tenant, target, since, `{${authors.join(',')}}`, authors.length],
    )
  if (marks > 0)
    await db.query(
      `insert into reactions (id, tenant_id, created_at, updated_at, author_id, target_type, target_id, parent_id, place_id, ancestors, kind, subject, slot, shard, status)
       select gen_random_uuid(), $1::uuid, $3::bigint + n, $3::bigint + n, a, 'product', $2::uuid, p, coalesce(p, $2::uuid), case when p is null then '{}' else array[p] end, 'like', ${subject('coalesce(p, $2::uuid)', 'like')}, 'like',
         ('x' || right(a::text, 2))::bit(8)::int % ${SHARDS}, 'published'
       from (select n, gen_random_uuid() as a, case when ${contents} > 0 and n % 100 = 4 then ${id(`n % ${roots}`)} end as p from generate_series(0, ${marks - 1}) n) x`,
      [tenant, target, since],
    )
  await db.query(
    `insert into reaction_counts (tenant_id, target_id, place_id, kind, shard, count)
     select tenant_id, target_id, place_id, kind, shard, count(*) from reactions where tenant_id = $1::uuid and target_id = $2::uuid and status = 'published' group by 1, 2, 3, 4, 5`,
    [tenant, target],
  )
  // Autovacuum would do it within a minute; these rows were inserted within seconds.
  for (const table of ['reactions', 'reaction_counts']) await db.query(`vacuum analyze ${table}`)
}

/** A product without reactions. */
export async function insertProduct(db: pg.Pool, tenant: string): Promise<string> {
  const id = newId()
  await db.query(
    `insert into products (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status) values ($1, 1, 1, $2, $3, '{}', '[]', '[]', 'active')`,
    [id, tenant, `product-${id}`],
  )
  return id
}
