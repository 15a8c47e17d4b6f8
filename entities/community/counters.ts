// Counters and ratings change in the transaction that changes the reaction: a count is never computed later, and is never wrong.
import type { EntityManager } from '@mikro-orm/postgresql'
import { starsOf } from '../../rules/reactions.ts'
import { type Sql, sql } from '../kit/sql.ts'
import type { Reaction } from './reaction.ts'

/** What a counter is found by. */
export type Counted = Pick<Reaction, 'tenant_id' | 'target_type' | 'target_id' | 'place_id' | 'parent_id' | 'kind' | 'shard' | 'has_content'>

/**
 * Counts a reaction that was published (1) or no longer is (-1): its counter, then the rating, then the replies of its parent, in this order everywhere. The caller has
 * locked or inserted the reaction.
 */
export async function count(
  em: EntityManager,
  { tenant_id, target_type, target_id, place_id, parent_id, kind, shard, has_content }: Counted,
  by: 1 | -1,
): Promise<void> {
  await em.execute(
    by === 1
      ? sql`insert into reaction_counts (tenant_id, target_id, place_id, kind, shard, count) values (${tenant_id}, ${target_id}, ${place_id}, ${kind}, ${shard}, 1) ${added}`
      : sql`update reaction_counts set count = count - 1 where tenant_id = ${tenant_id} and target_id = ${target_id} and place_id = ${place_id} and kind = ${kind} and shard = ${shard}`,
  )
  const stars = starsOf(kind)
  if (stars !== null)
    await em.execute(
      by === 1
        ? sql`insert into ratings (tenant_id, target_type, target_id, stars_count, stars_sum) values (${tenant_id}, ${target_type}, ${target_id}, 1, ${stars}) ${rated}`
        : sql`update ratings set stars_count = stars_count - 1, stars_sum = stars_sum - ${stars} where tenant_id = ${tenant_id} and target_type = ${target_type} and target_id = ${target_id}`,
    )
  if (parent_id && has_content)
    await em.execute(sql`update reactions set reply_count = reply_count + ${by} where tenant_id = ${tenant_id} and id = ${parent_id}`)
}

/** The end of an insert of a counter that may exist. */
export const added: Sql = sql`on conflict (tenant_id, target_id, place_id, kind, shard) do update set count = reaction_counts.count + 1`
const rated: Sql = sql`on conflict (tenant_id, target_type, target_id)
  do update set stars_count = ratings.stars_count + excluded.stars_count, stars_sum = ratings.stars_sum + excluded.stars_sum`
