// After a restore, bots are connected again with the secrets that are known.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'

/**
 * The provider may know another secret, or have no webhook any more: each is set or taken away again. For all tenants;
 * returns how many. `now` in Unix seconds.
 */
export async function reconnectChannels(em: EntityManager, now: number): Promise<number> {
  const rows: unknown[] = await em.execute(sql`
    update channels
    set version = version + 1, status = 'pending', error = null, is_set = deleted_at is null, look_at = ${now},
      tries = 0, updated_at = ${now}
    returning id
  `)
  return rows.length
}
