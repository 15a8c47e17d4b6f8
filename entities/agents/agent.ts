// An agent of a business: a prompt and a model that answer the chats of its visitors. A deleted one is hidden at once;
// its chats are deleted in batches.
import { defineEntity, p } from '@mikro-orm/core'
import { AgentStatus } from '../../rules/agents/chats.ts'
import type { ToolName } from '../../rules/agents/tools.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  properties: {
    ...tenantRow,
    key: p.string(),
    name: p.string().nullable(),
    prompt: p.text(),
    /** The model as it was sent: the id or the key of an integration, or the name of a model that exactly one has. */
    model_id: p.string(),
    /** The integration that it named. */
    integration_id: p.uuid(),
    status: p.enum(AgentStatus.options).default('active'),
    channel_ids: p.json<string[]>().default('[]'),
    /** Null: all tools. */
    tools: p.json<ToolName[]>().nullable(),
    /** Earlier messages of a chat that the model reads. */
    history_max: p.integer().default(20),
    output_tokens_max: p.integer().default(1024),
    daily_tokens_max: p.bigint('number').nullable(),
    /** What is answered where the model gives no answer. */
    fallback: p.text().nullable(),
    /** Who is mailed when a chat is handed over to people. */
    handover_email: p.string().nullable(),
    deleted_at: p.bigint('number').nullable(),
  },
  indexes: [
    {
      name: 'agents_tenant_id_key_unique',
      expression:
        'create unique index "agents_tenant_id_key_unique" on "agents" ("tenant_id", "key") where deleted_at is null',
    },
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['integration_id'] },
    {
      name: 'agents_deleted',
      expression: 'create index "agents_deleted" on "agents" ("deleted_at") where deleted_at is not null',
    },
  ],
})
export class Agent extends schema.class {}
schema.setClass(Agent)
