// A question to a model: an effect of its turn. It is sent once; an answer that the provider refused to give is asked
// for by another row.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'ModelCall',
  tableName: 'model_calls',
  properties: {
    ...tenantRow,
    turn_id: p.uuid(),
    /** The owner of its turn: one of both, or none of calls of before these columns. */
    chat_id: p.uuid().nullable(),
    research_run_id: p.uuid().nullable(),
    step: p.integer(),
    try: p.integer(),
    integration_id: p.uuid(),
    model: p.text(),
    /** Whose limit its tokens count towards; the zero id where there is no agent. */
    agent_id: p.uuid(),
    /** The day of its tokens, in UTC. */
    day: p.string().length(10),
    /** JSON of a `ModelAnswer`, or of a `ProviderRefusal`. */
    answer: p.type(Encrypted).nullable(),
    /** JSON of the results of the tools that its answer asked for. */
    results: p.type(Encrypted).nullable(),
    input_tokens: p.integer().nullable(),
    output_tokens: p.integer().nullable(),
    /** What it may use at most. */
    reserved_tokens: p.integer(),
    /** The part that is reserved now: nothing once the call is settled. */
    held_tokens: p.integer(),
    provider_request_id: p.string().nullable(),
    too_long: p.boolean().default(false),
    /** Seconds after which the provider asked for another call. */
    retry_after: p.integer().nullable(),
    ...effect,
  },
  uniques: [{ properties: ['tenant_id', 'turn_id', 'step', 'try'] }],
  indexes: [
    { properties: ['status', 'created_at'] },
    {
      name: 'model_calls_chat',
      expression: `
        create index "model_calls_chat" on "model_calls" ("chat_id", "created_at", "id")
        where chat_id is not null
      `,
    },
    {
      name: 'model_calls_research',
      expression: `
        create index "model_calls_research" on "model_calls" ("research_run_id", "created_at", "id")
        where research_run_id is not null
      `,
    },
    {
      name: 'model_calls_open',
      expression: `
        create index "model_calls_open" on "model_calls" ("tenant_id")
        where status in ('requested', 'processing')
      `,
    },
    ...attentionIndexes('model_calls'),
  ],
})
export class ModelCall extends schema.class {}
schema.setClass(ModelCall)
