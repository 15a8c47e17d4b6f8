// The stars of records, as visitors see them beside what is sold: one statement for a page of any size.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ReactionTarget } from '../../rules/community/reactions.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

type Rating = { target_id: string; stars_count: number; stars_sum: number }

/** The records, all of one tenant and of this type, with the average and the number of their published stars. */
export async function withStars<R extends { id: string; tenant_id: string }>(
  em: EntityManager,
  type: ReactionTarget,
  records: readonly R[],
) {
  const ratings: Rating[] = records[0]
    ? await em.execute(sql`
      select target_id, stars_count, stars_sum
      from ratings
      where tenant_id = ${records[0].tenant_id}
        and target_type = ${type}
        and target_id = any (${uuids(records.map(({ id }) => id))})
        and stars_count > 0
    `)
    : []
  const of = new Map(ratings.map((rating) => [rating.target_id, rating]))
  return records.map((record) => {
    const { stars_sum = 0, stars_count = 0 } = of.get(record.id) ?? {}
    return {
      ...record,
      stars: { average: stars_count === 0 ? null : stars_sum / stars_count, count: stars_count },
    }
  })
}
