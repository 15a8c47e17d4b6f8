// A run of lead research: members of an audience, what operators want to know of them, and the model. Every change of
// it is made under its row's lock.
import { defineEntity, p } from '@mikro-orm/core'
import { ResearchStatus } from '../../rules/research/lead-research.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'ResearchRun',
  tableName: 'research_runs',
  properties: {
    ...tenantRow,
    /** The caller's id of the run, or the row's own: the one that the API shows. */
    run_id: p.uuid(),
    /** The same id with another payload is a conflict. */
    fingerprint: p.string().length(64),
    audience_id: p.uuid(),
    goal: p.text(),
    /** The model as it was sent: the id or the key of an integration, or the name of a model that exactly one has. */
    model_id: p.string(),
    /** The integration that it named. */
    integration_id: p.uuid(),
    /** The operator who began it. */
    account_id: p.uuid().nullable(),
    status: p.enum(ResearchStatus.options).default('queued'),
    /** Code of why it stopped before its end. */
    error: p.string().nullable(),
    /** The last answer to a message is a question. */
    asks: p.boolean().default(false),
    /** Incremented by its cancellation: a turn that was begun before is discarded. */
    version: p.integer().default(1),
    message_count: p.integer().default(0),
    input_tokens: p.bigint('number').default(0),
    output_tokens: p.bigint('number').default(0),
  },
  uniques: [{ properties: ['tenant_id', 'run_id'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { properties: ['tenant_id', 'audience_id', 'created_at', 'id'] },
    { properties: ['integration_id'] },
    { properties: ['updated_at'] },
  ],
})
export class ResearchRun extends schema.class {}
schema.setClass(ResearchRun)
