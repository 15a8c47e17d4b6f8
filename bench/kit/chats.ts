// A business whose agent asks the simulated model, its visitors, and as many chats as a measurement needs, in the rows
// that the API writes.

import { client } from '../../client/client.ts'
import { modelsKey } from '../../dev/servers/embedded.ts'
import { type Buyer, insertBuyers, type Shop } from './shop.ts'

export type Salon = {
  id: string
  agent: string
  /** Path of the agent's chats. */
  at: string
  /** Each of another contact. */
  visitors(count: number): Promise<Buyer[]>
}

export async function openSalon(shop: Shop, key: string): Promise<Salon> {
  const { api, operator, models, shared } = shop
  const call = client({ base: api, headers: operator })
  const body = {
    key: `${key}-${Date.now()}-${Math.floor(Math.random() * 1e6)}`,
    timezone: 'UTC',
    billingEmail: 'bench@shop.example',
  }
  const { id, publishableKey } = await call('POST /v1/businesses', { body })
  const path = { businessId: id }
  const provider = { type: 'llm_a' as const, apiKey: modelsKey, model: 'simulated', baseUrl: `${models}/v1` }
  await call('POST /v1/businesses/{businessId}/integrations', { path, body: { key: 'model', provider } })
  const { id: agent } = await call('POST /v1/businesses/{businessId}/agents', {
    path,
    body: { key: 'agent', modelId: 'model', prompt: 'You answer visitors.', dailyTokensMax: null },
  })
  // Its tokens are no limit here.
  await shop.db.query(`update tenants set settings = settings || '{"tokens": 1000000000000}' where id = $1`, [id])
  shared.add(id)
  return {
    ...{ id, agent, at: `/v1/businesses/${id}/agents/${agent}/chats` },
    visitors: (count) => insertBuyers({ ...shop, store_id: id, key: publishableKey, items: () => [] }, count),
  }
}

/**
 * Chats with two messages each, a second apart: a tenth of them resolved, a tenth archived, a twentieth answered by
 * people, a tenth of one channel.
 */
export async function fillChats(
  { db }: Shop,
  { id, agent }: Salon,
  count: number,
  contacts: readonly string[],
  channel: string,
): Promise<void> {
  // Recent: older ones would be deleted meanwhile.
  const since = Math.floor(Date.now() / 1000) - count
  await db.query(
    `with x as materialized (select n, gen_random_uuid() as id, $5::bigint + n as at from generate_series(1, $3::int) n),
     c as (insert into chats (id, tenant_id, created_at, updated_at, agent_id, contact_id, channel_id, status, mode, last_message, last_message_at, message_count)
       select x.id, $1, at, at, $2, ($4::uuid[])[1 + n % array_length($4::uuid[], 1)], case when n % 10 = 3 then $6::uuid end,
         case n % 10 when 1 then 'resolved' when 2 then 'archived' else 'active' end, case when n % 20 = 4 then 'human' else 'agent' end, 'Here is what I found.', at, 2 from x)
     insert into chat_messages (id, tenant_id, created_at, updated_at, chat_id, seq, message_id, role, content, version, status, search)
     select gen_random_uuid(), $1, at, at, x.id, s.seq, gen_random_uuid(), s.role, s.content, 1, s.status, to_tsvector('simple', s.content) from x cross join lateral (values
       (1, 'user', 'Do you have tea number ' || n || case when n % 1000 = 0 then ' and a rare teapot' else '' end, 'answered'), (2, 'assistant', 'Here is what I found.', null))
       as s(seq, role, content, status)`,
    [id, agent, count, contacts, since, channel],
  )
  await db.query('analyze chats, chat_messages')
}
