// Agents of a business: their models come from AI integrations, and a channel serves one agent.
import type { EntityManager } from '@mikro-orm/postgresql'
import { firstSpelled, spellingsOf } from '../../rules/input/texts.ts'
import { ModelProvider } from '../../rules/models/model-formats.ts'
import { conflict, type Fault, invalid, Refusal, summaryOf } from '../../rules/refusal.ts'
// Backwards: the model of an agent belongs to an integration.
import { Integration } from '../automation/integration.ts'
import { sql } from '../kit/database/sql.ts'
import { findRecord } from '../kit/find.ts'
import { newId, uuids } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { isOfTeam } from '../stores/team-members.ts'
import { lockTenant } from '../stores/tenant-lock.ts'
import { Agent } from './agent.ts'
import { touchChannels } from './channels.ts'

type Fields = Omit<Partial<Agent>, 'id' | 'tenant_id' | 'created_at' | 'updated_at' | 'integration_id' | 'deleted_at'>

/**
 * The AI integration that a model's id names: its id, its key, or a model that exactly one has. 422 model_unknown,
 * model_ambiguous.
 */
export async function integrationOf(em: EntityManager, modelId: string): Promise<string> {
  const all = await em.find(
    Integration,
    { category: 'ai', type: { $in: ModelProvider.options } },
    { disableIdentityMap: true },
  )
  const spellings = spellingsOf(modelId)
  const keyed = all.filter(({ key }) => spellings.includes(key))
  const named = all.find(({ id }) => id === modelId.toLowerCase()) ?? firstSpelled(keyed, spellings, ({ key }) => key)
  if (named) return named.id
  const [found, ...others] = all.filter(({ settings }) => settings.model === modelId)
  if (!found) throw invalid('/model_id', 'model_unknown', 'No AI integration has this id, key or model.')
  if (others.length > 0)
    throw invalid(
      '/model_id',
      'model_ambiguous',
      'More than one AI integration has this model. Send the id or the key of one.',
    )
  return found.id
}

/**
 * Checks that the channels exist and that no other agent serves them. 422 channel_unknown, channel_unsupported, 409
 * channel_in_use.
 */
async function checkChannels(
  em: EntityManager,
  tenantId: string,
  channelIds: readonly string[],
  agentId: string,
): Promise<void> {
  if (channelIds.length === 0) return
  const integrations = await em.find(
    Integration,
    { id: { $in: [...channelIds] }, category: { $in: ['channel', 'messaging'] } },
    { disableIdentityMap: true },
  )
  const faults = channelIds.flatMap((id, n): Fault[] => {
    const found = integrations.find((one) => one.id === id)
    if (!found)
      return [
        {
          pointer: `/channel_ids/${n}`,
          code: 'channel_unknown',
          detail: 'Expected the id of an integration of the category `channel`.',
        },
      ]
    if (found.category === 'channel') return []
    return [
      {
        pointer: `/channel_ids/${n}`,
        code: 'channel_unsupported',
        detail: `Agents cannot be reached by an integration of type \`${found.type}\` yet.`,
      },
    ]
  })
  const [first] = faults
  if (first)
    throw new Refusal(
      422,
      first.code === 'channel_unknown' ? 'channel_unknown' : 'channel_unsupported',
      summaryOf(faults),
      { faults },
    )
  const others: unknown[] = await em.execute(sql`
    select 1
    from agents a
    where a.tenant_id = ${tenantId}
      and a.id <> ${agentId}
      and a.deleted_at is null
      and exists (
        select 1
        from jsonb_array_elements_text(a.channel_ids) as c(id)
        where c.id::uuid = any (${uuids(channelIds)})
      )
  `)
  if (others.length > 0) throw conflict('channel_in_use', 'Another agent serves one of the channels.')
}

/**
 * Checks that the address of handovers is that of a member. 422 handover_not_member: the installation mails no address
 * that a team chose and that is of no member.
 */
async function checkHandover(em: EntityManager, tenantId: string, email: string | null | undefined): Promise<void> {
  if (email && !(await isOfTeam(em, tenantId, email)))
    throw invalid(
      '/handover_email',
      'handover_not_member',
      'Expected the address of a member of the team who has signed in here.',
    )
}

/**
 * Creates an agent. 409 key_taken, channel_in_use, 422 model_unknown, model_ambiguous, channel_unknown,
 * channel_unsupported, handover_not_member.
 */
export async function createAgent(
  em: EntityManager,
  tenantId: string,
  fields: Fields & Pick<Agent, 'key' | 'prompt' | 'model_id'>,
  now: number,
): Promise<Agent> {
  await lockTenant(em, tenantId)
  const id = newId()
  await checkChannels(em, tenantId, fields.channel_ids ?? [], id)
  await checkHandover(em, tenantId, fields.handover_email)
  const integration_id = await integrationOf(em, fields.model_id)
  const agent = em.create(Agent, {
    ...fields,
    channel_ids: [...new Set(fields.channel_ids)],
    id,
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    integration_id,
  })
  await flushKeyed(em, 'agent')
  await touchChannels(em, tenantId, agent.channel_ids, now)
  return agent
}

/** Updates an agent. Fields that are left out stay. As `createAgent`, and 404. */
export async function updateAgent(
  em: EntityManager,
  tenantId: string,
  id: string,
  fields: Fields,
  now: number,
): Promise<Agent> {
  await lockTenant(em, tenantId)
  const agent = await findRecord(em, Agent, { id, deleted_at: null }, 'agent')
  if (fields.channel_ids) await checkChannels(em, tenantId, fields.channel_ids, id)
  if (fields.handover_email !== agent.handover_email) await checkHandover(em, tenantId, fields.handover_email)
  const before = new Set(agent.channel_ids)
  const changes = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const channels = fields.channel_ids ? { channel_ids: [...new Set(fields.channel_ids)] } : {}
  em.assign(agent, {
    ...changes,
    ...channels,
    ...(fields.model_id === undefined ? {} : { integration_id: await integrationOf(em, fields.model_id) }),
    updated_at: now,
  })
  await flushKeyed(em, 'agent')
  await touchChannels(em, tenantId, [...before.symmetricDifference(new Set(agent.channel_ids))], now)
  return agent
}

/** Hides the agent with its chats at once, which are deleted in batches. 404. */
export async function removeAgent(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  await lockTenant(em, tenantId)
  const agent = await findRecord(em, Agent, { id, deleted_at: null }, 'agent')
  const { channel_ids } = agent
  em.assign(agent, { deleted_at: now, channel_ids: [], updated_at: now })
  await em.flush()
  await touchChannels(em, tenantId, channel_ids, now)
}
