// Counters and ratings change in the transaction that changes the reaction: a count is never computed later, and is
// never wrong.
import { CheckConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  isFreeKind,
  KINDS_MAX,
  KINDS_SHOWN_MAX,
  knownKinds,
  OWN_KINDS_MAX,
  starsOf,
} from '../../rules/community/reactions.ts'
import { conflict, unavailable } from '../../rules/refusal.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { arrayOf } from '../kit/ids.ts'
import type { Reaction } from './reaction.ts'

/** What a counter is found by. */
export type Counted = Pick<
  Reaction,
  'tenant_id' | 'target_type' | 'target_id' | 'place_id' | 'parent_id' | 'kind' | 'shard' | 'has_content'
>

/**
 * Whether the person may add this kind at the place: without a limit a single visitor could make a summary of any
 * length, whose every kind is a row.
 */
export const kindFits = (
  tenantId: string,
  authorId: string,
  { target_id, place_id, kind }: Pick<Counted, 'target_id' | 'place_id' | 'kind'>,
): Sql => {
  if (!isFreeKind(kind)) return sql`true`
  const here = sql`c.tenant_id = ${tenantId} and c.target_id = ${target_id} and c.place_id = ${place_id}`
  return sql`
    case
      when (
        select count(*)
        from reactions o
        where o.tenant_id = ${tenantId} and o.author_id = ${authorId} and o.place_id = ${place_id} and o.slot ~ '^[^.]'
      ) >= ${OWN_KINDS_MAX} then false
      when exists (select 1 from reaction_counts c where ${here} and c.kind = ${kind}) then true
      else (select count(distinct c.kind) from reaction_counts c where ${here}) < ${KINDS_MAX}
    end
  `
}

export const kindsTooMany = () =>
  conflict('kinds_too_many', 'There are as many kinds of reactions here, or of this person, as there may be.')

/**
 * `select jsonb …`: the numbers of published reactions at a place by kind, of the known and the most frequent kinds.
 * `target` and `place` are SQL.
 */
export const countsAt = (tenantId: string, target: Sql, place: Sql): Sql => sql`
  select jsonb_object_agg(c.kind, c.count)
  from (
    select kind, sum(count) as count
    from reaction_counts c
    where c.tenant_id = ${tenantId} and c.target_id = ${target} and c.place_id = ${place}
    group by kind
    having sum(count) > 0
    order by kind = any (${arrayOf(knownKinds)}::text[]) desc, sum(count) desc, kind
    limit ${KINDS_SHOWN_MAX}
  ) c
`

/**
 * Runs `statement`, which changes counters or ratings. A record that is deleted takes its counters along, and requests
 * that had seen it begin new ones: a count that is taken from those of others breaks a check. The request is repeated
 * then, and finds no record. 503 database_unavailable.
 */
export async function counting(statement: () => Promise<unknown>): Promise<void> {
  try {
    await statement()
  } catch (error) {
    if (error instanceof CheckConstraintViolationException)
      throw unavailable('database_unavailable', 'Another request is deleting the record; repeat the request.')
    throw error
  }
}

/**
 * Counts a reaction that was published (1) or no longer is (-1): its counter, then the rating, then the replies of its
 * parent, in this order everywhere. The caller has locked or inserted the reaction.
 */
export async function count(
  em: EntityManager,
  { tenant_id, target_type, target_id, place_id, parent_id, kind, shard, has_content }: Counted,
  by: 1 | -1,
): Promise<void> {
  const here = sql`target_id = ${target_id} and place_id = ${place_id} and kind = ${kind} and shard = ${shard}`
  // Made-up kinds come without end: the counter of one goes with its last reaction.
  const last = isFreeKind(kind) ? sql`count = 1` : sql`false`
  await counting(() =>
    em.execute(
      by === 1
        ? sql`
          insert into reaction_counts (tenant_id, target_id, place_id, kind, shard, count)
          values (${tenant_id}, ${target_id}, ${place_id}, ${kind}, ${shard}, 1) ${added}
        `
        : sql`
          with deleted_counts as (
            delete from reaction_counts
            where tenant_id = ${tenant_id} and ${here} and ${last}
            returning 1
          )
          update reaction_counts
          set count = count - 1
          where tenant_id = ${tenant_id} and ${here} and not exists (select 1 from deleted_counts)
        `,
    ),
  )
  const stars = starsOf(kind)
  if (stars !== null)
    await counting(() =>
      em.execute(
        by === 1
          ? sql`
            insert into ratings (tenant_id, target_type, target_id, stars_count, stars_sum)
            values (${tenant_id}, ${target_type}, ${target_id}, 1, ${stars}) ${rated}
          `
          : sql`
            update ratings
            set stars_count = stars_count - 1, stars_sum = stars_sum - ${stars}
            where tenant_id = ${tenant_id} and target_type = ${target_type} and target_id = ${target_id}
          `,
      ),
    )
  if (parent_id && has_content)
    await em.execute(sql`
      update reactions
      set reply_count = reply_count + ${by}
      where tenant_id = ${tenant_id} and id = ${parent_id}
    `)
}

/** The end of an insert of a counter that may exist. */
export const added: Sql = sql`
  on conflict (tenant_id, target_id, place_id, kind, shard) do update
  set count = reaction_counts.count + 1
`
const rated: Sql = sql`
  on conflict (tenant_id, target_type, target_id) do update
  set stars_count = ratings.stars_count + excluded.stars_count, stars_sum = ratings.stars_sum + excluded.stars_sum
`
