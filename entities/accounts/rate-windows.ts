// Counts in windows of time that all processes share.
import type { EntityManager } from '@mikro-orm/postgresql'
import { json, sql } from '../kit/database/sql.ts'

export type Counted = { count: number; ends_at: number }

/**
 * Counts one more under the key, in the caller's transaction. Returns the count of the window and when it ends. Times
 * in Unix seconds.
 */
export async function countInWindow(em: EntityManager, key: string, windowS: number, now: number): Promise<Counted> {
  const started_at = now - (now % windowS)
  const ends_at = started_at + windowS
  const [row]: { count: number }[] = await em.execute(sql`
    insert into rate_windows (key, started_at, count, expires_at)
    values (${key}, ${started_at}, 1, ${ends_at})
    on conflict (key, started_at) do update
    set count = rate_windows.count + 1
    returning count
  `)
  return { count: row?.count ?? 0, ends_at }
}

/** At most `most` in a window of so many seconds. */
export type Window = { key: string; most: number; windowS: number }

/**
 * Counts one more under each key, in one statement and in the order of the keys, so that concurrent counts of the same
 * keys do not deadlock.
 */
export async function countAll(
  em: EntityManager,
  windows: readonly Window[],
  now: number,
): Promise<Map<string, Counted>> {
  const rows = windows.map(({ key, windowS }) => ({
    key,
    started_at: now - (now % windowS),
    ends_at: now - (now % windowS) + windowS,
  }))
  const found: { key: string; count: number; expires_at: number }[] = await em.execute(sql`
    insert into rate_windows (key, started_at, count, expires_at)
    select x.key, x.started_at, 1, x.ends_at
    from jsonb_to_recordset(${json(rows)}) as x(key text, started_at bigint, ends_at bigint)
    order by x.key
    on conflict (key, started_at) do update
    set count = rate_windows.count + 1
    returning key, count, expires_at::float8 as expires_at
  `)
  return new Map(found.map(({ key, count, expires_at: ends_at }) => [key, { count, ends_at }]))
}

/** How long an address is known to a network since a sign-in. */
const knownS = 90 * 86_400

/** Records that the address of `key` has signed in from a network. `now` in Unix seconds. */
export const rememberNetwork = (em: EntityManager, key: string, now: number) =>
  em.execute(sql`
    insert into rate_windows (key, started_at, count, expires_at)
    values (${key}, 0, 1, ${now + knownS})
    on conflict (key, started_at) do update
    set count = rate_windows.count + 1, expires_at = excluded.expires_at
  `)

export async function knowsNetwork(em: EntityManager, key: string, now: number): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    sql`select 1 from rate_windows where key = ${key} and started_at = 0 and expires_at > ${now}`,
  )
  return rows.length > 0
}

/**
 * Counts a new visitor of one network, of the tenant with this publishable key; undefined if there is none. Times in
 * Unix seconds.
 */
export async function countVisitor(
  em: EntityManager,
  publishableKey: string,
  network: string,
  windowS: number,
  now: number,
): Promise<Counted | undefined> {
  const started_at = now - (now % windowS)
  const ends_at = started_at + windowS
  const [row]: { count: number }[] = await em.execute(sql`
    insert into rate_windows (key, started_at, count, expires_at)
    select 'visitors:' || t.id || ${`:${network}`}, ${started_at}, 1, ${ends_at}
    from tenants t
    where t.publishable_key = ${publishableKey}
    on conflict (key, started_at) do update
    set count = rate_windows.count + 1
    returning count
  `)
  return row && { count: row.count, ends_at }
}
