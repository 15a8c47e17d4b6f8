// One run per script at a time. A batch and its progress are one commit, so a run resumes after the last batch.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ScriptName, ScriptStatus } from '../../rules/platform/scripts.ts'
import { insertion } from '../kit/database/insert.ts'
import { json, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { start } from '../kit/outbox.ts'
import { ScriptRun } from './script-run.ts'

type Joined = { id: string; value: string | null; message: string }

/** The script's running run, or a new one. In the caller's transaction; `now` in Unix seconds. */
export async function joinScript(
  em: EntityManager,
  name: ScriptName,
  value: string | null,
  now: number,
): Promise<Joined> {
  const id = newId()
  const running = { status: 'running', message: 'not begun yet.', progress: null } as const
  const made: Joined[] = await em.execute(sql`
    ${insertion(em, ScriptRun, { id, created_at: now, updated_at: now, name, value, ...running })}
    on conflict (name) where status = 'running' do nothing
    returning id, value, message
  `)
  if (made[0]) {
    await start(em, 'script', id, {
      tenant_id: null,
      awaited: true,
      summary: `script ${name.replaceAll('-', ' ')} ${id}`,
    })
    return made[0]
  }
  // It was running a moment ago and may have ended: in both cases it is the newest run.
  const [newest]: Joined[] = await em.execute(
    sql`select id, value, message from script_runs where name = ${name} order by id desc limit 1`,
  )
  return newest as Joined
}

export type RunningScript = { name: string; value: string | null; progress: unknown }

/** Locks the run for one batch: two workers of the same run take turns. Null: it has ended. */
export async function takeScript(em: EntityManager, id: string): Promise<RunningScript | null> {
  const rows: RunningScript[] = await em.execute(sql`
    select name, value, progress
    from script_runs
    where id = ${id} and status = 'running'
    for update
  `)
  return rows[0] ?? null
}

type Moved = { status: ScriptStatus; message: string; progress: unknown }

/** Saves the progress of a run in the transaction of its batch, under takeScript's lock. */
export const moveScript = (em: EntityManager, id: string, { status, message, progress }: Moved, now: number) =>
  em.execute(sql`
    update script_runs
    set status = ${status}, message = ${message}, progress = ${json(progress)}, updated_at = ${now}
    where id = ${id}
  `)

/** Ends a run that failed. Idempotent; a run that has ended stays as it is. */
export const giveUpScript = (em: EntityManager, id: string, why: string, now: number) =>
  em.execute(sql`
    update script_runs
    set status = 'failed', message = ${why} || message, updated_at = ${now}
    where id = ${id} and status = 'running'
  `)

/** Runs without progress for `graceS` seconds: their workflow may be lost. */
export const lateScripts = lateRows({
  from: sql`script_runs x`,
  at: 'x.updated_at',
  type: 'bigint',
  tenant: sql`null::uuid`,
  where: ({ idleS }) =>
    sql`x.status = 'running' and x.updated_at < (date_part('epoch', statement_timestamp()) - ${idleS})::bigint`,
})
