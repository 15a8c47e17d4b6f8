// Turns of a chat: what its model reads, the tools of its agent, and the answer, which is written only while the agent
// has the chat.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type ChatMode, excerpt, historyOf, type MessageStatus, type Said } from '../../rules/agents/chats.ts'
import {
  ownHosts,
  type ToolName,
  ToolName as ToolNames,
  toolSpecs,
  withoutForeignLinks,
  writtenAddresses,
} from '../../rules/agents/tools.ts'
import type { Turn } from '../../rules/models/model-formats.ts'
import { STEPS_MAX, type TurnError, type Unanswered } from '../../rules/models/turns.ts'
import { localDateOf } from '../../rules/scheduling/scheduling.ts'
import { chatMessageWords } from '../../rules/search/search-texts.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { nothing, type Sql, sql } from '../kit/database/sql.ts'
import { arrayOf, newId } from '../kit/ids.ts'
import { OutboxRow } from '../kit/outbox-row.ts'
import { ModelTurn } from '../models/model-turn.ts'
import { type Asked, endingTurn, type LockOwner, type TurnFacts, turnColumns, usedTools } from '../models/turn-owner.ts'
import { sendByChannel } from './channel-messages.ts'
import { ChatMessage } from './chat-message.ts'
import { mailHandover } from './handover.ts'
import { runTools } from './tools.ts'

type Message = Said & { seq: number; status: MessageStatus | null; turn_id: string | null; verified: boolean }
/** The chat of a turn, locked, with what a step needs to know. */
type ChatTurn = TurnFacts & {
  chat_id: string
  contact_id: string | null
  channel_id: string | null
  fallback: string | null
  mode: ChatMode
  direct: boolean
  tenant_status: string
  prompt: string | null
  history_max: number
  tools: ToolName[] | null
  open: Message[] | null
  earlier: Message[] | null
}

/**
 * Reads a turn with its messages and calls. One statement. The messages and calls are those that were there before the
 * lock: what is written later is conditional, and what came later is seen by the next step.
 */
async function readTurn(em: EntityManager, turnId: string): Promise<ChatTurn | undefined> {
  const message = sql`
    jsonb_build_object(
      'seq', m.seq, 'role', m.role, 'content', m.content, 'status', m.status, 'turn_id', m.turn_id, 'verified',
      m.verified
    )
  `
  const rows: ChatTurn[] = await em.execute(sql`
    with turn as materialized (select * from model_turns where id = ${turnId}),
    chat as materialized (
      select c.*
      from chats c
      join turn on c.id = turn.owner_id and c.tenant_id = turn.tenant_id
      for no key update of c
    )
    select ${turnColumns}, chat.id as chat_id, chat.agent_id, chat.contact_id, chat.channel_id, chat.version,
      chat.mode, chat.direct,
      n.status as tenant_status, a.prompt, a.history_max, a.output_tokens_max, a.daily_tokens_max, a.tools, a.fallback,
      (
        select jsonb_agg(${message} order by m.seq)
        from chat_messages m
        where m.chat_id = chat.id and m.tenant_id = turn.tenant_id and m.status in ('waiting', 'processing')
      ) as open,
      (
        select jsonb_agg(${message} order by m.seq desc)
        from (
          select *
          from chat_messages h
          where h.chat_id = chat.id
            and h.tenant_id = turn.tenant_id
            and h.seq > chat.history_seq
            and h.status is distinct from 'waiting'
            and h.status is distinct from 'processing'
          order by h.seq desc
          limit a.history_max
        ) m
      ) as earlier
    from turn
    join chat on true
    left join agents a on a.id = chat.agent_id and a.tenant_id = turn.tenant_id and a.deleted_at is null
    left join integrations i on i.id = a.integration_id and i.tenant_id = turn.tenant_id
    join tenants n on n.id = turn.tenant_id
  `)
  return rows[0]
}

/** The messages that this turn answers: those that it took, or, at its beginning, all that wait. */
const ownMessages = ({ open, turn_id }: ChatTurn): Message[] => {
  const ownTurn = (open ?? []).filter((one) => one.turn_id === turn_id)
  return ownTurn.length > 0 ? ownTurn : (open ?? []).filter(({ status }) => status === 'waiting')
}

/** What the model reads: the earlier messages, those to answer, and the tools that earlier steps of the turn used. */
function turnsOf(turn: ChatTurn, before: readonly Asked[], halvings: number): Turn[] {
  const earlier = turn.direct ? [] : historyOf(turn.earlier ?? [], turn.history_max, 24_000 >> halvings)
  const said = [...earlier, ...ownMessages(turn)].map(
    ({ role, content }): Turn => (role === 'user' ? { role, content } : { role: 'assistant', content, calls: [] }),
  )
  const steps = before.flatMap(({ answer, results }): Turn[] => [
    { role: 'assistant', content: answer.text, calls: answer.calls },
    { role: 'tool', results },
  ])
  return [...said, ...steps]
}

/** The waiting messages become those of the turn with its first call. */
const taking = (turn: ChatTurn, now: number): Sql => sql`
  , claimed_messages as (
    update chat_messages m
    set status = 'processing', turn_id = ${turn.turn_id}, updated_at = ${now}
    from agent_usage
    where m.tenant_id = ${turn.tenant_id}
      and m.chat_id = ${turn.chat_id}
      and m.status = 'waiting'
      and m.seq = any (${arrayOf(ownMessages(turn).map(({ seq }) => String(seq)))}::int[])
  )
`

type End =
  | { status: 'answered'; text: string; tools: string[]; hand_over?: true }
  | { status: Unanswered; error: string }

/** Failures that the messages which wait would meet as well. */
const shared: ReadonlySet<string> = new Set<TurnError>(['token_limit', 'model_missing', 'store_archived'])

/**
 * Ends the turn, if it runs: writes the answer, settles its messages, and begins the next turn for messages that wait.
 * A reply by a channel and the mail of a chat that is handed over follow.
 */
async function endTurn(em: EntityManager, turn: ChatTurn, end: End, now: number): Promise<void> {
  const { turn_id, tenant_id, chat_id } = turn
  const answer = end.status === 'answered' ? end : null
  const error = end.status === 'answered' ? null : end.error
  // On a channel the visitor does not see that there is no answer, and cannot ask again: people have the chat then.
  const isLeft = answer === null && turn.channel_id !== null
  const handsOver = answer?.hand_over || isLeft
  const text = answer?.text ?? (isLeft && error !== 'store_archived' ? turn.fallback : null)
  /** What becomes of the messages that wait; null: the next turn answers them. */
  const waiting = handsOver ? 'held' : error !== null && shared.has(error) ? 'failed' : null
  const same = { tenant_id, created_at: now, updated_at: now }
  const message = newId()
  const row = {
    ...{
      ...same,
      id: message,
      chat_id,
      seq: sql`chat.message_count`,
      message_id: message,
      role: 'assistant' as const,
      content: text ?? '',
      version: sql`chat.version`,
    },
    ...{
      turn_id,
      tools: answer?.tools ?? null,
      search: sql`to_tsvector('simple', ${chatMessageWords({ content: text ?? '' })})`,
    },
  }
  const written =
    text === null
      ? nothing
      : sql`message_count = c.message_count + 1, last_message = ${excerpt(text)}, last_message_at = ${now},`
  const handover = handsOver ? sql`mode = 'human', version = c.version + 1,` : nothing
  const next = { ...same, id: newId(), owner_kind: 'chat' as const, owner_id: chat_id, version: sql`chat.version` }
  const begun = { id: newId(), kind: 'model_turn', row_id: sql`next_turn.id`, tenant_id, again: false }
  const settled = sql`case when m.turn_id = ${turn_id} then ${end.status} else ${waiting ?? end.status} end`
  const theirs =
    waiting === null
      ? sql`m.status = 'processing' and m.turn_id = ${turn_id}`
      : sql`m.status in ('waiting', 'processing')`
  const ended: unknown[] = await em.execute(sql`
    with ${endingTurn(turn, end.status, error, now)},
    chat as (
      update chats c
      set ${written} ${handover} updated_at = ${now}
      from turn
      where c.tenant_id = ${tenant_id} and c.id = ${chat_id}
      returning c.message_count, c.version, c.mode
    ),
    ${text !== null ? sql`reply as (${insertSelect(em, ChatMessage, row)} from chat),` : nothing}
    settled_messages as (
      update chat_messages m
      set status = ${settled}, error = ${error}, updated_at = ${now}
      from turn
      where m.tenant_id = ${tenant_id} and m.chat_id = ${chat_id} and ${theirs}
    ),
    next_turn as (
      ${insertSelect(em, ModelTurn, next)}
      from chat
      where ${waiting === null}
        and chat.mode = 'agent'
        and exists (
          select 1
          from chat_messages w
          where w.tenant_id = ${tenant_id} and w.chat_id = ${chat_id} and w.status = 'waiting'
        )
      returning id
    ),
    starts as (${insertSelect(em, OutboxRow, begun)} from next_turn)
    select 1
    from turn
  `)
  if (text !== null && turn.channel_id)
    await sendByChannel(em, { id: chat_id, tenant_id, channel_id: turn.channel_id }, { byTurn: turn_id }, text, now)
  if (handsOver && ended.length > 0) await mailHandover(em, tenant_id, chat_id, now)
}

/** A person has the chat: what the turn was about is theirs. */
const discard = (em: EntityManager, turn: ChatTurn, now: number): Promise<unknown> =>
  em.execute(sql`
    with ${endingTurn(turn, 'discarded', null, now)}
    update chat_messages m
    set status = 'held', updated_at = ${now}
    from turn
    where m.tenant_id = ${turn.tenant_id} and m.chat_id = turn.owner_id and m.status in ('waiting', 'processing')
  `)

export const lockChatTurn: LockOwner = async (em, turnId) => {
  const turn = await readTurn(em, turnId)
  if (!turn) return undefined
  const { prompt } = turn
  const allowed = turn.tools ?? ToolNames.options
  const visitors = [...(turn.earlier ?? []), ...(turn.open ?? [])].flatMap(({ role, content }) =>
    role === 'user' ? [content] : [],
  )
  const sanitized = (text: string) =>
    withoutForeignLinks(
      text,
      ownHosts(prompt ?? '', [turn.cart_url, turn.members_url]),
      writtenAddresses(visitors),
    ).trim()
  return {
    facts: turn,
    discarded: turn.mode === 'human',
    steps_max: STEPS_MAX,
    refused: turn.tenant_status === 'ARCHIVED' ? 'store_archived' : null,
    wait_ms: null,
    // Without the date, no model knows what `tomorrow` is. Last, so that a provider may cache what stands before it.
    said: async (before, halvings, now) =>
      prompt === null
        ? null
        : {
            system: `${prompt}\n\nToday is ${localDateOf(now, turn.zone)} (${turn.zone}).`,
            turns: turnsOf(turn, before, halvings),
            tools: toolSpecs(allowed),
          },
    taking: (now) => taking(turn, now),
    async runTools(answer, _callId, now) {
      // What it finds is read by all who wrote.
      const own = ownMessages(turn)
      const verified = own.length > 0 && own.every((message) => message.verified)
      const { results, hand_over } = await runTools(em, { ...turn, verified }, answer.calls, allowed, now)
      if (hand_over === null) return { results }
      await endTurn(
        em,
        turn,
        {
          status: 'answered',
          text: sanitized(hand_over),
          tools: [...new Set([...usedTools(turn), 'hand_over'])],
          hand_over: true,
        },
        now,
      )
      return null
    },
    answered: (text, now) =>
      endTurn(em, turn, { status: 'answered', text: sanitized(text), tools: usedTools(turn) }, now),
    failed: (end, now) => endTurn(em, turn, end, now),
    async discard(now) {
      await discard(em, turn, now)
    },
  }
}
