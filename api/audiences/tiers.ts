// Tiers of a paid audience, with their prices.
import { z } from 'zod'
import { Audience } from '../../entities/audiences/audience.ts'
import { AudienceTier } from '../../entities/audiences/audience-tier.ts'
import { createTier, type TierRow, updateTier, withPrices } from '../../entities/audiences/tiers.ts'
import { findRecord, mustExist } from '../../entities/kit/find.ts'
import type { EntityManager } from '../../entities/kit/orm.ts'
import { PRICES_MAX, PriceInterval } from '../../rules/audiences/audiences.ts'
import { AudienceTierOut, TierProvider } from '../../rules/audiences/resources.ts'
import { Key } from '../../rules/input/identities.ts'
import { Amount, ArchivableStatus, anyCase, Currency, Id } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
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
const readOnly = { ready: z.unknown().optional().describe('Ignored.'), error: z.unknown().optional().describe('Ignored.') }
const Price = z.strictObject({ id: Id.optional().describe('Identifier of a price of the tier; left out, the price is added.'), ...Terms, ...readOnly })

const fields = {
  description: z.string().max(5_000).nullish().describe('Description of the tier, 5,000 characters at most; null for none.'),
  benefits: z.array(z.string().min(1).max(500)).max(50).optional().describe('What members of the tier get, one text per benefit, 50 at most.'),
  status: anyCase(ArchivableStatus).optional().describe('`active` tiers can be subscribed to. `active` by default.'),
  provider: TierProvider.nullish().describe("The store's payment provider, which charges the prices; null for none."),
}

const rules =
  '409 `audience_not_paid`: only paid audiences have tiers. 422 `payment_provider_unknown`. Amounts are 0, or at least the minimum for cards in a multiple that cards can be charged.'

const shown = async (em: EntityManager, tier: TierRow) => (await withPrices(em, [tier]))[0] as never

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
    run: async ({ em, path }) => shown(em, (await findRecord(em, AudienceTier, { id: path.id, audience_id: path.audienceId }, 'tier')) as unknown as TierRow),
  }),
  route('POST /v1/stores/{storeId}/audiences/{audienceId}/tiers', {
    may: 'admin',
    refuses: ['audience_archived', 'audience_not_paid', 'key_taken', 'tiers_too_many', 'payment_provider_unknown'],
    summary: 'Add a tier to a paid audience',
    description: `An audience has at most 50 tiers, and a tier ${PRICES_MAX} prices. 409 \`key_taken\` if another tier of the audience has the key. ${rules}`,
    body: z.object({
      key: Key.describe('Key of the tier, unique in the audience, of 1 to 255 printable characters.'),
      name: Name.optional().describe('Name of the tier for people; its key by default.'),
      ...fields,
      prices: z.array(NewPrice).max(PRICES_MAX).optional().describe('Prices of the tier, in their order.'),
    }),
    out: AudienceTierOut,
    status: 201,
    run: async ({ em, tenant_id, path, body, now }) =>
      shown(em, (await createTier(em, tenant_id, path.audienceId, { ...body, name: body.name ?? body.key }, now)) as unknown as TierRow),
  }),
  route('PUT /v1/stores/{storeId}/audiences/{audienceId}/tiers/{id}', {
    may: 'admin',
    refuses: ['audience_archived', 'audience_not_paid', 'key_taken', 'payment_provider_unknown', 'price_immutable'],
    summary: 'Update a tier and its prices',
    description:
      'Fields that are left out are kept. `prices` is the list by `id`: a price without an id is added, and one that is left out is archived, which members who have it do not notice. ' +
      `422 \`price_immutable\` for another amount, currency or interval of a stored price: leave it out and add another. ${rules}`,
    body: z.object({
      key: Key.optional().describe('Key of the tier, unique in the audience. Left out, it is kept.'),
      name: Name.optional().describe('Name of the tier for people. Left out, it is kept.'),
      ...fields,
      prices: z.array(Price).max(PRICES_MAX).optional().describe('Prices of the tier by id, in their order. Left out, all are kept.'),
    }),
    out: AudienceTierOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      shown(em, (await updateTier(em, tenant_id, { audience_id: path.audienceId, id: path.id }, body, now)) as unknown as TierRow),
  }),
]
