// What a test of a race waits for: that other statements wait for locks of its transaction. All files share a database,
// whose other locks are no matter here.
import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { newId } from '../../../entities/kit/ids.ts'
import { until } from '../codes.ts'
import { database } from '../shop.ts'

/** A connection with an open transaction, or its process id. */
type Holder = pg.PoolClient | number
const pidOf = async (holder: Holder): Promise<number> =>
  typeof holder === 'number' ? holder : (await holder.query('select pg_backend_pid() as pid')).rows[0].pid

/**
 * Process ids of statements like one of these that wait for a lock of the holder, or for one that waits for it. A
 * pattern has single spaces, however the statement is laid out.
 */
export async function waitersOf(holder: Holder, ...like: string[]): Promise<number[]> {
  const { rows } = await database().query(
    `with recursive behind as (select $1::int as pid union select a.pid from behind b join pg_stat_activity a on a.wait_event_type = 'Lock' and b.pid = any(pg_blocking_pids(a.pid)))
     select a.pid from behind b join pg_stat_activity a on a.pid = b.pid where a.pid <> $1 and ltrim(regexp_replace(a.query, '\\s+', ' ', 'g')) like any ($2)`,
    [await pidOf(holder), like.length === 0 ? ['%'] : like],
  )
  return rows.map(({ pid }) => pid)
}

/** Resolves when so many statements wait, with their process ids. */
export const untilAwaited = (holder: Holder, { count = 1, like = [] as string | string[] } = {}): Promise<number[]> =>
  until(async () => {
    const pids = await waitersOf(holder, ...[like].flat())
    return pids.length >= count && pids
  })

/** Deadlocks that PostgreSQL has found so far, each with its statements. */
export async function deadlocks(): Promise<string[]> {
  // The log comes through a pipe: all before this line is in it when the line is.
  const mark = `read until ${newId()}`
  await database().query(`do $$ begin raise log '${mark}'; end $$`)
  const log = await until(async () => {
    const text = fs.readFileSync(path.join(process.env.TEST_LOGS as string, 'postgres.log'), 'utf8')
    return text.includes(mark) && text
  })
  const found = log.split('deadlock detected').slice(1)
  return found.map((after) => after.split(/HINT:|CONTEXT:/)[0] as string)
}
