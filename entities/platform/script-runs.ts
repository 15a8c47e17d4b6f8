// Of each script one run at a time. What a batch did and how far the run is are one commit: whoever takes a run up goes on where the last one stood.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ScriptName } from '../../rules/platform/scripts.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'

type Joined = { id: string; value: string | null; message: string }

/** The run that this script has, or a new one. In the caller's transaction; `now` in Unix seconds. */
export async function joinScript(em: EntityManager, name: ScriptName, value: string | null, now: number): Promise<Joined> {
  const id = newId()
  const made: Joined[] = await em.execute(
    `insert into script_runs (id, created_at, updated_at, name, value, status, message) values (?, ?, ?, ?, ?, 'running', 'not begun yet.')
     on conflict (name) where status = 'running' do nothing returning id, value, message`,
    [id, now, now, name, value],
  )
  if (made[0]) {
    await start(em, 'script', id, { tenant_id: null, awaited: true, summary: `script ${name.replaceAll('-', ' ')} ${id}` })
    return made[0]
  }
  // It was running when we came, and may be over by now: either way it is the newest one.
  const [newest]: Joined[] = await em.execute('select id, value, message from script_runs where name = ? order by id desc limit 1', [name])
  return newest as Joined
}

export type RunningScript = { name: string; value: string | null; progress: unknown }

/** The run, for one batch of it: two workers that have it take turns. Null: it is over. */
export async function takeScript(em: EntityManager, id: string): Promise<RunningScript | null> {
  const rows: RunningScript[] = await em.execute(`select name, value, progress from script_runs where id = ? and status = 'running' for update`, [id])
  return rows[0] ?? null
}

type Moved = { status: 'running' | 'succeeded' | 'failed'; message: string; progress: unknown }

/** In the transaction of the batch, under takeScript's lock. */
export const moveScript = (em: EntityManager, id: string, { status, message, progress }: Moved, now: number) =>
  em.execute('update script_runs set status = ?, message = ?, progress = ?::jsonb, updated_at = ? where id = ?', [
    status,
    message,
    JSON.stringify(progress),
    now,
    id,
  ])

/** However often it is said; one that is over stays as it ended. */
export const giveUpScript = (em: EntityManager, id: string, why: string, now: number) =>
  em.execute(`update script_runs set status = 'failed', message = ? || message, updated_at = ? where id = ? and status = 'running'`, [why, now, id])

/** Runs that have not moved for some seconds: their workflow may be lost. */
export const overdueScripts = (em: EntityManager, graceS: number, limit: number): Promise<{ id: string }[]> =>
  em.execute(
    `select id from script_runs where status = 'running' and updated_at < (date_part('epoch', statement_timestamp()) - ?)::bigint order by updated_at limit ?`,
    [graceS, limit],
  )
