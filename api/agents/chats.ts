// Chats of visitors with agents: who answers them, their ratings, and the lists of operators.
import { z } from 'zod'
import { Agent } from '../../entities/agents/agent.ts'
import { Chat, withAgent } from '../../entities/agents/chat.ts'
import { chatsWith } from '../../entities/agents/chat-search.ts'
import { changeChat, rateChat } from '../../entities/agents/messages.ts'
import { findRecord, mustExist } from '../../entities/kit/find.ts'
import { ChatMode, ChatStatus } from '../../rules/agents/chats.ts'
import { searchQuery } from '../../rules/search/search.ts'
import { anyCase, CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { searchText } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const ChatOut = z
  .object({
    id: z.string().describe('Identifier of the chat, a UUIDv7 made by the server.'),
    agent_id: z.string().describe('Identifier of the agent.'),
    contact_id: z.string().nullable().describe('Identifier of the visitor; null for a chat that an operator began.'),
    channel_id: z.string().nullable().describe('Integration of the channel that the chat came by; null for the API.'),
    external_name: z.string().nullable().describe('What the visitor is called at the channel; null for the API.'),
    direct: z.boolean().describe('Whether it is a single exchange.'),
    status: ChatStatus.describe(
      '`active`; `resolved` until the visitor writes again; `archived`: it takes no messages until an operator makes it `active` again.',
    ),
    mode: ChatMode.describe('Who answers: the `agent`, or a `human`.'),
    rating: z.int().nullable().describe('1 to 5; null for none.'),
    rating_comment: z.string().nullable().describe('What was written with the rating; null for nothing.'),
    rated_at: z.int().nullable().describe('Time of the rating, in Unix seconds; null for none.'),
    last_message: z.string().nullable().describe('Beginning of the last message, 200 characters at most.'),
    last_message_at: z.int().nullable().describe('Time of the last message, in Unix seconds.'),
    message_count: z.int().describe('Number of messages.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Chat' })

const chatAt = '/v1/businesses/{businessId}/agents/{id}/chats/{chatId}' as const

export const chats = [
  listing('GET /v1/businesses/{businessId}/chats', {
    may: 'admin',
    summary: 'List the chats of all agents',
    entity: Chat,
    item: ChatOut,
    byCreation: true,
    filters: {
      agent_id: filter(Id.describe('Only chats with this agent.'), (agent_id) => ({ agent_id })),
      status: filter(anyCase(ChatStatus).describe('Only chats with this status.'), (status) => ({ status })),
      mode: filter(
        anyCase(ChatMode).describe('Only chats in this mode: `human` is the inbox of operators.'),
        (mode) => ({ mode }),
      ),
      channel_id: filter(Id.describe('Only chats of this channel.'), (channel_id) => ({ channel_id })),
      customer_id: filter(Id.describe('Only chats of this visitor.'), (contact_id) => ({ contact_id })),
      query: filter(
        searchText().describe('Words of messages. Every word has to begin a word of the same message.'),
        (query, _, { em, tenant_id }) => chatsWith(em, tenant_id, searchQuery(query)),
      ),
    },
    scope: () => withAgent,
  }),
  listing('GET /v1/businesses/{businessId}/agents/{id}/chats', {
    may: 'admin',
    summary: 'List the chats of an agent',
    entity: Chat,
    item: ChatOut,
    byCreation: true,
    async scope({ em, path }) {
      await mustExist(em, Agent, { id: path.id, deleted_at: null }, 'agent')
      return { agent_id: path.id }
    },
  }),
  reading(`GET ${chatAt}`, {
    may: 'customer',
    contact: 'required',
    summary: 'Read a chat',
    entity: Chat,
    out: ChatOut,
    where: ({ path, caller }) => ({
      id: path.chatId,
      agent_id: path.id,
      ...withAgent,
      ...(caller.kind === 'visitor' ? { contact_id: caller.contact_id } : {}),
    }),
  }),
  route(`PUT ${chatAt}`, {
    may: 'admin',
    summary: 'Update a chat',
    description:
      'With the `mode` `human` a person answers the chat: the agent writes nothing more, and a turn that runs is discarded. `agent` gives it back: the agent answers the next message, and its ' +
      'model reads those that were `held` as history. A message of the visitor opens a `resolved` chat again, of which the model reads what is written from then on.',
    body: z.object({
      status: anyCase(ChatStatus).optional().describe('`active`, `resolved` or `archived`.'),
      mode: anyCase(ChatMode).optional().describe('Who answers: the `agent`, or a `human`.'),
    }),
    out: ChatOut,
    async run({ em, tenant_id, path, body, now }) {
      await changeChat(em, tenant_id, path.id, path.chatId, body, now)
      return findRecord(em, Chat, { id: path.chatId }, 'chat')
    },
  }),
  route(`POST ${chatAt}/rate`, {
    may: 'customer',
    operation: 'rateChat',
    refuses: ['nothing_to_rate'],
    summary: 'Rate a chat',
    description: 'Replaces an earlier rating. 409 `nothing_to_rate` if the chat has no answer yet.',
    body: z.object({
      rating: z
        .int('Expected an integer from 1 to 5.')
        .min(1, 'Expected an integer from 1 to 5.')
        .max(5, 'Expected an integer from 1 to 5.')
        .describe('1 to 5.'),
      comment: z
        .string()
        .trim()
        .max(2_000)
        .nullable()
        .optional()
        .describe('What the visitor adds, 2,000 characters at most.'),
    }),
    out: ChatOut,
    async run({ em, caller, tenant_id, path, body, now }) {
      const contact = caller.kind === 'visitor' ? caller.contact_id : undefined
      await rateChat(
        em,
        tenant_id,
        path.id,
        path.chatId,
        { rating: body.rating, comment: body.comment || null },
        contact,
        now,
      )
      return findRecord(em, Chat, { id: path.chatId }, 'chat')
    },
  }),
]
