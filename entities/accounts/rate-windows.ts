// Counts in windows of time that all processes share.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/sql.ts'

export type Counted = { count: number; ends_at: number }

/** Counts one more under the key, in the caller's transaction. Returns the count of the window and when it ends. Times in Unix seconds. */
export async function countInWindow(em: EntityManager, key: string, windowS: number, now: number): Promise<Counted> {
  const started_at = now - (now % windowS)
  const ends_at = started_at + windowS
  const [row]: { count: number }[] = await em.execute(
    sql`insert into rate_windows (key, started_at, count, expires_at) values (${key}, ${started_at}, 1, ${ends_at})
     on conflict (key, started_at) do update set count = rate_windows.count + 1 returning count`,
  )
  return { count: row?.count ?? 0, ends_at }
}

/** Counts a new visitor of one network, of the tenant with this publishable key; undefined if there is none. Times in Unix seconds. */
export async function countVisitor(em: EntityManager, publishableKey: string, network: string, windowS: number, now: number): Promise<Counted | undefined> {
  const started_at = now - (now % windowS)
  const ends_at = started_at + windowS
  const [row]: { count: number }[] = await em.execute(
    sql`insert into rate_windows (key, started_at, count, expires_at)
     select 'visitors:' || t.id || ${`:${network}`}, ${started_at}, 1, ${ends_at} from tenants t where t.publishable_key = ${publishableKey}
     on conflict (key, started_at) do update set count = rate_windows.count + 1 returning count`,
  )
  return row && { count: row.count, ends_at }
}
