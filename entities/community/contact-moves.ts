// The reactions of a contact become another one's. Where both have the same, the older one stays, and the other one is
// no longer counted.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { starsOf } from '../../rules/community/reactions.ts'
import { unavailable } from '../../rules/refusal.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { requestListings } from '../networks/listings.ts'
import { emptied } from './changes.ts'
import { type Counted, counting } from './counters.ts'

type Row = Counted & { id: string; author_id: string; status: string; created_at: number }

const moved = (tenantId: string, from: string, to: string): Sql => sql`
  update reactions s
  set author_id = ${to}
  where s.tenant_id = ${tenantId} and s.author_id = ${from} and s.slot is not null and not s.official
`

/**
 * Requires the locks of both contacts. One statement if no reaction is of both, else at most nine, however many
 * reactions. `now` in Unix seconds. 503 database_unavailable, with which the request is repeated: an edit, which locks
 * no contact, has meanwhile given one of them the same content as the other.
 */
export async function moveReactions(
  em: EntityManager,
  tenantId: string,
  from: string,
  to: string,
  now: number,
): Promise<void> {
  try {
    await moveAll(em, tenantId, from, to, now)
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException && error.message.includes('"reactions_slots"'))
      throw unavailable(
        'database_unavailable',
        'Another request is editing a reaction of this contact; repeat the request.',
      )
    throw error
  }
}

async function moveAll(em: EntityManager, tenantId: string, from: string, to: string, now: number): Promise<void> {
  const same = sql`o.tenant_id = ${tenantId} and o.author_id = ${to} and o.place_id = s.place_id and o.slot = s.slot`
  const both: { source: Row; target: Row }[] = await em.execute(
    // Those that another request deletes meanwhile are waited for first: what is left then moves.
    sql`
      with duplicates as materialized (
        select s.id, to_jsonb(s) as source, to_jsonb(o) as target
        from reactions s
        join reactions o on ${same}
        where s.tenant_id = ${tenantId} and s.author_id = ${from} and s.slot is not null and not s.official
        order by o.id
        for update
      ),
      moved_reactions as (${moved(tenantId, from, to)} and s.id not in (select id from duplicates))
      select source, target
      from duplicates
    `,
  )
  if (both.length === 0) return
  const losers = both.map(({ source, target }) =>
    source.created_at < target.created_at || (source.created_at === target.created_at && source.id < target.id)
      ? target
      : source,
  )
  if (losers.some(({ kind }) => starsOf(kind) !== null)) await requestListings(em, tenantId)
  await removeLosers(em, tenantId, losers, now)
  await em.execute(moved(tenantId, from, to))
}

/**
 * Deletes reactions that are locked; content with replies stays, empty. Counters in the order of their keys, then
 * ratings, then parents.
 */
async function removeLosers(em: EntityManager, tenantId: string, losers: readonly Row[], now: number): Promise<void> {
  const ids = uuids(losers.map(({ id }) => id))
  await em.execute(sql`
    with emptied_reactions as (
      update reactions r
      set ${emptied(now)}, updated_at = ${now}
      where r.tenant_id = ${tenantId}
        and r.id = any (${ids})
        and exists (select 1 from reactions c where c.tenant_id = r.tenant_id and c.parent_id = r.id and c.has_content)
      returning r.id
    ),
    deleted_links as (
      delete from taxonomy_links where tenant_id = ${tenantId} and owner_id = any (${ids})
    ),
    deleted_reactions as (
      delete from reactions r
      where r.tenant_id = ${tenantId} and r.id = any (${ids}) and r.id not in (select id from emptied_reactions)
      returning r.id, r.target_id, r.has_content
    )
    insert into reaction_removals (tenant_id, target_id, place_id, created_at)
    select ${tenantId}, target_id, id, ${now}
    from deleted_reactions
    where has_content
    on conflict do nothing
  `)
  const counted = losers.filter(({ status }) => status === 'published')
  if (counted.length > 0) await uncount(em, tenantId, counted)
}

const sumOf = <T extends object>(
  rows: readonly Row[],
  keyOf: (row: Row) => T,
  more: (row: Row) => number = () => 0,
): (T & { n: number; sum: number })[] => {
  const sums = new Map<string, T & { n: number; sum: number }>()
  for (const row of rows) {
    const key = keyOf(row)
    const name = JSON.stringify(key)
    const { n, sum } = sums.get(name) ?? { n: 0, sum: 0 }
    sums.set(name, { ...key, n: n + 1, sum: sum + more(row) })
  }
  return [...sums.values()]
}

/** The counters `c` are not of a deleted record: its reactions and counters are swept, in any order. */
const standing = (tenantId: string): Sql =>
  sql`not exists (select 1 from reaction_removals g where g.tenant_id = ${tenantId} and g.place_id = c.target_id)`

async function uncount(em: EntityManager, tenantId: string, rows: readonly Row[]): Promise<void> {
  const counters = sumOf(rows, ({ target_id, place_id, kind, shard }) => ({ target_id, place_id, kind, shard }))
  await counting(() =>
    // Counters are locked in the order of their key: concurrent moves do not deadlock.
    em.execute(sql`
      with decrements as (
        select *
        from jsonb_to_recordset(${json(counters)}) as x(target_id uuid, place_id uuid, kind text, shard smallint, n int)
      ),
      locked_counts as materialized (
        select c.target_id, c.place_id, c.kind, c.shard, decrements.n
        from reaction_counts c
        join decrements using (target_id, place_id, kind, shard)
        where c.tenant_id = ${tenantId} and ${standing(tenantId)}
        order by c.target_id, c.place_id, c.kind, c.shard
        for no key update of c
      )
      update reaction_counts c
      set count = c.count - l.n
      from locked_counts l
      where c.tenant_id = ${tenantId}
        and c.target_id = l.target_id
        and c.place_id = l.place_id
        and c.kind = l.kind
        and c.shard = l.shard
    `),
  )
  const stars = rows.filter(({ kind }) => starsOf(kind) !== null)
  const ratings = sumOf(
    stars,
    ({ target_type, target_id }) => ({ target_type, target_id }),
    ({ kind }) => starsOf(kind) ?? 0,
  )
  if (ratings.length > 0)
    await counting(() =>
      // Ratings are locked in the order of their key: concurrent moves do not deadlock.
      em.execute(sql`
        with decrements as (
          select *
          from jsonb_to_recordset(${json(ratings)}) as x(target_type text, target_id uuid, n int, sum int)
        ),
        locked_ratings as materialized (
          select c.target_type, c.target_id, decrements.n, decrements.sum
          from ratings c
          join decrements using (target_type, target_id)
          where c.tenant_id = ${tenantId} and ${standing(tenantId)}
          order by c.target_type, c.target_id
          for no key update of c
        )
        update ratings c
        set stars_count = c.stars_count - l.n, stars_sum = c.stars_sum - l.sum
        from locked_ratings l
        where c.tenant_id = ${tenantId} and c.target_type = l.target_type and c.target_id = l.target_id
      `),
    )
  const replies = rows.filter(({ has_content, parent_id }) => has_content && parent_id !== null)
  if (replies.length > 0)
    // Parents are locked by id: concurrent moves do not deadlock.
    await em.execute(sql`
      with decrements as (
        select *
        from jsonb_to_recordset(${json(sumOf(replies, ({ parent_id }) => ({ parent_id })))}) as x(parent_id uuid, n int)
      ),
      locked_parents as materialized (
        select r.id, decrements.n
        from reactions r
        join decrements on decrements.parent_id = r.id
        where r.tenant_id = ${tenantId}
        order by r.id
        for no key update of r
      )
      update reactions r
      set reply_count = r.reply_count - l.n
      from locked_parents l
      where r.tenant_id = ${tenantId} and r.id = l.id
    `)
}
