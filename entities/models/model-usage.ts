// The tokens of a day: of each agent, and under the zero id of the whole tenant. What is used, reserved or unknown
// together never exceeds a limit.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'ModelUsage',
  tableName: 'model_usage',
  properties: {
    ...tenantRow,
    /** `YYYY-MM-DD`, in UTC. */
    day: p.string().length(10),
    agent_id: p.uuid(),
    calls: p.integer().default(0),
    /** The number of those calls that are not settled. */
    in_flight: p.integer().default(0),
    input_tokens: p.bigint('number').default(0),
    output_tokens: p.bigint('number').default(0),
    reserved_tokens: p.bigint('number').default(0),
    /** The tokens of calls whose outcome is unknown. */
    unknown_tokens: p.bigint('number').default(0),
  },
  checks: [
    {
      expression: 'input_tokens >= 0 and output_tokens >= 0 and reserved_tokens >= 0 and unknown_tokens >= 0',
      name: 'model_usage_counted',
    },
  ],
  uniques: [{ properties: ['tenant_id', 'day', 'agent_id'] }],
})
export class ModelUsage extends schema.class {}
schema.setClass(ModelUsage)
