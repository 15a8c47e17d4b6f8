// A chat of a visitor with an agent. Every change of it is made under its row's lock.
import { defineEntity, p } from '@mikro-orm/core'
import { ChatMode, ChatStatus } from '../../rules/agents/chats.ts'
import { condition } from '../kit/database/condition.ts'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'

const schema = defineEntity({
  name: 'Chat',
  tableName: 'chats',
  properties: {
    ...tenantRow,
    agent_id: p.uuid(),
    /** Null: an operator tries the agent out. */
    contact_id: p.uuid().nullable(),
    /** The integration of the channel that it came by. */
    channel_id: p.uuid().nullable(),
    /** The visitor's id at the channel's provider, and what they are called there. */
    external_id: p.string().nullable(),
    external_name: p.string().nullable(),
    /** A single exchange. */
    direct: p.boolean().default(false),
    status: p.enum(ChatStatus.options).default('active'),
    mode: p.enum(ChatMode.options).default('agent'),
    /** Incremented by what an operator does: an answer that was begun before is discarded. */
    version: p.integer().default(1),
    /** Messages up to this number were exchanged before it was resolved: a model does not read them. */
    history_seq: p.integer().default(0),
    rating: p.integer().nullable(),
    rating_comment: p.text().nullable(),
    rated_at: p.bigint('number').nullable(),
    last_message: p.text().nullable(),
    last_message_at: p.bigint('number').nullable(),
    message_count: p.integer().default(0),
  },
  checks: [{ expression: 'rating >= 1 and rating <= 5', name: 'chats_rating' }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { properties: ['tenant_id', 'mode', 'created_at', 'id'] },
    { properties: ['tenant_id', 'contact_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'channel_id', 'created_at', 'id'] },
    {
      name: 'chats_external',
      expression: `
        create index "chats_external" on "chats" ("channel_id", "external_id", "created_at", "id")
        where channel_id is not null
      `,
    },
    { properties: ['agent_id', 'created_at', 'id'] },
    { properties: ['contact_id'] },
    { properties: ['last_message_at'] },
  ],
})
export class Chat extends schema.class {}
schema.setClass(Chat)

/**
 * Chats whose agent was not deleted: those of a deleted one are hidden until they are deleted too. `offset 0`: as a
 * join, its rows are estimated wrongly.
 */
export const withAgent = condition(
  (rows) => sql`
    not exists (
      select 1
      from agents g
      where g.tenant_id = ${rows}.tenant_id and g.id = ${rows}.agent_id and g.deleted_at is not null
      offset 0
    )
  `,
)
