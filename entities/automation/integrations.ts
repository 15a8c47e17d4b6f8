// Changes of integrations. Of a payment, shipping or analytics provider one is active: another one that becomes active
// takes its place.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import {
  cardSecretsOf,
  ExclusiveCategory,
  type IntegrationProvider,
  type IntegrationProviderChange,
  OAUTH_CONNECTION,
  providerOf,
  rotated,
  type Stored,
} from '../../rules/automation/integrations.ts'
import { conflict, invalid } from '../../rules/refusal.ts'
import { Agent } from '../agents/agent.ts'
import { checkService, dropChannel, followIntegration, isServed } from '../agents/channels.ts'
import { findRecord } from '../kit/find.ts'
import { newId } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { isCharging, isRefundable } from '../payments/charging-account.ts'
import { isResearching } from '../research/research-runs.ts'
import { lockTenant } from '../stores/tenant-lock.ts'
import { Integration } from './integration.ts'
import { removeConnection } from './oauth-exchanges.ts'

type Input = { key: string; provider: z.output<typeof IntegrationProvider> }
type Change = {
  key?: string | undefined
  provider?: z.output<typeof IntegrationProviderChange> | undefined
  same_account?: boolean | undefined
}

const columnsOf = ({ credentials, ...stored }: Stored) => ({ ...stored, credentials: JSON.stringify(credentials) })

/** Makes the active integration of the category inactive, if `id` becomes the active one. */
async function takeOver(
  em: EntityManager,
  { id, category, active }: Pick<Integration, 'id' | 'category' | 'active'>,
  now: number,
): Promise<void> {
  if (!active || !ExclusiveCategory.safeParse(category).success) return
  await em.nativeUpdate(Integration, { category, active: true, id: { $ne: id } }, { active: false, updated_at: now })
}

/** Creates an integration. 409 key_taken, 422 invalid_input. */
export async function createIntegration(
  em: EntityManager,
  tenantId: string,
  { key, provider }: Input,
  now: number,
): Promise<Integration> {
  const stored = { ...providerOf(provider.type, provider), id: newId() }
  await lockTenant(em, tenantId)
  await takeOver(em, stored, now)
  const integration = em.create(Integration, {
    ...columnsOf(stored),
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    key,
    type: provider.type,
  })
  await flushKeyed(em, 'integration')
  if (stored.category === 'channel') await followIntegration(em, integration, null, now)
  return integration
}

/**
 * The secrets of a `card_payment` after a change. Rows name its account by the integration: another secret key, unless
 * its owner says that it is of the same account, is refused while anything may be sent there. 409 integration_in_use.
 * `now` in Unix seconds.
 */
async function changedSecrets(
  em: EntityManager,
  { id, tenant_id, credentials }: Integration,
  after: Stored,
  isSame: boolean,
  now: number,
): Promise<Stored> {
  const before = cardSecretsOf(credentials as string)
  const secrets = cardSecretsOf(JSON.stringify(after.credentials))
  const isOther = before.secret_key !== secrets.secret_key && !isSame
  if (isOther && ((await isCharging(em, tenant_id, id)) || (await isRefundable(em, tenant_id, id))))
    throw conflict(
      'integration_in_use',
      'Payments were made in the account of the present key. For another account create another integration. If this is another key of the same account, send `same_account: true`.',
    )
  return { ...after, credentials: rotated(before, secrets, !isOther, now) }
}

/**
 * Updates an integration. Fields that are left out stay. 404, 409 key_taken, integration_in_use, 422 cannot_change for
 * another type, or another service of a bot with chats, 422 invalid_input.
 */
export async function updateIntegration(
  em: EntityManager,
  tenantId: string,
  id: string,
  { key, provider = {}, same_account = false }: Change,
  now: number,
): Promise<Integration> {
  await lockTenant(em, tenantId)
  const integration = await findRecord(em, Integration, { id, category: { $ne: 'drive' } }, 'integration', {
    lockMode: LockMode.PESSIMISTIC_WRITE,
  })
  const { type, settings, active } = integration
  if (type === OAUTH_CONNECTION)
    throw invalid('/key', 'cannot_change', 'A connection is changed by `oauth/connect` and `oauth/disconnect`.')
  if (provider.type !== undefined && provider.type !== type)
    throw invalid('/provider/type', 'cannot_change', 'The type of an integration cannot be changed.')
  const sent = providerOf(type, provider, {
    settings,
    active,
    credentials: JSON.parse(integration.credentials as string),
  })
  const stored =
    type === 'card_payment' ? { ...sent, ...(await changedSecrets(em, integration, sent, same_account, now)) } : sent
  const before = { settings, credentials: integration.credentials }
  if (stored.category === 'channel') await checkService(em, integration, columnsOf(stored), before)
  await takeOver(em, { ...stored, id }, now)
  em.assign(integration, { ...columnsOf(stored), ...(key === undefined ? {} : { key }), updated_at: now })
  await flushKeyed(em, 'integration')
  if (stored.category === 'channel') await followIntegration(em, integration, before, now)
  return integration
}

/** Tokens of a connection are revoked. 404, 409 integration_in_use. */
export async function removeIntegration(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  await lockTenant(em, tenantId)
  const integration = await findRecord(em, Integration, { id, category: { $ne: 'drive' } }, 'integration')
  if (integration.type === OAUTH_CONNECTION) await removeConnection(em, integration, now)
  else {
    if (await isCharging(em, tenantId, id))
      throw conflict(
        'integration_in_use',
        'A payment form is open, a payment is authorized or a refund is not settled in its account.',
      )
    if ((await em.count(Agent, { integration_id: id, deleted_at: null })) > 0)
      throw conflict('integration_in_use', 'An agent uses the model of the integration.')
    if (await isResearching(em, id))
      throw conflict(
        'integration_in_use',
        'A run of lead research that has not ended uses the model of the integration.',
      )
    if (await isServed(em, tenantId, id))
      throw conflict('integration_in_use', 'An agent serves the channel of the integration.')
    if (integration.category === 'channel') await dropChannel(em, integration, now)
    await em.nativeDelete(Integration, { id })
  }
}
