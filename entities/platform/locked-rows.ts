// Maintenance locks the rows that it rewrites, so that no concurrent write is lost, and causes no deadlock.
import type { EntityManager } from '@mikro-orm/postgresql'
import { nothing, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

/**
 * Locks the rows of these ids, and returns the ids that are locked. Without `wait`, rows that another transaction has
 * locked are skipped, which excludes deadlocks.
 */
export async function lockRows(
  em: EntityManager,
  table: string,
  ids: readonly string[],
  wait: boolean,
): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(
    // Rows that are only referred to (`for key share`) are not waited for.
    sql`
      select id
      from ${text(table)}
      where id = any (${uuids(ids)})
      order by id
      for no key update ${wait ? nothing : sql`skip locked`}
    `,
  )
  return rows.map(({ id }) => id)
}
