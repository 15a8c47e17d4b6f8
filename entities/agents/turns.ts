// The steps of a turn on our own rows. The chat is locked first; what a step writes is conditional on the turn's row, so that a step that runs twice changes nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { type ChatMode, dayOf, excerpt, historyOf, type MessageStatus, type Said, type TurnStatus } from '../../rules/agents/chats.ts'
import { MODEL_BASE_URLS, type ModelAnswer, ModelProvider, type ModelRequest, type ToolResult, type Turn, tokensOf } from '../../rules/agents/model-formats.ts'
import { type ToolName, ToolName as ToolNames, toolSpecs, withoutForeignLinks } from '../../rules/agents/tools.ts'
import { type CallFacts, nextTurnStep, type TurnError, type Unanswered } from '../../rules/agents/turns.ts'
import type { EffectStatus } from '../../rules/effects.ts'
import { chatMessageWords } from '../../rules/search-texts.ts'
import { decrypt, encrypt } from '../kit/encrypted.ts'
import { arrayOf, newId } from '../kit/ids.ts'
import { insertSelect } from '../kit/insert.ts'
import { OutboxRow } from '../kit/outbox-row.ts'
import { nothing, sql } from '../kit/sql.ts'
import { ChatMessage } from './chat-message.ts'
import { ModelCall } from './model-call.ts'
import { ModelTurn } from './model-turn.ts'
import { runTools } from './tools.ts'
import { giveBackTotal, type Reservation, reserving } from './usage.ts'

type Call = {
  id: string
  step: number
  try: number
  status: EffectStatus
  too_long: boolean
  retry_after: number | null
  http_status: number | null
  settled_s_ago: number | null
  answer: string | null
  results: string | null
}
type Message = Said & { seq: number; status: MessageStatus | null; turn_id: string | null; verified: boolean }
/** The chat of a turn, locked, with what a step needs to know. */
export type TurnFacts = {
  turn_id: string
  tenant_id: string
  chat_id: string
  agent_id: string
  contact_id: string | null
  status: TurnStatus
  turn_version: number
  version: number
  mode: ChatMode
  direct: boolean
  prompt: string | null
  history_max: number
  output_tokens_max: number
  daily_tokens_max: number | null
  tools: ToolName[] | null
  integration_id: string | null
  provider: string | null
  settings: { model?: string; base_url?: string } | null
  tenant_max: number | null
  in_flight: number
  calls: Call[] | null
  open: Message[] | null
  earlier: Message[] | null
}

/** One statement. The messages and calls are those that were there before the lock: what is written later is conditional, and what came later is seen by the next step. */
async function lockTurn(em: EntityManager, turnId: string): Promise<TurnFacts | undefined> {
  const message = sql`jsonb_build_object('seq', m.seq, 'role', m.role, 'content', m.content, 'status', m.status, 'turn_id', m.turn_id, 'verified', m.verified)`
  const rows: TurnFacts[] = await em.execute(
    sql`with t as materialized (select * from model_turns where id = ${turnId}),
     c as materialized (select c.* from chats c join t on c.id = t.owner_id and c.tenant_id = t.tenant_id for no key update of c)
     select t.id as turn_id, t.tenant_id, c.id as chat_id, c.agent_id, c.contact_id, t.status, t.version as turn_version, c.version, c.mode, c.direct, a.prompt, a.history_max,
       a.output_tokens_max, a.daily_tokens_max, a.tools, i.id as integration_id, i.type as provider, i.settings, case when jsonb_typeof(n.settings -> 'tokens') = 'number' then (n.settings ->> 'tokens')::float8 end as tenant_max,
       (select count(*)::int from model_calls f where f.tenant_id = t.tenant_id and f.status in ('requested', 'processing')) as in_flight,
       (select jsonb_agg(jsonb_build_object('id', f.id, 'step', f.step, 'try', f.try, 'status', f.status, 'too_long', f.too_long, 'retry_after', f.retry_after,
          'http_status', f.evidence -> 'status', 'settled_s_ago', extract(epoch from clock_timestamp() - f.settled_at), 'answer', f.answer, 'results', f.results) order by f.step, f.try)
        from model_calls f where f.tenant_id = t.tenant_id and f.turn_id = t.id) as calls,
       (select jsonb_agg(${message} order by m.seq) from chat_messages m where m.chat_id = c.id and m.tenant_id = t.tenant_id and m.status in ('waiting', 'processing')) as open,
       (select jsonb_agg(${message} order by m.seq desc) from (select * from chat_messages h where h.chat_id = c.id and h.tenant_id = t.tenant_id and h.seq > c.history_seq
          and h.status is distinct from 'waiting' and h.status is distinct from 'processing' order by h.seq desc limit a.history_max) m) as earlier
     from t join c on true left join agents a on a.id = c.agent_id and a.tenant_id = t.tenant_id and a.deleted_at is null
       left join integrations i on i.id = a.integration_id and i.tenant_id = t.tenant_id left join tenants n on n.id = t.tenant_id`,
  )
  return rows[0]
}

const readAnswer = (sealed: string | null): ModelAnswer | null => (sealed === null ? null : (JSON.parse(decrypt(sealed)) as ModelAnswer))
const readResults = (sealed: string | null): ToolResult[] => (sealed === null ? [] : (JSON.parse(decrypt(sealed)) as ToolResult[]))

const factsOf = (call: Call | undefined): CallFacts | null =>
  call
    ? { ...call, retry_after_s: call.retry_after, settled_s_ago: call.settled_s_ago ?? 0, answer: call.status === 'succeeded' ? readAnswer(call.answer) : null }
    : null

/** The messages that this turn answers: those that it took, or, at its beginning, all that wait. */
const ownMessages = ({ open, turn_id }: TurnFacts): Message[] => {
  const taken = (open ?? []).filter((one) => one.turn_id === turn_id)
  return taken.length > 0 ? taken : (open ?? []).filter(({ status }) => status === 'waiting')
}

/** What the model is asked: the earlier messages, those to answer, and the tools that earlier steps of the turn used. */
function requestOf(turn: TurnFacts, before: readonly { answer: ModelAnswer; results: readonly ToolResult[] }[], halvings: number): ModelRequest | null {
  const provider = ModelProvider.safeParse(turn.provider).data
  const { model, base_url } = turn.settings ?? {}
  if (!provider || model === undefined || turn.prompt === null) return null
  const earlier = turn.direct ? [] : historyOf(turn.earlier ?? [], turn.history_max, 24_000 >> halvings)
  const said = [...earlier, ...ownMessages(turn)].map(
    ({ role, content }): Turn => (role === 'user' ? { role, content } : { role: 'assistant', content, calls: [] }),
  )
  const steps = before.flatMap(({ answer, results }): Turn[] => [
    { role: 'assistant', content: answer.text, calls: answer.calls },
    { role: 'tool', results },
  ])
  return {
    ...{ provider, model, base_url: base_url ?? MODEL_BASE_URLS[provider], system: turn.prompt, turns: [...said, ...steps] },
    tools: toolSpecs(turn.tools ?? ToolNames.options),
    output_tokens_max: turn.output_tokens_max,
  }
}

/** As it is frozen in the row of a call: what is sent, and whose key is added to it. */
export type FrozenRequest = ModelRequest & { tenant_id: string; integration_id: string; reserved_tokens: number }

type Ask = { step: number; try: number; halvings: number; results?: { call_id: string; results: ToolResult[] } }

/** Writes the next call with its tokens reserved, and takes the waiting messages at the turn's beginning. Null: a limit of tokens is reached, or the model is gone. */
async function writeCall(em: EntityManager, turn: TurnFacts, ask: Ask, now: number): Promise<string | 'token_limit' | 'model_missing'> {
  const { tenant_id, agent_id, turn_id } = turn
  const before = (turn.calls ?? []).flatMap((call) => {
    const answer = call.status === 'succeeded' && call.step < ask.step ? readAnswer(call.answer) : null
    return answer ? [{ answer, results: ask.results?.call_id === call.id ? ask.results.results : readResults(call.results) }] : []
  })
  const request = requestOf(turn, before, ask.halvings)
  if (!request || !turn.integration_id) return 'model_missing'
  const tokens = tokensOf(request)
  const day = dayOf(now)
  const limits: Reservation = { tenant_id, agent_id, day, tokens, tenant_max: turn.tenant_max ?? config.modelTokensPerDay, agent_max: turn.daily_tokens_max }
  const id = newId()
  const row = {
    ...{ id, tenant_id, created_at: now, updated_at: now, turn_id, step: ask.step, try: ask.try, integration_id: turn.integration_id, model: request.model },
    ...{
      agent_id,
      day,
      reserved_tokens: tokens,
      held_tokens: tokens,
      fingerprint: '',
      request: JSON.stringify({ ...request, tenant_id, integration_id: turn.integration_id, reserved_tokens: tokens } satisfies FrozenRequest),
    },
  }
  const kept = ask.results
    ? sql`, kept as (update model_calls m set results = ${encrypt(JSON.stringify(ask.results.results))} from own where m.tenant_id = ${tenant_id} and m.id = ${ask.results.call_id})`
    : nothing
  const [found]: { total: number; own: number }[] = await em.execute(
    sql`with ${reserving(em, limits, now)}, call as (${insertSelect(em, ModelCall, row as never)} from own),
     taken as (update chat_messages m set status = 'processing', turn_id = ${turn_id}, updated_at = ${now} from own where m.tenant_id = ${tenant_id} and m.chat_id = ${turn.chat_id}
       and m.status = 'waiting' and m.seq = any (${arrayOf(ownMessages(turn).map(({ seq }) => String(seq)))}::int[]))${kept}
     select (select count(*)::int from total) as total, (select count(*)::int from own) as own`,
  )
  if (found?.own) return id
  if (found?.total) await giveBackTotal(em, limits)
  return 'token_limit'
}

type End = { status: 'answered'; text: string; tools: string[]; hand_over?: true } | { status: Unanswered; error: string }

/** Failures that the messages which wait would meet as well. */
const shared: ReadonlySet<string> = new Set<TurnError>(['token_limit', 'model_missing'])

/** Ends the turn, if it runs: writes the answer, settles its messages, and begins the next turn for messages that wait. One statement. */
async function endTurn(em: EntityManager, turn: TurnFacts, end: End, now: number): Promise<void> {
  const { turn_id, tenant_id, chat_id } = turn
  const answer = end.status === 'answered' ? end : null
  const error = end.status === 'answered' ? null : end.error
  /** What becomes of the messages that wait; null: the next turn answers them. */
  const waiting = answer?.hand_over ? 'held' : error !== null && shared.has(error) ? 'failed' : null
  const same = { tenant_id, created_at: now, updated_at: now }
  const message = newId()
  const row = {
    ...{
      ...same,
      id: message,
      chat_id,
      seq: sql`c.message_count`,
      message_id: message,
      role: 'assistant',
      content: answer?.text ?? '',
      version: sql`c.version`,
    },
    ...{ turn_id, tools: answer?.tools ?? [], search: sql`to_tsvector('simple', ${chatMessageWords({ content: answer?.text ?? '' })})` },
  }
  const written = answer
    ? sql`message_count = c.message_count + 1, last_message = ${excerpt(answer.text)}, last_message_at = ${now}, ${answer.hand_over ? sql`mode = 'human', version = c.version + 1,` : nothing}`
    : nothing
  const next = { ...same, id: newId(), owner_kind: 'chat', owner_id: chat_id, version: sql`c.version` }
  const begun = { id: newId(), kind: 'model_turn', row_id: sql`n.id`, tenant_id, again: false }
  const settled = sql`case when m.turn_id = ${turn_id} then ${end.status} else ${waiting ?? end.status} end`
  const theirs = waiting === null ? sql`m.status = 'processing' and m.turn_id = ${turn_id}` : sql`m.status in ('waiting', 'processing')`
  await em.execute(
    sql`with t as (update model_turns set status = ${end.status}, error = ${error}, updated_at = ${now} where tenant_id = ${tenant_id} and id = ${turn_id} and status = 'running' returning id),
     c as (update chats c set ${written} updated_at = ${now} from t where c.tenant_id = ${tenant_id} and c.id = ${chat_id} returning c.message_count, c.version, c.mode),
     ${answer ? sql`m as (${insertSelect(em, ChatMessage, row as never)} from c),` : nothing}
     u as (update chat_messages m set status = ${settled}, error = ${error}, updated_at = ${now} from t where m.tenant_id = ${tenant_id} and m.chat_id = ${chat_id} and ${theirs}),
     n as (${insertSelect(em, ModelTurn, next as never)} from c where ${waiting === null} and c.mode = 'agent'
       and exists (select 1 from chat_messages w where w.tenant_id = ${tenant_id} and w.chat_id = ${chat_id} and w.status = 'waiting') returning id)
     ${insertSelect(em, OutboxRow, begun as never)} from n`,
  )
}

/** A person has the chat: what the turn was about is theirs. */
const discard = (em: EntityManager, { turn_id, tenant_id }: TurnFacts, now: number): Promise<unknown> =>
  em.execute(
    sql`with t as (update model_turns set status = 'discarded', updated_at = ${now} where tenant_id = ${tenant_id} and id = ${turn_id} and status = 'running' returning owner_id)
     update chat_messages m set status = 'held', updated_at = ${now} from t where m.tenant_id = ${tenant_id} and m.chat_id = t.owner_id and m.status in ('waiting', 'processing')`,
  )

/** Addresses that the operator wrote into the prompt may be answered as links. */
const hostsIn = (prompt: string): ReadonlySet<string> =>
  new Set([...prompt.matchAll(/\bhttps?:\/\/([^\s/?#)\]>"':]+)/gi)].map(([, host = '']) => host.toLowerCase()))

/** `limit_ms`: how long the call may take. */
export type TurnWork = { do: 'send'; id: string; limit_ms: number } | { do: 'wait'; ms: number } | { do: 'done'; status: TurnStatus }

/** One step of a turn. `now` in Unix seconds. */
export async function advanceTurn(em: EntityManager, turnId: string, now: number): Promise<TurnWork> {
  const turn = await lockTurn(em, turnId)
  // Its chat was deleted.
  if (!turn) return { do: 'done', status: 'discarded' }
  const last = turn.calls?.at(-1)
  // Also of a turn that has ended: a call that was not sent is given up, and its tokens are free again.
  if (last && (last.status === 'requested' || last.status === 'processing')) return { do: 'send', id: last.id, limit_ms: config.modelLimitMs }
  if (turn.status !== 'running') return { do: 'done', status: turn.status }
  if (turn.version !== turn.turn_version || turn.mode === 'human') {
    await discard(em, turn, now)
    return { do: 'done', status: 'discarded' }
  }
  const too_long = (turn.calls ?? []).filter((call) => call.step === last?.step && call.too_long).length
  const step = nextTurnStep(factsOf(last), { in_flight: turn.in_flight, too_long })
  const ended = async (end: End): Promise<TurnWork> => {
    await endTurn(em, turn, end, now)
    return { do: 'done', status: end.status }
  }
  const asked = async (ask: Ask): Promise<TurnWork> => {
    const written = await writeCall(em, turn, ask, now)
    if (written === 'token_limit' || written === 'model_missing') return ended({ status: 'failed', error: written })
    return { do: 'send', id: written, limit_ms: config.modelLimitMs }
  }
  const usedTools = () => [...new Set((turn.calls ?? []).flatMap(({ results }) => readResults(results).map(({ name }) => name)))]
  const shown = (text: string) => withoutForeignLinks(text, hostsIn(turn.prompt ?? '')).trim()
  switch (step.do) {
    case 'send':
      return { do: 'send', id: step.call_id, limit_ms: config.modelLimitMs }
    case 'wait':
      return step
    case 'ask':
      return asked(step)
    case 'end':
      return ended(step)
    case 'answer':
      return ended({ status: 'answered', text: shown(step.text), tools: usedTools() })
    case 'tools': {
      const verified = ownMessages(turn).at(-1)?.verified ?? false
      const allowed = turn.tools ?? ToolNames.options
      const { results, hand_over } = await runTools(
        em,
        { tenant_id: turn.tenant_id, contact_id: verified ? turn.contact_id : null },
        step.answer.calls,
        allowed,
      )
      if (hand_over !== null) return ended({ status: 'answered', text: shown(hand_over), tools: [...new Set([...usedTools(), 'hand_over'])], hand_over: true })
      return asked({ step: step.step + 1, try: 1, halvings: 0, results: { call_id: (last as Call).id, results } })
    }
  }
}

/** Turns whose workflow may be lost, untouched for `idleS` seconds. For the reconciler: of all tenants. */
export const overdueTurns = (em: EntityManager, idleS: number, now: number, limit: number): Promise<{ id: string; tenant_id: string }[]> =>
  em.execute(sql`select id, tenant_id from model_turns where status = 'running' and updated_at < ${now - idleS} order by updated_at limit ${limit}`)
