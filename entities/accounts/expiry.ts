// Windows of limits that are over, and tokens that a repeated refresh may no longer be answered with, are deleted.
import { sql } from '../kit/database/sql.ts'
import { count } from '../kit/expiry.ts'
import type { Sweep } from '../kit/table.ts'

export const sweepWindows: Sweep = (em, { now, batch }) =>
  count(
    em,
    // Windows that a request counts in are locked: they are skipped, and deleted by a later round.
    sql`
      delete from rate_windows
      where ctid = any (
        array(
          select ctid
          from rate_windows
          where expires_at < ${now}
          order by expires_at
          limit ${batch}
          for update skip locked
        )
      )
    `,
  )

/** A refresh that is repeated within a minute is answered with the same tokens: they are stored until then. */
export const sweepRotatedPairs: Sweep = (em, { batch }) =>
  count(
    em,
    // Sessions that a refresh has locked are skipped until a later round.
    sql`
      update account_sessions
      set rotated_pair = null
      where id = any (
        array(
          select id
          from account_sessions
          where rotated_pair is not null and rotated_at < clock_timestamp() - interval '1 minute'
          order by rotated_at
          limit ${batch}
          for update skip locked
        )
      )
    `,
  )
