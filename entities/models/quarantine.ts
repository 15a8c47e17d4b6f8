// After a restore, turns do not continue: what their models were asked next, and the replies that followed, may be
// lost.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { TurnError } from '../../rules/models/turns.ts'
import { sql } from '../kit/database/sql.ts'

const error: TurnError = 'model_outcome_unknown'

/**
 * Ends every turn that runs as unknown, with all that waits for it: the messages of its chat, or the members and
 * messages of its run of lead research. People have the chats of channels, whose visitors cannot ask again. For all
 * tenants; returns how many. Two statements. `now` in Unix seconds.
 */
export async function quarantineTurns(em: EntityManager, now: number): Promise<number> {
  // Chats and runs are locked before their turns, as everywhere.
  await em.execute(sql`
    with running_turns as (select owner_id from model_turns where status = 'running'),
    locked_chats as materialized (
      select id from chats where id in (select owner_id from running_turns) order by id for no key update
    ),
    locked_runs as materialized (
      select id
      from research_runs
      where id in (select owner_id from running_turns)
      order by id
      for no key update
    )
    select (select count(*) from locked_chats), (select count(*) from locked_runs)
  `)
  const [ended]: { turns: number }[] = await em.execute(sql`
    with unknown_turns as (
      update model_turns
      set status = 'unknown', error = ${error}, updated_at = ${now}
      where status = 'running'
      returning tenant_id, owner_kind, owner_id
    ),
    human_chats as (
      update chats c
      set mode = 'human', version = c.version + 1, updated_at = ${now}
      from unknown_turns t
      where t.owner_kind = 'chat' and c.tenant_id = t.tenant_id and c.id = t.owner_id and c.channel_id is not null
    ),
    unknown_messages as (
      update chat_messages m
      set status = 'unknown', error = ${error}, updated_at = ${now}
      from unknown_turns t
      where t.owner_kind = 'chat'
        and m.tenant_id = t.tenant_id
        and m.chat_id = t.owner_id
        and m.status in ('waiting', 'processing')
    ),
    unknown_runs as (
      update research_runs r
      set status = 'unknown', updated_at = ${now}
      from unknown_turns t
      where t.owner_kind = 'research' and r.tenant_id = t.tenant_id and r.id = t.owner_id
    ),
    unknown_members as (
      update research_members x
      set status = 'unknown', error = ${error}, updated_at = ${now}
      from unknown_turns t
      where t.owner_kind = 'research'
        and x.tenant_id = t.tenant_id
        and x.research_run_id = t.owner_id
        and x.status in ('queued', 'running')
    ),
    unknown_research_messages as (
      update research_messages w
      set status = 'unknown', error = ${error}, updated_at = ${now}
      from unknown_turns t
      where t.owner_kind = 'research'
        and w.tenant_id = t.tenant_id
        and w.research_run_id = t.owner_id
        and w.status in ('waiting', 'processing')
    )
    select (select count(*)::int from unknown_turns) as turns
  `)
  return ended?.turns ?? 0
}
