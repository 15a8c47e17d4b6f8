// Of each script one run at a time. What a batch did and how far the run is are one commit: whoever takes a run up goes on where the last one stood.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ScriptName, ScriptStatus } from '../../rules/platform/scripts.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { json, sql } from '../kit/sql.ts'

type Joined = { id: string; value: string | null; message: string }

/** The run that this script has, or a new one. In the caller's transaction; `now` in Unix seconds. */
export async function joinScript(em: EntityManager, name: ScriptName, value: string | null, now: number): Promise<Joined> {
  const id = newId()
  const made: Joined[] = await em.execute(
    sql`insert into script_runs (id, created_at, updated_at, name, value, status, message) values (${id}, ${now}, ${now}, ${name}, ${value}, 'running', 'not begun yet.')
     on conflict (name) where status = 'running' do nothing returning id, value, message`,
  )
  if (made[0]) {
    await start(em, 'script', id, { tenant_id: null, awaited: true, summary: `script ${name.replaceAll('-', ' ')} ${id}` })
    return made[0]
  }
  // It was running when we came, and may be over by now: either way it is the newest one.
  const [newest]: Joined[] = await em.execute(sql`select id, value, message from script_runs where name = ${name} order by id desc limit 1`)
  return newest as Joined
}

export type RunningScript = { name: string; value: string | null; progress: unknown }

/** The run, for one batch of it: two workers that have it take turns. Null: it is over. */
export async function takeScript(em: EntityManager, id: string): Promise<RunningScript | null> {
  const rows: RunningScript[] = await em.execute(sql`select name, value, progress from script_runs where id = ${id} and status = 'running' for update`)
  return rows[0] ?? null
}

type Moved = { status: ScriptStatus; message: string; progress: unknown }

/** In the transaction of the batch, under takeScript's lock. */
export const moveScript = (em: EntityManager, id: string, { status, message, progress }: Moved, now: number) =>
  em.execute(sql`update script_runs set status = ${status}, message = ${message}, progress = ${json(progress)}, updated_at = ${now} where id = ${id}`)

/** However often it is said; one that is over stays as it ended. */
export const giveUpScript = (em: EntityManager, id: string, why: string, now: number) =>
  em.execute(sql`update script_runs set status = 'failed', message = ${why} || message, updated_at = ${now} where id = ${id} and status = 'running'`)

/** Runs that have not moved for some seconds: their workflow may be lost. */
export const overdueScripts = (em: EntityManager, graceS: number, limit: number): Promise<{ id: string }[]> =>
  em.execute(
    sql`select id from script_runs where status = 'running' and updated_at < (date_part('epoch', statement_timestamp()) - ${graceS})::bigint order by updated_at limit ${limit}`,
  )
