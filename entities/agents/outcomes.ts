// What became of users' messages: read again and again by the requests that wait for it.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { MessageStatus } from '../../rules/agents/chats.ts'
import { notFound } from '../../rules/refusal.ts'
import { json, sql } from '../kit/database/sql.ts'

export type Outcome = {
  chat_id: string
  message_id: string
  status: MessageStatus
  error: string | null
  fallback: string | null
  response: string | null
}

export type MessageKey = { tenant_id: string; id: string }

/** Users' messages and their answers, in the order of the keys; undefined for one that was deleted. One statement. */
export async function outcomesOf(em: EntityManager, keys: readonly MessageKey[]): Promise<(Outcome | undefined)[]> {
  const rows: (Outcome & { id: string })[] = await em.execute(sql`
    select m.id, m.chat_id, m.message_id, m.status, m.error, a.fallback, w.content as response
    from jsonb_to_recordset(${json(keys)}) as k(tenant_id uuid, id uuid)
    join chat_messages m on m.tenant_id = k.tenant_id and m.id = k.id
    join chats c on c.id = m.chat_id and c.tenant_id = m.tenant_id
    left join agents a on a.id = c.agent_id and a.tenant_id = c.tenant_id
    left join chat_messages w on w.tenant_id = m.tenant_id and w.turn_id = m.turn_id and w.role = 'assistant'
  `)
  const found = new Map(rows.map(({ id, ...row }) => [id, row]))
  return keys.map(({ id }) => found.get(id))
}

/** A user's message and its answer. 404. */
export async function outcomeOf(em: EntityManager, tenantId: string, id: string): Promise<Outcome> {
  const [outcome] = await outcomesOf(em, [{ tenant_id: tenantId, id }])
  if (!outcome) throw notFound('message')
  return outcome
}
