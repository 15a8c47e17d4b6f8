// Messages to an agent: a message is answered by one run of the model. The request waits for the answer, which is
// written even if the caller has left.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { unixNow } from '../../adapters/clock.ts'
import { config } from '../../config.ts'
import { Chat, withAgent } from '../../entities/agents/chat.ts'
import { ChatMessage } from '../../entities/agents/chat-message.ts'
import { postMessage, replyToChat, retryMessage, tokenLimit, type Writer } from '../../entities/agents/messages.ts'
import { type MessageKey, type Outcome, outcomeOf, outcomesOf } from '../../entities/agents/outcomes.ts'
import { findRecord, mustExist } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { providerRefusal } from '../../entities/models/model-calls.ts'
import { DeliveryStatus } from '../../rules/agents/channels.ts'
import { CHAT_WINDOW_S, MESSAGE_MAX, MessageRole, MessageStatus } from '../../rules/agents/chats.ts'
import { notFound, unavailable } from '../../rules/refusal.ts'
import { CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { preferHeader, waitMsOf } from '../kit/answer/prefer.ts'
import { reading } from '../kit/answer/record.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import type { Customer, Headers, Visitor } from '../kit/caller.ts'
import { fingerprintOf, idempotencyKeyHeader, idOf, keyIn } from '../kit/idempotency.ts'
import { route } from '../kit/route.ts'
import { networkOf } from '../limits/networks.ts'
import { limit } from '../limits/rate.ts'
import { gathered } from './gather.ts'

const content = z.string().trim().min(1).max(MESSAGE_MAX).describe('Text of the message, 1 to 8,000 characters.')
const own = Id.optional().describe(
  'UUID made by the caller: the same id and message return the same answer, and the model is not asked again.',
)

const Answer = z
  .object({
    response: z.string().nullable().describe('The answer; null if there is none yet, or if a person answers the chat.'),
    chat_id: z.string().describe('Identifier of the chat, to continue it.'),
    message_id: z.string().describe("Identifier of the message: the caller's, or one made by the server."),
    status: MessageStatus.describe(
      '`answered`; `waiting` or `processing` with 202; `held` if a person answers the chat; `failed` or `unknown` beside a fallback.',
    ),
  })
  .meta({ id: 'AgentAnswer' })

const Message = z
  .object({
    id: z.string().describe('Identifier of the message, a UUIDv7 made by the server.'),
    message_id: z.string().describe("The caller's identifier of the message, or the server's."),
    role: MessageRole.describe('`user` is the visitor, `assistant` the model, `operator` a person of the business.'),
    content: z.string().describe('Text of the message.'),
    status: MessageStatus.nullable().describe("Of a user's message: what became of it; null of an answer."),
    error: z
      .string()
      .nullable()
      .describe('Code of why there is no answer, or why the message was not delivered; null for none.'),
    delivery_status: DeliveryStatus.nullable().describe(
      'Of a message to a visitor of a channel: `unknown` if it cannot be proved whether it was sent, and then it is not sent again. Null of other messages.',
    ),
    tools: z.array(z.string()).nullable().describe('Tools that the model used for an answer; null of other messages.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'ChatMessage' })

const MessageWithAnswer = Message.extend({
  response: z.string().nullable().describe("The answer to a user's message; null for none."),
  provider_error: z
    .string()
    .nullable()
    .describe(
      "Of a failed message, for operators only: the status with which the model's provider refused it, and its words. Null for none.",
    ),
}).meta({ id: 'ChatMessageWithAnswer' })

type Body = z.input<typeof Answer>
type Pending = { id: string; wait_ms: number; location: string }

const openBody = ({ chat_id, message_id, status }: Outcome): Body => ({
  chat_id,
  message_id,
  status: status as Body['status'],
  response: null,
})
const isOpen = ({ status }: Pick<Outcome, 'status'>) => status === 'waiting' || status === 'processing'

/** The answer to a message that is settled. 429 token_limit, 503 model_unavailable, model_outcome_unknown. */
function answered({ chat_id, message_id, status, error, fallback, response }: Outcome, now: number): Body {
  if (status === 'answered' || status === 'held')
    return { chat_id, message_id, status, response: status === 'held' ? null : response }
  if (fallback !== null) return { chat_id, message_id, status, response: fallback }
  const members = { chat_id, message_id }
  if (error === 'token_limit') throw tokenLimit(now)
  if (status === 'unknown')
    throw unavailable(
      'model_outcome_unknown',
      'It cannot be proved whether the model answered. It is asked again only by POST …/messages/{messageId}/retry.',
      members,
    )
  throw unavailable(
    'model_unavailable',
    'The model gave no answer. It is asked again by POST …/messages/{messageId}/retry.',
    members,
  )
}

type Sent = { em: EntityManager; tenant_id: string; headers: Headers; now: number; path: { businessId: string } }

/** The reply to a message: its answer, or what is waited for. */
function replyTo({ headers, now, path }: Sent, agentId: string, id: string, outcome: Outcome) {
  if (!isOpen(outcome)) return new Reply<Body, Pending>(answered(outcome, now), {})
  const { chat_id, message_id } = outcome
  const location = `/v1/businesses/${path.businessId}/agents/${agentId}/chats/${chat_id}/messages/${message_id}`
  return new Reply<Body, Pending>(openBody(outcome), { pending: { id, wait_ms: waitMsOf(headers), location } })
}

const waitedFor = gathered((em, keys: readonly MessageKey[]) => outcomesOf(em, keys))

const wait = {
  limit_ms: ({ wait_ms }: Pending) => wait_ms,
  // A model takes seconds: two statements a second for a request that waits, and fewer for each if many do.
  poll_ms: 500,
  async until({ em, tenant_id, pending }: { em: EntityManager; tenant_id: string; pending: Pending }) {
    const outcome = await waitedFor(em, { tenant_id, id: pending.id })
    if (!outcome) throw notFound('message')
    return isOpen(outcome) ? new NotYet(openBody(outcome)) : answered(outcome, unixNow())
  },
  late: (latest: Body, _engineAway: boolean, { location }: Pending) =>
    new Reply<Body>(latest, { status: 202, headers: { Location: location } }),
}

const waits =
  'Waits for the answer, for 25 seconds unless `Prefer` says otherwise; then 202 with `Location`: read it there, or send the same message with its `message_id` again. 503 ' +
  '`model_unavailable` if the model gives no answer, 503 `model_outcome_unknown` if it cannot be proved whether it did; with a `fallback` of the agent that is answered instead. 429 ' +
  '`token_limit` if the tokens of the day are used up.'

const writerOf = (caller: Customer<Visitor>): Writer =>
  caller.kind === 'operator'
    ? { session_id: null, contact_id: null, account_id: caller.account_id, verified: false }
    : { session_id: caller.session_id, contact_id: caller.contact_id, account_id: null, verified: caller.verified }

const problems = [
  ...([
    'agent_disabled',
    'chat_archived',
    'idempotency_conflict',
    'model_outcome_unknown',
    'model_unavailable',
    'token_limit',
    'too_many_requests',
  ] as const),
]
/** Visitors see their own chats only; operators see all. */
const whose = (caller: Customer<Visitor>) => (caller.kind === 'operator' ? undefined : caller.contact_id)

async function limitMessages(em: EntityManager, caller: Customer<Visitor>, ip: string, now: number): Promise<void> {
  if (caller.kind === 'operator') return
  await limit(em, `chat:${caller.contact_id}`, { most: config.rate.chatPerContact, windowS: CHAT_WINDOW_S }, now)
  await limit(em, `chat:${networkOf(ip)}`, { most: config.rate.chatPerIp, windowS: CHAT_WINDOW_S }, now)
}

const messagesAt = '/v1/businesses/{businessId}/agents/{id}/chats/{chatId}/messages' as const
/** The chat of the path, which the caller may read. 404. */
const chatOf = (em: EntityManager, caller: Customer<Visitor>, path: { id: string; chatId: string }) =>
  mustExist(
    em,
    Chat,
    {
      id: path.chatId,
      agent_id: path.id,
      ...withAgent,
      ...(caller.kind === 'visitor' ? { contact_id: caller.contact_id } : {}),
    },
    'chat',
  )

export const agentMessages = [
  route('POST /v1/businesses/{businessId}/agents/{id}/chats/messages', {
    may: 'customer',
    active: true,
    contact: 'created',
    operation: 'sendAgentMessage',
    request: {
      headers: {
        ...preferHeader,
        ...idempotencyKeyHeader('It stands for `message_id`. With neither, every message is a new one.'),
      },
    },
    refuses: [...problems, 'chat_is_direct', 'chat_of_visitor'],
    summary: 'Send a message to an agent',
    description:
      `Begins a chat, or continues \`chat_id\`. ${waits} Messages that arrive while the model answers are answered together by its next run. 409 \`chat_archived\`, ` +
      '`chat_is_direct` for a chat that cannot be continued, `agent_disabled` for an agent that does not answer. 200 with `response: null` and `held` if a person answers the chat.',
    status: [200, 202],
    body: z.object({
      message: content,
      chat_id: Id.optional().describe('Chat to continue; left out, a new one begins.'),
      direct: z
        .boolean()
        .optional()
        .describe('A single exchange: the model reads no earlier messages, and the chat cannot be continued.'),
      message_id: own,
    }),
    out: Answer,
    async run(call) {
      const { em, caller, tenant_id, path, body, now } = call
      const key = keyIn(call.headers)
      const who = caller.kind === 'operator' ? caller.account_id : caller.session_id
      const message_id =
        body.message_id ?? (key === undefined ? null : idOf(tenant_id, 'chat message', path.id, who, key))
      const { message, chat_id = null, direct = false } = body
      const sent = {
        agent_id: path.id,
        chat_id,
        direct,
        message_id,
        content: message,
        fingerprint: fingerprintOf({ agent_id: path.id, chat_id, direct, message }),
      }
      const posted = await postMessage(
        em,
        tenant_id,
        sent,
        { ...writerOf(caller), admit: () => limitMessages(em, caller, call.ip, now) },
        now,
      )
      if ('earlier' in posted)
        return replyTo(call, path.id, posted.earlier, await outcomeOf(em, tenant_id, posted.earlier))
      return replyTo(call, path.id, posted.id, { ...posted, error: null, fallback: null, response: null })
    },
    wait,
  }),
  route(`POST ${messagesAt}/{messageId}/retry`, {
    may: 'customer',
    active: true,
    operation: 'retryAgentMessage',
    request: { headers: preferHeader },
    refuses: [...problems, 'message_not_failed'],
    summary: 'Ask the model again about a message without an answer',
    description: `For a message that is \`failed\` or \`unknown\`: the model is not asked again automatically. ${waits} 409 \`message_not_failed\` for any other message.`,
    status: [200, 202],
    body: z.object({}),
    out: Answer,
    async run(call) {
      const { em, caller, tenant_id, path, now } = call
      await limitMessages(em, caller, call.ip, now)
      const sent = { agent_id: path.id, chat_id: path.chatId, message_id: path.messageId }
      const id = await retryMessage(em, tenant_id, sent, whose(caller), now)
      return replyTo(call, path.id, id, await outcomeOf(em, tenant_id, id))
    },
    wait,
  }),
  listing(`GET ${messagesAt}`, {
    may: 'customer',
    contact: 'required',
    summary: 'List the messages of a chat',
    entity: ChatMessage,
    item: Message,
    byCreation: true,
    async scope({ em, caller, path }) {
      await chatOf(em, caller, path)
      return { chat_id: path.chatId }
    },
  }),
  reading(`GET ${messagesAt}/{messageId}`, {
    may: 'customer',
    contact: 'required',
    summary: 'Read a message with its answer',
    entity: ChatMessage,
    out: MessageWithAnswer,
    where: ({ path }) => ({ chat_id: path.chatId, message_id: path.messageId }),
    async show(message, { em, caller, path }) {
      await chatOf(em, caller, path)
      const answer =
        message.turn_id && message.role === 'user'
          ? await em.findOne(ChatMessage, { turn_id: message.turn_id, role: 'assistant' })
          : null
      const isRefused = caller.kind === 'operator' && message.status === 'failed' && message.turn_id !== null
      return {
        ...message,
        response: answer?.content ?? null,
        provider_error: isRefused ? await providerRefusal(em, message.tenant_id, message.turn_id as string) : null,
      }
    },
  }),
  route('POST /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/replies', {
    may: 'admin',
    refuses: ['chat_archived', 'idempotency_conflict'],
    summary: 'Reply to a chat as a person',
    description:
      'From this reply on, a person answers the chat: the agent writes nothing more, and a turn that runs is discarded. The same `message_id` and message return the ' +
      'same reply. In a chat of a channel the reply is sent there, after the messages before it: `delivery_status` says what became of it. 409 `chat_archived` for an archived chat.',
    body: z.object({ message: content, message_id: own }),
    out: Message,
    status: 201,
    async run({ em, caller, tenant_id, path, body, now }) {
      const { message, message_id = newId() } = body
      const sent = {
        message_id,
        content: message,
        account_id: caller.account_id,
        fingerprint: fingerprintOf({ chat_id: path.chatId, message }),
      }
      const id = await replyToChat(em, tenant_id, path.id, path.chatId, sent, now)
      return findRecord(em, ChatMessage, { id }, 'message')
    },
  }),
]
