// Rows of any table are held while they are maintained: nobody's write is lost, and nobody who writes many of them is thrown back because of us.
import type { EntityManager } from '@mikro-orm/postgresql'
import { arrayOf } from '../kit/ids.ts'

/** Those of the ids that are there and held now, by this transaction. Unless we `wait`, the ones that somebody else holds are passed over: so no two wait for each other. */
export async function lockRows(em: EntityManager, table: string, ids: readonly string[], wait: boolean): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(
    // Whoever only refers to a row is not in its way.
    `select id from ${table} where id = any(?::uuid[]) order by id for no key update ${wait ? '' : 'skip locked'}`,
    [arrayOf(ids)],
  )
  return rows.map(({ id }) => id)
}
