// What was said of a deleted record is deleted by the thousand, and removed content after its time. A removal is kept for an hour: a request that still saw the record may commit.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Sql, sql, text } from '../kit/sql.ts'
import { emptied, removeEmptied } from './changes.ts'

/** A request that saw the record may commit this much later. */
const late_s = 3_600

const run = async (em: EntityManager, statement: Sql): Promise<number> => (await em.execute<{ affectedRows: number }>(statement, [], 'run')).affectedRows

/** Of deleted records: each is found by an index, and the rows that other transactions have locked are left for the next time. */
const ofRecords = (table: 'reactions' | 'reaction_counts' | 'ratings', batch: number): Sql =>
  sql`select x.ctid from reaction_removals g join ${text(table)} x on x.tenant_id = g.tenant_id and x.target_id = g.target_id where g.place_id = g.target_id
    limit ${batch} for update of x skip locked`
/** Of deleted reactions. */
const ofReactions = (batch: number): Sql =>
  sql`select x.ctid from reaction_removals g join reactions x on x.tenant_id = g.tenant_id and x.parent_id = g.place_id where g.place_id <> g.target_id
    limit ${batch} for update of x skip locked`
const countsOfReactions = (batch: number): Sql =>
  sql`select x.ctid from reaction_removals g join reaction_counts x on x.tenant_id = g.tenant_id and x.target_id = g.target_id and x.place_id = g.place_id
    where g.place_id <> g.target_id limit ${batch} for update of x skip locked`

/** Reactions of deleted records and of deleted reactions, with their counters. Returns the deleted rows. `now` in Unix seconds. */
export async function sweepOrphans(em: EntityManager, now: number, batch: number): Promise<number> {
  const [noted]: unknown[] = await em.execute(sql`select tenant_id from reaction_removals limit 1`)
  if (!noted) return 0
  let deleted = 0
  for (const rows of [ofRecords('reactions', batch), ofReactions(batch)]) {
    const gone = sql`delete from reactions where ctid = any (array(${rows})) returning tenant_id, id`
    const links = sql`delete from taxonomy_links l using gone where l.tenant_id = gone.tenant_id and l.owner_id = gone.id`
    const [found]: { count: number }[] = await em.execute(
      sql`with gone as (${gone}), l as (${links}) select count(*)::int as count, min(tenant_id::text) from gone`,
    )
    deleted += found?.count ?? 0
  }
  for (const rows of [ofRecords('reaction_counts', batch), countsOfReactions(batch)])
    deleted += await run(em, sql`delete from reaction_counts where ctid = any (array(${rows}))`)
  deleted += await run(em, sql`delete from ratings where ctid = any (array(${ofRecords('ratings', batch)}))`)
  const over = sql`select g.ctid from reaction_removals g where g.created_at < ${now - late_s}
    and not exists (select 1 from reactions r where r.tenant_id = g.tenant_id and case when g.place_id = g.target_id then r.target_id = g.target_id else r.parent_id = g.place_id end)
    order by g.created_at limit ${batch} for update skip locked`
  return deleted + (await run(em, sql`delete from reaction_removals where ctid = any (array(${over}))`))
}

/**
 * Removed reactions that no operator needs any more: with replies they stay, empty and removed; without, what was emptied above them goes with the last of its replies.
 * Returns the changed rows. `now` in Unix seconds.
 */
export const sweepRemoved = (em: EntityManager, { before, now, batch }: { before: number; now: number; batch: number }): Promise<number> =>
  em.transactional(async (at) => {
    const old: { tenant_id: string; target_id: string; ancestors: string[]; is_reply: boolean }[] = await at.execute(
      sql`with old as materialized (select r.id, r.tenant_id, r.target_id, r.ancestors, r.has_content,
         exists (select 1 from reactions c where c.tenant_id = r.tenant_id and c.parent_id = r.id and c.has_content) as replied
       from reactions r where r.status = 'removed' and r.author_id is not null and r.updated_at < ${before} order by r.updated_at limit ${batch} for update skip locked),
     kept as (update reactions r set ${emptied(now)} from old where r.tenant_id = old.tenant_id and r.id = old.id and old.replied),
     gone as (delete from reactions r using old where r.tenant_id = old.tenant_id and r.id = old.id and not old.replied),
     l as (delete from taxonomy_links l using old where l.tenant_id = old.tenant_id and l.owner_id = old.id),
     g as (insert into reaction_removals (tenant_id, target_id, place_id, created_at) select tenant_id, target_id, id, ${now} from old where has_content and not replied
       on conflict do nothing)
     select tenant_id, target_id, ancestors, has_content and not replied and cardinality(ancestors) > 0 as is_reply from old`,
    )
    const parents = new Map(old.filter(({ is_reply }) => is_reply).map((one) => [one.ancestors.at(-1), one]))
    for (const one of parents.values()) await removeEmptied(at, one, now)
    return old.length
  })
