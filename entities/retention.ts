// What was only needed for a while goes: sign-in challenges, counted windows, sessions, messages and runs of scripts long over, provider events that can no longer repeat.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sweepMedia } from './content/media-rows.ts'

const day = 86_400

/** Small batches, so that nobody waits for it. */
export async function sweep(em: EntityManager, now: number): Promise<void> {
  await em.execute('delete from rate_windows where ctid = any(array(select ctid from rate_windows where expires_at < ? limit 5000))', [now])
  await em.execute(`update account_sessions set rotated_pair = null where rotated_pair is not null and rotated_at < clock_timestamp() - interval '1 minute'`)
  await em.execute(
    `delete from mails where id in (select id from mails where settled_at < clock_timestamp() - interval '30 days' and status <> 'unknown' limit 1000)`,
  )
  await em.execute(`delete from script_runs where id in (select id from script_runs where status <> 'running' and updated_at < ? limit 1000)`, [now - 30 * day])
  await em.execute('delete from challenges where id in (select id from challenges where expires_at < ? limit 1000)', [now - day])
  await em.execute('delete from account_sessions where id in (select id from account_sessions where refresh_expires_at < ? limit 1000)', [now - 30 * day])
  await em.execute('delete from provider_events where id in (select id from provider_events where received_at < ? limit 1000)', [now - 60 * day])
  await sweepMedia(em, now)
}
