// Records that are deleted take what was said of them along: at once it is not found any more, and it is deleted by the
// thousand later (sweep.ts).
import { type Sql, sql } from '../kit/database/sql.ts'

/**
 * A part of the statement that deletes records: it deletes their counters and ratings, and writes the note that sweeps
 * their reactions. Waits for no request that is counting.
 */
export const forgotten = (tenantId: string, ids: Sql, now: Sql): Sql => sql`
  deleted_counts as (
    delete from reaction_counts
    where ctid = any (
      array(
        select ctid
        from reaction_counts
        where tenant_id = ${tenantId} and target_id in (${ids}) and place_id = target_id
        for update skip locked
      )
    )
  ),
  deleted_ratings as (
    delete from ratings
    where ctid = any (
      array(
        select ctid
        from ratings
        where tenant_id = ${tenantId} and target_id in (${ids})
        for update skip locked
      )
    )
  ),
  removals as (
    insert into reaction_removals (tenant_id, target_id, place_id, created_at)
    select ${tenantId}::uuid, targets.id, targets.id, ${now}
    from (${ids}) targets (id)
    on conflict do nothing
  )
`
