// A message to a visitor of a channel: an effect. A long reply is several; one that the provider deferred is sent again
// as another row.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'

const schema = defineEntity({
  name: 'ChannelMessage',
  tableName: 'channel_messages',
  properties: {
    ...tenantRow,
    channel_id: p.uuid(),
    chat_id: p.uuid(),
    /** The chat's message, its number in the chat, and which of its parts this is, from 1. */
    message_id: p.uuid(),
    seq: p.integer(),
    part: p.integer(),
    try: p.integer().default(1),
    /**
     * The version that the chat must have when it is sent: an answer of the agent is not sent after a person took the
     * chat over. Null: a person wrote it.
     */
    version: p.integer().nullable(),
    /** When the next attempt is due, after the provider deferred an earlier try. */
    due_at: p.datetime(3).nullable(),
    /** Seconds after which the provider takes another message. */
    retry_after: p.integer().nullable(),
    provider_message_id: p.string().nullable(),
    ...effect,
  },
  uniques: [{ properties: ['tenant_id', 'message_id', 'part', 'try'] }],
  indexes: [
    { properties: ['status', 'created_at'] },
    { properties: ['chat_id', 'created_at', 'id'] },
    {
      name: 'channel_messages_open',
      expression: `
        create index "channel_messages_open" on "channel_messages" ("chat_id", "seq", "part", "try")
        where status in ('requested', 'processing')
      `,
    },
    ...attentionIndexes('channel_messages'),
  ],
})
export class ChannelMessage extends schema.class {}
schema.setClass(ChannelMessage)
