// Deletes chats in batches of few messages: those of a deleted agent, and those in which nothing was said for long. A
// chat whose turn runs stays.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Sql, sql } from '../kit/database/sql.ts'
import type { Round, Sweep } from '../kit/table.ts'

/** Messages that one statement deletes: a chat may have many thousand, and is then deleted alone. */
const messagesMax = 10_000
/** Longer than any request that has read an agent before its deletion. Seconds. */
const requestS = 3_600

async function deleteChats(em: EntityManager, found: Sql): Promise<number> {
  // Chats that a turn or a message has locked are in use: they are skipped.
  const rows: unknown[] = await em.execute(sql`
    with ended_chats as materialized (${found} for update of c skip locked),
    chats_to_delete as (
      select id
      from (select id, sum(message_count) over (order by id) - message_count as messages_before from ended_chats) e
      where messages_before < ${messagesMax}
    )
    delete from chats c
    where c.id = any (array(select id from chats_to_delete))
    returning c.id
  `)
  return rows.length
}

const idle = sql`not exists (select 1 from model_turns t where t.owner_id = c.id and t.status = 'running' offset 0)`

/** Deletes up to `batch` chats, of all tenants, without a message since `before`. */
export const sweepChats: Sweep = (em, { before, batch }) =>
  deleteChats(
    em,
    sql`
      select c.id, c.message_count
      from chats c
      where c.last_message_at < ${before} and ${idle}
      order by c.last_message_at
      limit ${batch}
    `,
  )

/**
 * Deletes the chats of deleted agents with their messages, then the agents that have none left: a request that read the
 * agent before may still begin a chat.
 */
export const sweepDeletedAgents: Sweep = (em, round) => em.transactional((at) => deleteAgents(at, round))

async function deleteAgents(em: EntityManager, { now, batch }: Round): Promise<number> {
  const chats = await deleteChats(
    em,
    sql`
      select c.id, c.message_count
      from agents a
      join chats c on c.agent_id = a.id and c.tenant_id = a.tenant_id
      where a.deleted_at is not null and ${idle}
      limit ${batch}
    `,
  )
  const agents: unknown[] = await em.execute(sql`
    delete from agents a
    where a.deleted_at < ${now - requestS}
      and not exists (select 1 from chats c where c.agent_id = a.id and c.tenant_id = a.tenant_id)
    returning id
  `)
  return chats + agents.length
}
