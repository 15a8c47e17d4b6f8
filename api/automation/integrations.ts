// Integrations: accounts at payment, shipping, AI and other providers. Secrets are write-only. Drives have routes of
// their own (workflow-connections.ts).
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { channelsOf, type ShownChannel } from '../../entities/agents/channels.ts'
import { Integration } from '../../entities/automation/integration.ts'
import { createIntegration, removeIntegration, updateIntegration } from '../../entities/automation/integrations.ts'
import { decryptIfPossible } from '../../entities/kit/encrypted.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { ChannelStatus } from '../../rules/agents/channels.ts'
import {
  configOf,
  ExclusiveCategory,
  IntegrationCategory,
  IntegrationConfig,
  IntegrationProvider,
  IntegrationProviderChange,
  IntegrationProviderOut,
  shownProvider,
} from '../../rules/automation/integrations.ts'
import { Key } from '../../rules/input/identities.ts'
import { notFound } from '../../rules/refusal.ts'
import { anyCase, CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { byIdsAlone, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'

const Category = IntegrationCategory.exclude(['drive'])

const common = {
  id: z.string().describe('Identifier of the integration, a UUIDv7 made by the server.'),
  key: z.string().describe('Name of the integration, unique in the {store}.'),
  type: z.string().describe('Type of the provider.'),
  category: Category.describe('Category of the type.'),
}
const ChannelOut = z
  .object({
    status: ChannelStatus.describe(
      '`connected`: messages to the bot arrive. `pending`: it is being connected, or no agent serves it. `failed`: see `error`.',
    ),
    error: z
      .object({
        code: z.string().describe('Stable code.'),
        message: z.string().describe('What was wrong.'),
        provider_status: z.int().optional().describe('HTTP status of the bot API, if it answered.'),
      })
      .nullable()
      .describe('Why the bot could not be connected; null for no error. An update of the integration tries again.'),
    username: z.string().nullable().describe('Name of the bot at the provider, once it is known.'),
  })
  .meta({ id: 'IntegrationChannel' })
export const IntegrationOut = z
  .object({
    ...common,
    provider: IntegrationProviderOut,
    channel: ChannelOut.optional().describe('State of the bot of a `chat_bot`; other integrations lack it.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Integration', description: 'An account at a provider. Secrets are write-only.' })
const ActiveIntegration = z.object({ ...common, provider: IntegrationConfig }).meta({ id: 'ActiveIntegration' })

const key = Key.describe('Name of the integration, unique in the {store}, of 1 to 255 printable characters.')

type Row = Pick<
  Integration,
  'id' | 'key' | 'type' | 'category' | 'active' | 'settings' | 'created_at' | 'updated_at'
> & { credentials: unknown }
/** `category`: the routes show no drives. */
export const shown = ({ category, credentials, ...row }: Row, channel?: ShownChannel) => ({
  ...row,
  category: category as z.output<typeof Category>,
  provider: shownProvider(row, JSON.parse(String(credentials))),
  ...(channel && { channel }),
})
const shownWith = async (em: EntityManager, tenantId: string, row: Integration) =>
  shown(row, (await channelsOf(em, tenantId, [row])).get(row.id))

export const integrations = [
  listing('GET /v1/stores/{storeId}/integrations', {
    may: 'owner',
    summary: 'List the integrations',
    entity: Integration,
    item: IntegrationOut,
    sorts: ['key'],
    idsAlone: true,
    filters: {
      ...byIdsAlone,
      category: filter(anyCase(Category).describe('Only integrations of this category.'), (category) => ({ category })),
      type: filter(z.string().max(41), (type) => ({ type })),
    },
    scope: () => ({ category: { $ne: 'drive' } }),
    unmanaged: true,
    async load(em, rows: Integration[], { tenant_id }) {
      const channels = await channelsOf(em, tenant_id, rows)
      return rows.map((row) =>
        shown({ ...row, credentials: decryptIfPossible(row.credentials as string) ?? '{}' }, channels.get(row.id)),
      )
    },
  }),
  reading('GET /v1/stores/{storeId}/integrations/{id}', {
    may: 'owner',
    summary: 'Read an integration',
    entity: Integration,
    out: IntegrationOut,
    where: ({ path }) => ({ id: path.id, category: { $ne: 'drive' as const } }),
    show: (row, { em, tenant_id }) => shownWith(em, tenant_id, row),
  }),
  route('POST /v1/stores/{storeId}/integrations', {
    may: 'owner',
    refuses: ['key_taken'],
    summary: 'Create an integration',
    description:
      'The provider is not contacted, except for a `chat_bot`: its token is checked afterwards, and its webhook is set as soon as an agent serves it. An active `card_payment` charges cards in its own account: its `webhook_secret` signs the events that the provider sends to ' +
      '`POST /v1/webhooks/stripe/{integrationId}`. Of payment, shipping and analytics providers one is active: if the flag of this one is true, it takes the place of the ' +
      'active one. 409 `key_taken` if another integration has the key.',
    body: z.object({
      key,
      provider: IntegrationProvider.describe('The provider: its `type`, and the fields of that type.'),
    }),
    out: IntegrationOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) =>
      shownWith(em, tenant_id, await createIntegration(em, tenant_id, body, now)),
  }),
  route('PUT /v1/stores/{storeId}/integrations/{id}', {
    may: 'owner',
    refuses: ['cannot_change', 'integration_in_use', 'key_taken'],
    summary: 'Update an integration',
    description:
      'Fields of `provider` that are left out are kept, secrets too; null removes one that is not required. Another `base_url` requires the secret: stored secrets are ' +
      'sent only to the address that they were entered for. A `chat_bot` is connected again. 422 `cannot_change` for another `type`, and for a bot of another service (another `base_url` and another number in `bot_token`) once there are chats. 409 `integration_in_use` for another `secret_key` of a `card_payment` while ' +
      'anything is paid, reserved or refundable in its account, unless `same_account` is true. Events that the former `webhook_secret` signed are accepted for three days, unless it was ' +
      'removed by null first. 409 `key_taken` if another integration has the key.',
    body: z.object({
      key: key.optional(),
      provider: IntegrationProviderChange.optional().describe('Changes of the provider.'),
      same_account: z
        .boolean()
        .optional()
        .describe(
          'Says that another `secret_key` of a `card_payment` belongs to the same account at the provider. Refunds of earlier payments are sent with it.',
        ),
    }),
    out: IntegrationOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      shownWith(em, tenant_id, await updateIntegration(em, tenant_id, path.id, body, now)),
  }),
  removing('DELETE /v1/stores/{storeId}/integrations/{id}', {
    may: 'owner',
    refuses: ['integration_in_use'],
    summary: 'Delete an integration',
    description:
      'Tokens of an `oauth_connection` are revoked at the provider afterwards, and the webhook of a `chat_bot` is taken away. 409 `integration_in_use` while a payment form is ' +
      'open, a payment is authorized or a refund is not settled in its account, or an agent uses its model or serves its channel.',
    remove: ({ em, tenant_id, path, now }) => removeIntegration(em, tenant_id, path.id, now),
  }),
]

export const integrationConfigs = [
  route('GET /v1/businesses/{businessId}/integrations/config/{type}', {
    may: 'customer',
    contact: 'optional',
    operation: 'getBusinessIntegrationConfig',
    summary: 'Read the active integration of a category',
    description:
      'For storefronts: the public fields of the active provider. `type` is the category: `payment`, `shipping` or `analytics`. 404 `not_found` if no integration ' +
      'of it is active.',
    textParameters: ['type'],
    out: ActiveIntegration,
    async run({ em, path }) {
      const category = ExclusiveCategory.safeParse(path.type).data
      if (!category) throw notFound('integration')
      const { id, key, type, ...row } = await findRecord(em, Integration, { category, active: true }, 'integration')
      return { id, key, type, category, provider: configOf({ ...row, type }) }
    },
  }),
]
