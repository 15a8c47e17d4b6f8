// Messages of a chat: a user's message and the turn that answers it begin in one transaction. The same message again is
// the same one.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import {
  type AgentStatus,
  ALL_AGENTS,
  type ChatMode,
  type ChatStatus,
  dayOf,
  excerpt,
  type MessageRole,
  secondsLeftOfDay,
} from '../../rules/agents/chats.ts'
import { conflict, invalid, notFound, Refusal, unavailable } from '../../rules/refusal.ts'
import { chatMessageWords } from '../../rules/search/search-texts.ts'
import { refuseIfMoved } from '../crm/session-contact.ts'
import { insertion, insertSelect } from '../kit/database/insert.ts'
import { nothing, type Sql, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { ModelTurn } from '../models/model-turn.ts'
import { sendByChannel } from './channel-messages.ts'
import { Chat } from './chat.ts'
import { ChatMessage } from './chat-message.ts'

/** Who writes: a visitor in a session, or an operator who tries the agent out. */
export type Writer = {
  session_id: string | null
  contact_id: string | null
  account_id: string | null
  verified: boolean
}
export type NewMessage = {
  agent_id: string
  chat_id: string | null
  direct: boolean
  message_id: string | null
  fingerprint: string | null
  content: string
}
/** The update of a channel that a message arrived by. `refused`: the code of why no turn answers it. */
type OfUpdate = { channel_id: string; update_id: number; refused: string | null }

export const tokenLimit = (now: number): Refusal =>
  new Refusal(429, 'token_limit', 'The tokens of the day are used up. They start again at midnight, UTC.', {
    headers: { 'Retry-After': String(secondsLeftOfDay(now)) },
  })

type Facts = {
  status: AgentStatus
  is_full: boolean
  found_id: string | null
  found_fingerprint: string | null
  found_contact: string | null
}

/** The agent, its tokens of the day, and the message that was sent with this id before. One statement. */
async function factsOf(
  em: EntityManager,
  tenantId: string,
  { agent_id, message_id }: NewMessage,
  now: number,
): Promise<Facts> {
  const full = sql`
    u.input_tokens + u.output_tokens + u.reserved_tokens + u.unknown_tokens >= case
      when u.agent_id <> ${ALL_AGENTS} then a.daily_tokens_max
      when jsonb_typeof(n.settings -> 'tokens') = 'number' then (n.settings ->> 'tokens')::float8
      else ${config.modelTokensPerDay}
    end
  `
  const [facts]: Facts[] = await em.execute(sql`
    select a.status,
      exists (
        select 1
        from model_usage u
        where u.tenant_id = a.tenant_id and u.day = ${dayOf(now)} and u.agent_id in (${ALL_AGENTS}, a.id) and ${full}
      ) as is_full,
      m.id as found_id, m.fingerprint as found_fingerprint, c.contact_id as found_contact
    from agents a
    join tenants n on n.id = a.tenant_id
    left join chat_messages m on m.tenant_id = a.tenant_id and m.message_id = ${message_id}
    left join chats c on c.id = m.chat_id and c.tenant_id = m.tenant_id
    where a.tenant_id = ${tenantId} and a.id = ${agent_id} and a.deleted_at is null
  `)
  if (!facts) throw notFound('agent')
  return facts
}

type LockedChat = {
  id: string
  agent_id: string
  contact_id: string | null
  channel_id: string | null
  direct: boolean
  status: ChatStatus
  mode: ChatMode
  version: number
}

/** The chat of the path or body, locked. `contactId`: undefined for an operator. 404. */
export async function lockChat(
  em: EntityManager,
  tenantId: string,
  agentId: string,
  chatId: string,
  contactId?: string,
): Promise<LockedChat> {
  const [chat]: LockedChat[] = await em.execute(sql`
    select c.id, c.agent_id, c.contact_id, c.channel_id, c.direct, c.status, c.mode, c.version
    from chats c
    join agents a on a.id = c.agent_id and a.tenant_id = c.tenant_id and a.deleted_at is null
    where c.tenant_id = ${tenantId} and c.id = ${chatId} and c.agent_id = ${agentId}
    for no key update of c
  `)
  if (!chat || (contactId !== undefined && chat.contact_id !== contactId)) throw notFound('chat')
  return chat
}

/** The chat that a message continues, locked. 404, 409 chat_archived, chat_is_direct, chat_of_visitor. */
async function continued(
  em: EntityManager,
  tenantId: string,
  agentId: string,
  chatId: string,
  writer: Writer,
): Promise<LockedChat> {
  const { contact_id } = writer
  const chat = await lockChat(em, tenantId, agentId, chatId)
  if (contact_id !== null && chat.contact_id !== contact_id) {
    await refuseIfMoved(em, tenantId, writer)
    throw notFound('chat')
  }
  if (contact_id === null && chat.contact_id !== null)
    throw conflict('chat_of_visitor', "The chat is a visitor's. An operator replies to it.")
  if (chat.status === 'archived') throw conflict('chat_archived', 'The chat is archived. Begin another one.')
  if (chat.direct) throw conflict('chat_is_direct', 'The chat was a single exchange. Begin another one.')
  return chat
}

/** A turn for the messages that wait, and its start, unless one runs or people answer. Follows a CTE `chat`. */
const beginning = (
  em: EntityManager,
  tenantId: string,
  id: string,
  now: number,
  more: Record<string, unknown> = {},
): Sql => {
  const turn = {
    id,
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    owner_kind: 'chat' as const,
    owner_id: sql`chat.id`,
    version: sql`chat.version`,
    ...more,
  }
  return sql`
    ${insertSelect(em, ModelTurn, turn)}
    from chat
    where chat.mode = 'agent'
    on conflict (owner_id) where status = 'running' do nothing
    returning id
  `
}

/** A message that was written. */
export type Posted = { id: string; chat_id: string; message_id: string; status: 'waiting' | 'held' }

/**
 * Adds a message to a chat that the transaction has locked or made: its number, its status, the turn that answers it.
 * Two statements.
 */
export async function addMessage(
  em: EntityManager,
  tenantId: string,
  chat: Sql,
  row: NewMessage & Omit<Writer, 'session_id' | 'contact_id'> & Partial<OfUpdate> & { role: MessageRole },
  now: number,
): Promise<Posted> {
  const [id, turn] = [newId(), newId()]
  const { channel_id, update_id, refused = null } = row
  const isUser = row.role === 'user'
  const asks = isUser && refused === null
  const message = {
    ...{
      id,
      tenant_id: tenantId,
      created_at: now,
      updated_at: now,
      chat_id: sql`chat.id`,
      seq: sql`chat.message_count`,
      message_id: row.message_id ?? id,
    },
    ...{
      fingerprint: row.fingerprint,
      role: row.role,
      content: row.content,
      verified: row.verified,
      version: sql`chat.version`,
      account_id: row.account_id,
    },
    ...(update_id === undefined ? {} : { channel_id, update_id }),
    status: isUser ? sql`case chat.mode when 'agent' then ${asks ? 'waiting' : 'failed'} else 'held' end` : null,
    error: refused === null ? null : sql`case chat.mode when 'agent' then ${refused} end`,
    search: sql`to_tsvector('simple', ${chatMessageWords(row)})`,
  }
  const turns = asks ? sql`, new_turn as (${beginning(em, tenantId, turn, now)})` : nothing
  const [made]: { written: number; begun: number; chat_id: string; mode: ChatMode }[] = await em.execute(sql`
    with chat as (${chat} returning id, message_count, version, mode),
    message as (
      ${insertSelect(em, ChatMessage, message)}
      from chat
      on conflict do nothing
      returning id
    )
    ${turns}
    select (select count(*)::int from message) as written,
      ${asks ? sql`(select count(*)::int from new_turn)` : sql`0`} as begun, chat.id as chat_id, chat.mode
    from chat
  `)
  // An equal request was committed meanwhile, or the visitor's session is gone: the transaction is repeated, and finds
  // the message, or no visitor.
  if (!made?.written)
    throw unavailable('database_unavailable', 'The same message is being written. Repeat the request.')
  // No request waits for the answer to an update.
  if (made.begun) await start(em, 'model_turn', turn, { tenant_id: tenantId, awaited: update_id === undefined })
  return {
    id,
    chat_id: made.chat_id,
    message_id: row.message_id ?? id,
    status: made.mode === 'agent' ? 'waiting' : 'held',
  }
}

export const said = (content: string, now: number): Sql => sql`
  message_count = message_count + 1, last_message = ${excerpt(content)}, last_message_at = ${now}, updated_at = ${now}
`

/**
 * Writes a user's message and begins a turn, or returns the earlier message of the same id, which is not counted again:
 * `admit` counts a new one. 404, 409 agent_disabled, chat_archived, chat_is_direct, chat_of_visitor,
 * idempotency_conflict, 422 for a single exchange of a chat, 429 token_limit. At most five statements. `now` in Unix
 * seconds.
 */
export async function postMessage(
  em: EntityManager,
  tenantId: string,
  sent: NewMessage,
  writer: Writer & { admit(): Promise<void> },
  now: number,
): Promise<Posted | { earlier: string }> {
  const facts = await factsOf(em, tenantId, sent, now)
  if (facts.found_id !== null) {
    if (facts.found_contact !== writer.contact_id) await refuseIfMoved(em, tenantId, writer)
    if (facts.found_fingerprint !== sent.fingerprint || facts.found_contact !== writer.contact_id)
      throw conflict(
        'idempotency_conflict',
        'The id was used before with another payload. Use a new id for another message.',
      )
    return { earlier: facts.found_id }
  }
  await writer.admit()
  if (sent.direct && sent.chat_id !== null)
    throw invalid('/chat_id', 'invalid_input', 'A single exchange continues no chat.')
  if (facts.status === 'disabled') throw conflict('agent_disabled', 'The agent is disabled.')
  const { session_id, account_id, verified } = writer
  const row = { ...sent, account_id, verified, role: 'user' } as const
  if (sent.chat_id !== null) {
    const chat = await continued(em, tenantId, sent.agent_id, sent.chat_id, writer)
    if (facts.is_full && chat.mode === 'agent') throw tokenLimit(now)
    // A message opens a resolved chat again, and the model reads what was written from then on.
    const again = chat.status === 'resolved' ? sql`status = 'active', history_seq = message_count,` : nothing
    return addMessage(
      em,
      tenantId,
      sql`
        update chats
        set ${again} ${said(sent.content, now)}
        where tenant_id = ${tenantId} and id = ${chat.id}
      `,
      row,
      now,
    )
  }
  if (facts.is_full) throw tokenLimit(now)
  const begun = {
    id: newId(),
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    agent_id: sent.agent_id,
    direct: sent.direct,
    last_message: excerpt(sent.content),
    last_message_at: now,
    message_count: 1,
  }
  // The session is locked as a key, as for a cart: its contact is neither merged nor deleted until the chat is there.
  const chat =
    session_id === null
      ? insertion(em, Chat, begun)
      : sql`
        ${insertSelect(em, Chat, { ...begun, contact_id: sql`s.contact_id` })}
        from contact_sessions s
        where s.tenant_id = ${tenantId} and s.id = ${session_id}
        for key share of s
      `
  return addMessage(em, tenantId, chat, row, now)
}

/** Ends the turn that runs: a person has the chat. A part of a statement whose CTE `chat` raised its version. */
export const takingOver = (tenantId: string, now: number): Sql => sql`
  discarded_turns as (
    update model_turns u
    set status = 'discarded', updated_at = ${now}
    from chat
    where u.tenant_id = ${tenantId} and u.owner_id = chat.id and u.status = 'running'
  ),
  held_messages as (
    update chat_messages m
    set status = 'held', updated_at = ${now}
    from chat
    where m.tenant_id = ${tenantId} and m.chat_id = chat.id and m.status in ('waiting', 'processing')
  )
`

/**
 * An operator's reply: from its commit on, no word of the agent is written. 404, 409 chat_archived,
 * idempotency_conflict.
 */
export async function replyToChat(
  em: EntityManager,
  tenantId: string,
  agentId: string,
  chatId: string,
  sent: { message_id: string; fingerprint: string; content: string; account_id: string },
  now: number,
): Promise<string> {
  const chat = await lockChat(em, tenantId, agentId, chatId)
  const earlier = await em.findOne(ChatMessage, { message_id: sent.message_id })
  if (earlier) {
    if (earlier.fingerprint !== sent.fingerprint)
      throw conflict(
        'idempotency_conflict',
        'The id was used before with another payload. Use a new id for another message.',
      )
    return earlier.id
  }
  if (chat.status === 'archived') throw conflict('chat_archived', 'The chat is archived.')
  await em.execute(sql`
    with chat as (
      update chats
      set mode = 'human', version = version + 1, status = 'active'
      where tenant_id = ${tenantId} and id = ${chatId}
      returning id
    ),
    ${takingOver(tenantId, now)}
    select 1
  `)
  const row = { ...sent, agent_id: agentId, chat_id: chatId, direct: false, verified: false, role: 'operator' } as const
  const { id } = await addMessage(
    em,
    tenantId,
    sql`
      update chats
      set ${said(sent.content, now)}
      where tenant_id = ${tenantId} and id = ${chatId}
    `,
    row,
    now,
  )
  if (chat.channel_id)
    await sendByChannel(em, { id: chatId, tenant_id: tenantId, channel_id: chat.channel_id }, { id }, sent.content, now)
  return id
}

/**
 * Changes who answers a chat, or its status. What takes it from the agent ends the turn that runs; any other change
 * lets it continue. 404.
 */
export async function changeChat(
  em: EntityManager,
  tenantId: string,
  agentId: string,
  chatId: string,
  change: { status?: ChatStatus | undefined; mode?: ChatMode | undefined },
  now: number,
): Promise<void> {
  const chat = await lockChat(em, tenantId, agentId, chatId)
  const { status = chat.status, mode = chat.mode } = change
  const takesOver = mode === 'human' || status !== 'active'
  await em.execute(sql`
    with chat as (
      update chats
      set status = ${status}, mode = ${mode}, version = version + ${takesOver ? 1 : 0}, updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${chatId}
      returning id
    )${takesOver ? sql`, ${takingOver(tenantId, now)}` : nothing}
    select 1
  `)
}

/**
 * Asks again about a message without an answer, as a person wants. 404, 409 message_not_failed, chat_archived,
 * agent_disabled, 429 token_limit.
 */
export async function retryMessage(
  em: EntityManager,
  tenantId: string,
  sent: { agent_id: string; chat_id: string; message_id: string },
  contactId: string | undefined,
  now: number,
): Promise<string> {
  const chat = await lockChat(em, tenantId, sent.agent_id, sent.chat_id, contactId)
  const facts = await factsOf(em, tenantId, { ...sent, direct: false, fingerprint: '', content: '' }, now)
  const message = await em.findOne(ChatMessage, { chat_id: chat.id, message_id: sent.message_id, role: 'user' })
  if (!message) throw notFound('message')
  if (message.status !== 'failed' && message.status !== 'unknown')
    throw conflict('message_not_failed', 'The message was answered, waits for its answer, or is held for a person.')
  if (chat.status === 'archived') throw conflict('chat_archived', 'The chat is archived.')
  if (facts.status === 'disabled') throw conflict('agent_disabled', 'The agent is disabled.')
  if (facts.is_full && chat.mode === 'agent') throw tokenLimit(now)
  const turn = newId()
  const [made]: { begun: number }[] = await em.execute(sql`
    with chat as (
      select id, version, mode from chats where tenant_id = ${tenantId} and id = ${chat.id}
    ),
    retried_message as (
      update chat_messages m
      set status = case chat.mode when 'agent' then 'waiting' else 'held' end, error = null, turn_id = null,
        updated_at = ${now}
      from chat
      where m.tenant_id = ${tenantId} and m.id = ${message.id}
    ),
    new_turn as (${beginning(em, tenantId, turn, now, { retry_of: message.turn_id })})
    select (select count(*)::int from new_turn) as begun
  `)
  if (made?.begun) await start(em, 'model_turn', turn, { tenant_id: tenantId, awaited: true })
  return message.id
}

/** Rates a chat that has an answer. 404, 409 nothing_to_rate. */
export async function rateChat(
  em: EntityManager,
  tenantId: string,
  agentId: string,
  chatId: string,
  rating: { rating: number; comment: string | null },
  contactId: string | undefined,
  now: number,
): Promise<void> {
  await lockChat(em, tenantId, agentId, chatId, contactId)
  const rows: unknown[] = await em.execute(sql`
    update chats c
    set rating = ${rating.rating}, rating_comment = ${rating.comment}, rated_at = ${now}, updated_at = ${now}
    where c.tenant_id = ${tenantId}
      and c.id = ${chatId}
      and exists (
        select 1
        from chat_messages m
        where m.tenant_id = c.tenant_id and m.chat_id = c.id and m.role <> 'user'
      )
    returning id
  `)
  if (rows.length === 0) throw conflict('nothing_to_rate', 'The chat has no answer yet.')
}
