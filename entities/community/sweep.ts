// What was said of a deleted record is deleted by the thousand, and removed content after its time. A removal is kept
// for an hour: a request that still saw the record may commit.
import type { EntityManager } from '@mikro-orm/postgresql'
import { ReactionTarget } from '../../rules/community/reactions.ts'
import { type Sql, sql, text } from '../kit/database/sql.ts'
import { count } from '../kit/expiry.ts'
import { arrayOf } from '../kit/ids.ts'
import { emptied, removeEmptied } from './changes.ts'

/** A request that saw the record may commit this much later. */
const late_s = 3_600

/** Notes that one round looks at, in pages; a collection that is deleted leaves one for each of its entries. */
const [page, pagesMax] = [1_000, 10]

type Key = [tenant_id: string, target_id: string, place_id: string]
const none = '00000000-0000-0000-0000-000000000000'
const start: Key = [none, none, none]
/** The last note that is done. After the last of all, a round begins again with the first. */
let done = start

const keyOf = ([tenant, target, place]: Key): Sql => sql`(${tenant}::uuid, ${target}::uuid, ${place}::uuid)`
const columns = sql`(g.tenant_id, g.target_id, g.place_id)`

type Swept = 'reactions' | 'reaction_counts' | 'ratings'
/** Each note finds its rows by an index. Rows that other transactions have locked are left for the next time. */
const rowsOf = (table: Swept, notes: Sql, condition: Sql, batch: number): Sql => sql`
  select stale_rows.ctid
  from ${notes} g
  cross join lateral (
    select x.ctid
    from ${text(table)} x
    where x.tenant_id = g.tenant_id and ${condition}
    limit ${batch}
    for update skip locked
  ) stale_rows
  limit ${batch}
`

const ofTarget = sql`g.place_id = g.target_id and x.target_id = g.target_id`
const types = sql`${arrayOf(ReactionTarget.options)}::text[]`

/** What is left of the records and reactions of these notes. Returns the deleted rows. */
async function sweepNotes(em: EntityManager, after: Key, last: Key, batch: number): Promise<number> {
  const notes = sql`
    (
      select g.tenant_id, g.target_id, g.place_id
      from reaction_removals g
      where ${columns} > ${keyOf(after)} and ${columns} <= ${keyOf(last)}
      order by g.tenant_id, g.target_id, g.place_id
    )
  `
  let deleted = 0
  for (const condition of [ofTarget, sql`g.place_id <> g.target_id and x.parent_id = g.place_id`]) {
    const deletion = sql`
      delete from reactions
      where ctid = any (array(${rowsOf('reactions', notes, condition, batch)}))
      returning tenant_id, id
    `
    const links = sql`
      delete from taxonomy_links l
      using deleted_reactions
      where l.tenant_id = deleted_reactions.tenant_id and l.owner_id = deleted_reactions.id
    `
    const [found]: { count: number }[] = await em.execute(sql`
      with deleted_reactions as (${deletion}),
      deleted_links as (${links})
      select count(*)::int as count, min(tenant_id::text)
      from deleted_reactions
    `)
    deleted += found?.count ?? 0
  }
  for (const condition of [
    ofTarget,
    sql`g.place_id <> g.target_id and x.target_id = g.target_id and x.place_id = g.place_id`,
  ]) {
    const counts = rowsOf('reaction_counts', notes, condition, batch)
    const ended = await count(em, sql`delete from reaction_counts where ctid = any (array(${counts}))`)
    deleted += ended
  }
  const ratings = rowsOf('ratings', notes, sql`${ofTarget} and x.target_type = any (${types})`, batch)
  const ended = await count(em, sql`delete from ratings where ctid = any (array(${ratings}))`)
  return deleted + ended
}

/**
 * Reactions of deleted records and of deleted reactions, with their counters. Returns the deleted rows. `now` in Unix
 * seconds.
 */
export async function sweepOrphans(em: EntityManager, now: number, batch: number): Promise<number> {
  let deleted = 0
  for (let pages = 0; pages < pagesMax && deleted < batch; pages++) {
    const [last]: { tenant_id: string; target_id: string; place_id: string; count: number }[] = await em.execute(sql`
      select tenant_id, target_id, place_id, count(*) over ()::int as count
      from (
        select *
        from reaction_removals g
        where ${columns} > ${keyOf(done)}
        order by tenant_id, target_id, place_id
        limit ${page}
      ) page
      order by tenant_id desc, target_id desc, place_id desc
      limit 1
    `)
    if (last) {
      const key: Key = [last.tenant_id, last.target_id, last.place_id]
      const here = await sweepNotes(em, done, key, batch)
      deleted += here
      // A note may have more than a batch.
      if (here < batch) done = key
    }
    if ((last?.count ?? 0) < page && deleted < batch) {
      done = start
      break
    }
  }
  const isEmpty = sql`
    case
      when g.place_id = g.target_id
        then not exists (
          select 1
          from reactions r
          where r.tenant_id = g.tenant_id and r.target_id = g.target_id
          offset 0
        )
      else not exists (select 1 from reactions r where r.tenant_id = g.tenant_id and r.parent_id = g.place_id offset 0)
    end
  `
  // Removals that another sweep has locked are skipped.
  const over = sql`
    select g.ctid
    from reaction_removals g
    where g.created_at < ${now - late_s} and ${isEmpty}
    order by g.created_at
    limit ${batch}
    for update skip locked
  `
  return deleted + (await count(em, sql`delete from reaction_removals where ctid = any (array(${over}))`))
}

/**
 * Removed reactions that no operator needs any more: with replies they stay, empty and removed; without, what was
 * emptied above them goes with the last of its replies.
 * Returns the changed rows. `now` in Unix seconds.
 */
export const sweepRemoved = (
  em: EntityManager,
  { before, now, batch }: { before: number; now: number; batch: number },
): Promise<number> =>
  em.transactional(async (at) => {
    const old: { tenant_id: string; target_id: string; ancestors: string[]; is_reply: boolean }[] =
      // Reactions that a request has locked are skipped: a later round finds them.
      await at.execute(sql`
      with old_reactions as materialized (
        select r.id, r.tenant_id, r.target_id, r.ancestors, r.has_content,
          exists (
            select 1
            from reactions c
            where c.tenant_id = r.tenant_id and c.parent_id = r.id and c.has_content
          ) as replied
        from reactions r
        where r.status = 'removed' and r.author_id is not null and r.updated_at < ${before}
        order by r.updated_at
        limit ${batch}
        for update skip locked
      ),
      emptied_reactions as (
        update reactions r
        set ${emptied(now)}
        from old_reactions
        where r.tenant_id = old_reactions.tenant_id and r.id = old_reactions.id and old_reactions.replied
      ),
      deleted_reactions as (
        delete from reactions r
        using old_reactions
        where r.tenant_id = old_reactions.tenant_id and r.id = old_reactions.id and not old_reactions.replied
      ),
      deleted_links as (
        delete from taxonomy_links l
        using old_reactions
        where l.tenant_id = old_reactions.tenant_id and l.owner_id = old_reactions.id
      ),
      removals as (
        insert into reaction_removals (tenant_id, target_id, place_id, created_at)
        select tenant_id, target_id, id, ${now}
        from old_reactions
        where has_content and not replied
        on conflict do nothing
      )
      select tenant_id, target_id, ancestors, has_content and not replied and cardinality(ancestors) > 0 as is_reply
      from old_reactions
    `)
    const parents = new Map(old.filter(({ is_reply }) => is_reply).map((one) => [one.ancestors.at(-1), one]))
    for (const one of parents.values()) await removeEmptied(at, one, now)
    return old.length
  })
