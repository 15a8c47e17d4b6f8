// AI agents of a business: their prompt, their model and their limits, and the tokens that they used.
import { z } from 'zod'
import { Agent } from '../../entities/agents/agent.ts'
import { createAgent, removeAgent, updateAgent } from '../../entities/agents/agents.ts'
import { mustExist } from '../../entities/kit/find.ts'
import { ModelUsage } from '../../entities/models/model-usage.ts'
import { AgentStatus, dayOf, PROMPT_MAX } from '../../rules/agents/chats.ts'
import { ToolName } from '../../rules/agents/tools.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { Key } from '../../rules/input/identities.ts'
import { ComparedText } from '../../rules/input/texts.ts'
import { invalid } from '../../rules/refusal.ts'
import { anyCase, CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { unixSeconds } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const fields = {
  key: Key.describe('Name of the agent, unique in the business, of 1 to 255 printable characters.'),
  name: z.string().trim().min(1).max(255).nullable().optional().describe('Name that visitors see; null for none.'),
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(PROMPT_MAX)
    .describe(
      'Instructions for the model, 32,000 characters at most. The date is added. They must hold no secret, as a model may repeat them.',
    ),
  model_id: ComparedText.trim()
    .min(1)
    .max(255)
    .describe('Id or key of an AI integration, or the name of a model that exactly one has.'),
  status: anyCase(AgentStatus).optional().describe('`active` agents answer; messages to `disabled` ones are refused.'),
  channel_ids: z
    .array(Id)
    .max(20)
    .optional()
    .describe('Integrations of channels that the agent serves, 20 at most. A channel serves one agent.'),
  tools: z
    .array(ToolName)
    .max(20)
    .nullable()
    .optional()
    .describe('Tools that the model may use; null for all of them.'),
  history_max: z
    .int()
    .min(0)
    .max(200)
    .optional()
    .describe('Earlier messages of a chat that the model reads, 20 by default.'),
  output_tokens_max: z
    .int()
    .min(1)
    .max(32_000)
    .optional()
    .describe('Tokens of one answer of the model, 1,024 by default.'),
  daily_tokens_max: z
    .int()
    .min(0)
    .max(1_000_000_000_000)
    .nullable()
    .optional()
    .describe("Tokens of a day (UTC); null for no limit but the business's."),
  fallback: z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .nullable()
    .optional()
    .describe('What is answered if the model gives no answer; null for an error.'),
  handover_email: EmailAddress.nullable()
    .optional()
    .describe(
      'Address of a member of the team that is mailed when the agent hands a chat over to people; null for none.',
    ),
}
const { key, prompt, model_id, ...others } = fields

const AgentOut = z
  .object({
    id: z.string().describe('Identifier of the agent, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the agent, unique in the business.'),
    name: z.string().nullable().describe('Name that visitors see; null for none.'),
    prompt: z.string().describe('Instructions for the model.'),
    model_id: z.string().max(255).describe('The model, as it was sent.'),
    status: AgentStatus.describe('`active` agents answer; messages to `disabled` ones are refused.'),
    channel_ids: z.array(z.string()).describe('Integrations of the channels that the agent serves.'),
    tools: z.array(ToolName).nullable().describe('Tools that the model may use; null for all of them.'),
    history_max: z.int().describe('Earlier messages of a chat that the model reads.'),
    output_tokens_max: z.int().describe('Tokens of one answer of the model.'),
    daily_tokens_max: z.int().nullable().describe("Tokens of a day (UTC); null for no limit but the business's."),
    fallback: z.string().nullable().describe('What is answered if the model gives no answer; null for an error.'),
    handover_email: z
      .string()
      .nullable()
      .describe(
        'Address of a member of the team that is mailed when the agent hands a chat over to people; null for none.',
      ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Agent' })

const tokens = (description: string) => z.int().describe(description)
const Usage = z
  .object({
    day: z.string().describe('The day in UTC, `YYYY-MM-DD`.'),
    calls: z.int().describe('Calls of the model.'),
    input_tokens: tokens('Tokens that the model read.'),
    output_tokens: tokens('Tokens that the model wrote.'),
    reserved_tokens: tokens('Tokens that are reserved for calls under way.'),
    unknown_tokens: tokens('Tokens of calls whose outcome is unknown. They count towards the limits.'),
  })
  .meta({ id: 'AgentUsage' })
const daysMax = 366

const conflicts = [
  'key_taken',
  'channel_in_use',
  'channel_unknown',
  'channel_unsupported',
  'handover_not_member',
  'model_ambiguous',
  'model_unknown',
] as const
const modelRules =
  '422 `model_unknown` if no AI integration has the model, `model_ambiguous` if several have it. 422 `channel_unknown` for an id that is no channel, `channel_unsupported` for a `messaging` integration, 409 `channel_in_use` for a channel ' +
  'that another agent serves. 422 `handover_not_member` for a `handover_email` of no member. 409 `key_taken` if another agent has the key.'

export const agents = [
  listing('GET /v1/businesses/{businessId}/agents', {
    may: 'admin',
    summary: 'List the agents',
    entity: Agent,
    item: AgentOut,
    scope: () => ({ deleted_at: null }),
  }),
  reading('GET /v1/businesses/{businessId}/agents/{id}', {
    may: 'admin',
    summary: 'Read an agent',
    entity: Agent,
    out: AgentOut,
    where: ({ path }) => ({ id: path.id, deleted_at: null }),
  }),
  route('POST /v1/businesses/{businessId}/agents', {
    may: 'admin',
    refuses: conflicts,
    summary: 'Create an agent',
    description: `The model has to come from an AI integration (\`llm_a\`, \`llm_b\`); its provider is not contacted. ${modelRules}`,
    body: z.object({ key, prompt, model_id, ...others }),
    out: AgentOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createAgent(em, tenant_id, body, now),
  }),
  route('PUT /v1/businesses/{businessId}/agents/{id}', {
    may: 'admin',
    refuses: conflicts,
    summary: 'Update an agent',
    description: `Fields that are left out are kept. A turn that runs reads the changes with its next question to the model. ${modelRules}`,
    body: z.object({ key: key.optional(), prompt: prompt.optional(), model_id: model_id.optional(), ...others }),
    out: AgentOut,
    run: ({ em, tenant_id, path, body, now }) => updateAgent(em, tenant_id, path.id, body, now),
  }),
  removing('DELETE /v1/businesses/{businessId}/agents/{id}', {
    may: 'admin',
    summary: 'Delete an agent with its chats',
    description: 'The agent, its chats and their messages are invisible at once. What it used is still counted.',
    remove: ({ em, tenant_id, path, now }) => removeAgent(em, tenant_id, path.id, now),
  }),
  route('GET /v1/businesses/{businessId}/agents/{id}/usage', {
    may: 'admin',
    summary: "Read an agent's tokens by day",
    description:
      'The newest day first. Days without a call are left out. Without `from`, the last 30 days; at most 366 days.',
    query: z.object({
      from: unixSeconds.optional().describe('The first day, by a time in it, in Unix seconds.'),
      to: unixSeconds.optional().describe('The last day, by a time in it, in Unix seconds.'),
    }),
    out: z.object({ items: z.array(Usage).describe('A record for each day.') }).meta({ id: 'AgentUsageDays' }),
    async run({ em, path, query: { to, from }, now }) {
      const last = to ?? now
      const first = from ?? last - 29 * 86_400
      if (last - first > daysMax * 86_400) throw invalid('from', 'invalid_input', `Expected at most ${daysMax} days.`)
      await mustExist(em, Agent, { id: path.id, deleted_at: null }, 'agent')
      return {
        items: await em.find(
          ModelUsage,
          { agent_id: path.id, day: { $gte: dayOf(first), $lte: dayOf(last) } },
          { orderBy: { day: 'desc' } },
        ),
      }
    },
  }),
]
