// What a round left behind of chats: the rows, the ledgers of the models and of the chat service, and what visitors of
// the service see.
import { createHash } from 'node:crypto'
import type { Arrival, ChatRow, EffectRow, History } from '../history.ts'
import type { Store, Talk } from '../people/acts.ts'
import type { World } from '../world.ts'

type Entry = {
  time: number
  path: string
  key: string | null
  digest: string | null
  effect: boolean
  status: number | null
  fault: string | null
}
type Visible = { bot: string; chat_id: number; text: string }

const told = async <T>(url: string | null, what: string) => (await (await fetch(`${url}/_sim/${what}`)).json()) as T[]
/** With these the simulator carries a request out, if at all, and answers nothing. */
const silent = new Set(['reset_before_read', 'reset_after_read', 'hang'])
const digestOf = (chat_id: number, text: string) =>
  createHash('sha256').update(JSON.stringify({ chat_id, text })).digest('hex')

const arrivalOf = (oracle: Arrival['oracle'], key: string, { time, status, effect, fault }: Entry): Arrival => ({
  ...{ oracle, key, at: time * 1_000, answered: status !== null && !silent.has(fault ?? ''), status, effect, fault },
})

/**
 * A question to a model has the id of its row as its key. A message to a visitor is found by its body, and by its time:
 * one that was deferred is sent again by another row.
 */
export async function chatArrivals(
  { db, stack }: World,
  { agent }: Store,
  effects: readonly EffectRow[],
): Promise<Arrival[]> {
  const calls = new Set(effects.filter(({ table }) => table === 'model_calls').map(({ id }) => id))
  const asked = (await told<Entry>(stack.urls.models, 'ledger')).filter(({ key }) => key !== null)
  const { rows: elsewhere } = await db.query<{ id: string }>(
    'select id from model_calls where id::text = any ($1) and tenant_id <> $2',
    [asked.map(({ key }) => key), agent.business.id],
  )
  const others = new Set(elsewhere.map(({ id }) => id))
  const { rows: replies } = await db.query<{ id: string; content: string; user: number; sent_at: number }>(
    `select f.id, m.content, c.external_id::float8 as user, (extract(epoch from f.sent_at) * 1000)::float8 as sent_at from channel_messages f
       join chat_messages m on m.id = f.message_id and m.tenant_id = f.tenant_id join chats c on c.id = f.chat_id and c.tenant_id = f.tenant_id
     where f.tenant_id = $1 and f.sent_at is not null order by f.sent_at desc`,
    [agent.business.id],
  )
  const digests = replies.map((reply) => ({ ...reply, digest: digestOf(reply.user, reply.content) }))
  const sent = (await told<Entry>(agent.bot.control, 'ledger')).filter(
    ({ path }) => path === `/bot${agent.bot.token}/sendMessage`,
  )
  return [
    ...asked
      .filter(({ key }) => calls.has(key as string) || !others.has(key as string))
      .map((entry) => arrivalOf('models', entry.key as string, entry)),
    ...sent.map((entry) => {
      const row = digests.find(({ digest, sent_at }) => digest === entry.digest && sent_at <= entry.time * 1_000)
      return arrivalOf('chat_bot', row?.id ?? `a message of the bot ${agent.bot.number}`, entry)
    }),
  ]
}

export async function chatsOf(
  { db }: World,
  { agent }: Store,
  talks: readonly Talk[],
): Promise<Pick<History, 'chats' | 'strays' | 'tokens'>> {
  const seen = (await told<Visible>(agent.bot.control, 'messages')).filter(({ bot }) => bot === agent.bot.number)
  const { rows } = await db.query<Pick<ChatRow, 'id' | 'messages'>>(
    `select c.id, (select coalesce(jsonb_agg(jsonb_build_object('seq', m.seq, 'role', m.role, 'status', m.status, 'content', m.content, 'message_id', m.message_id, 'turn_id', m.turn_id,
       'turn', (select t.status from model_turns t where t.id = m.turn_id and t.tenant_id = m.tenant_id)) order by m.seq), '[]') from chat_messages m
       where m.chat_id = c.id and m.tenant_id = c.tenant_id) as messages from chats c where c.tenant_id = $1`,
    [agent.business.id],
  )
  const { rows: tokens } = await db.query<NonNullable<History['tokens']>>(
    `select u.in_flight, u.reserved_tokens::float8 as reserved, (u.input_tokens + u.output_tokens)::float8 as used, u.unknown_tokens::float8 as unknown, f.used as used_by_calls, f.unknown as unknown_of_calls
     from model_usage u cross join (select coalesce(sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)), 0)::float8 as used,
       coalesce(sum(reserved_tokens) filter (where status = 'unknown'), 0)::float8 as unknown from model_calls where tenant_id = $1) f
     where u.tenant_id = $1 and u.agent_id = '00000000-0000-0000-0000-000000000000'`,
    [agent.business.id],
  )
  const begun = talks.filter(({ said }) => said.length > 0)
  return {
    chats: begun.map(({ chat_id, user, said, takeover }) => ({
      ...{ id: chat_id ?? 'none', said, takeover },
      messages: rows.find(({ id }) => id === chat_id)?.messages ?? [],
      seen: user === null ? null : seen.filter((one) => one.chat_id === user).map(({ text }) => text),
    })),
    strays: rows.filter(({ id }) => !talks.some(({ chat_id }) => chat_id === id)).map(({ id }) => id),
    tokens: tokens[0] ?? null,
  }
}
