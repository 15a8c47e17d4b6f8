// Tiers of a paid audience, with their prices.
import { z } from 'zod'
import { Audience } from '../../entities/audiences/audience.ts'
import { AudienceTier } from '../../entities/audiences/audience-tier.ts'
import { createTier, type TierRow, updateTier, withPrices } from '../../entities/audiences/tiers.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { findRecord, mustExist } from '../../entities/kit/find.ts'
import { isProvisioning } from '../../entities/prices/price-provisions.ts'
import { PRICES_MAX, PriceInterval } from '../../rules/audiences/audiences.ts'
import { AudienceTierOut, TierProvider } from '../../rules/audiences/resources.ts'
import { Key } from '../../rules/input/identities.ts'
import { Amount, ArchivableStatus, anyCase, Currency, Id } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'
import { Name } from './audiences.ts'

const Terms = {
  amount: Amount.describe("Amount in minor units of the currency: 0, or at least the provider's minimum for cards."),
  currency: Currency.describe('Currency, ISO 4217.'),
  interval: PriceInterval.nullish()
    .transform((interval) => interval ?? null)
    .describe('How often it is charged; null or left out: once, for access without an end.'),
  status: anyCase(ArchivableStatus).optional().describe('`active` by default.'),
}
const NewPrice = z.strictObject(Terms)
const readOnly = {
  ready: z.unknown().optional().describe('Ignored.'),
  error: z.unknown().optional().describe('Ignored.'),
}
const Price = z.strictObject({
  id: Id.optional().describe('Identifier of a price of the tier; left out, the price is added.'),
  ...Terms,
  ...readOnly,
})

const fields = {
  description: z
    .string()
    .max(5_000)
    .nullish()
    .describe('Description of the tier, 5,000 characters at most; null for none.'),
  benefits: z
    .array(z.string().min(1).max(500))
    .max(50)
    .optional()
    .describe('What members of the tier get, one text per benefit, 50 at most.'),
  status: anyCase(ArchivableStatus).optional().describe('`active` tiers can be subscribed to. `active` by default.'),
  provider: TierProvider.nullish().describe("The {store}'s payment provider, which charges the prices; null for none."),
}

const rules =
  '409 `audience_not_paid`: only paid audiences have tiers. 422 `payment_provider_unknown`. Amounts are 0, or at least the minimum for cards in a multiple that cards can be charged.'

const provisioning =
  'Prices above 0 with an interval are created at the payment provider, and the answer waits for that: each is `ready` or has an `error`; neither, if the provider ' +
  'has not answered in time, if the tier has no provider, or if the provider is not connected yet, which creates them.'

async function shown(em: EntityManager, tier: TierRow) {
  const [one] = await withPrices(em, [tier])
  return one as NonNullable<typeof one>
}

/** The tier as it is now, and its id if its prices are waited for. */
async function answered(
  em: EntityManager,
  { tier, requested }: { tier: AudienceTier; requested: boolean },
  status?: number,
) {
  return new Reply(await shown(em, tier), {
    ...(status ? { status } : {}),
    pending: requested ? tier.id : undefined,
  })
}

/** The tier, once none of its prices is being created at the provider. */
async function settled({ em, tenant_id, pending: id }: { em: EntityManager; tenant_id: string; pending: string }) {
  const isOpen = await isProvisioning(em, tenant_id, id)
  const tier = await shown(em, await findRecord(em, AudienceTier, { id }, 'tier'))
  return isOpen ? new NotYet(tier) : tier
}

export const tiers = [
  listing('GET /v1/stores/{storeId}/audiences/{audienceId}/tiers', {
    may: 'admin',
    summary: 'List the tiers of an audience',
    entity: AudienceTier,
    item: AudienceTierOut,
    filters: { status: filter(anyCase(ArchivableStatus), (status) => ({ status })) },
    async scope({ em, path }) {
      await mustExist(em, Audience, { id: path.audienceId }, 'audience')
      return { audience_id: path.audienceId }
    },
    load: (em, rows: TierRow[]) => withPrices(em, rows),
  }),
  route('GET /v1/stores/{storeId}/audiences/{audienceId}/tiers/{id}', {
    may: 'admin',
    summary: 'Read a tier',
    out: AudienceTierOut,
    run: async ({ em, path }) =>
      shown(em, await findRecord(em, AudienceTier, { id: path.id, audience_id: path.audienceId }, 'tier')),
  }),
  route('POST /v1/stores/{storeId}/audiences/{audienceId}/tiers', {
    may: 'admin',
    refuses: ['audience_archived', 'audience_not_paid', 'key_taken', 'tiers_too_many', 'payment_provider_unknown'],
    summary: 'Add a tier to a paid audience',
    description: `An audience has at most 50 tiers, and a tier ${PRICES_MAX} prices. 409 \`key_taken\` if another tier of the audience has the key. ${provisioning} ${rules}`,
    body: z.object({
      key: Key.describe('Key of the tier, unique in the audience, of 1 to 255 printable characters.'),
      name: Name.optional().describe('Name of the tier for people; its key by default.'),
      ...fields,
      prices: z.array(NewPrice).max(PRICES_MAX).optional().describe('Prices of the tier, in their order.'),
    }),
    out: AudienceTierOut,
    status: 201,
    run: async ({ em, tenant_id, path, body, now }) =>
      answered(em, await createTier(em, tenant_id, path.audienceId, { ...body, name: body.name ?? body.key }, now)),
    wait: { until: settled },
  }),
  route('PUT /v1/stores/{storeId}/audiences/{audienceId}/tiers/{id}', {
    may: 'admin',
    refuses: [
      'audience_archived',
      'audience_not_paid',
      'key_taken',
      'payment_provider_unknown',
      'price_immutable',
      'provider_fixed',
    ],
    summary: 'Update a tier and its prices',
    description:
      'Fields that are left out are kept. `prices` is the list by `id`: a price without an id is added, and one that is left out is archived, which members who have it do not notice. ' +
      '422 `price_immutable` for another amount, currency or interval of a stored price: leave it out and add another. 409 `provider_fixed` for another provider once prices were created ' +
      `at the first. An update requests prices whose creation had an \`error\` again. ${provisioning} ${rules}`,
    body: z.object({
      key: Key.optional().describe('Key of the tier, unique in the audience. Left out, it is kept.'),
      name: Name.optional().describe('Name of the tier for people. Left out, it is kept.'),
      ...fields,
      prices: z
        .array(Price)
        .max(PRICES_MAX)
        .optional()
        .describe('Prices of the tier by id, in their order. Left out, all are kept.'),
    }),
    out: AudienceTierOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      answered(em, await updateTier(em, tenant_id, { audience_id: path.audienceId, id: path.id }, body, now)),
    wait: { until: settled },
  }),
]
