// A message of a chat, with its number in the chat. A user's message is answered by one turn; a turn writes one answer.
import { defineEntity, p } from '@mikro-orm/core'
import { DeliveryStatus } from '../../rules/agents/channels.ts'
import { MessageRole, MessageStatus } from '../../rules/agents/chats.ts'
import { searchColumn } from '../kit/database/named-columns.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Chat } from './chat.ts'

const schema = defineEntity({
  name: 'ChatMessage',
  tableName: 'chat_messages',
  properties: {
    ...tenantRow,
    chat_id: () => p.manyToOne(Chat).mapToPk().deleteRule('cascade').joinColumn('chat_id'),
    seq: p.integer(),
    /** The caller's id of the message, or the row's own. */
    message_id: p.uuid(),
    /** The payload of a user's or an operator's message: the same id with another payload is a conflict. */
    fingerprint: p.string().length(64).nullable(),
    role: p.enum(MessageRole.options),
    content: p.text(),
    /** The visitor was signed in. */
    verified: p.boolean().default(false),
    /** The version of the chat when the message was written. */
    version: p.integer(),
    /** Null of an answer. */
    status: p.enum(MessageStatus.options).nullable(),
    turn_id: p.uuid().nullable(),
    /** Names of the tools that the turn of an answer used. */
    tools: p.json<string[]>().nullable(),
    /** The channel of a message that arrived by one, and the number of its update. */
    channel_id: p.uuid().nullable(),
    update_id: p.bigint('number').nullable(),
    /** The delivery of a message that is sent by a channel. */
    delivery_status: p.enum(DeliveryStatus.options).nullable(),
    /** Code of why there is no answer, or why it was not delivered. */
    error: p.string().nullable(),
    /** The operator who wrote it. */
    account_id: p.uuid().nullable(),
    search: searchColumn,
  },
  uniques: [{ properties: ['tenant_id', 'message_id'] }, { properties: ['chat_id', 'seq'] }],
  indexes: [
    { properties: ['chat_id', 'created_at', 'id'] },
    {
      name: 'chat_messages_answer',
      expression: `create unique index "chat_messages_answer" on "chat_messages" ("turn_id") where role = 'assistant'`,
    },
    {
      name: 'chat_messages_update',
      expression: `
        create unique index "chat_messages_update" on "chat_messages" ("channel_id", "update_id")
        where update_id is not null
      `,
    },
    {
      name: 'chat_messages_open',
      expression: `
        create index "chat_messages_open" on "chat_messages" ("chat_id", "seq")
        where status in ('waiting', 'processing')
      `,
    },
    {
      name: 'chat_messages_search',
      expression: 'create index "chat_messages_search" on "chat_messages" using gin ("search")',
    },
  ],
})
export class ChatMessage extends schema.class {}
schema.setClass(ChatMessage)
