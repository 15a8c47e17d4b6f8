// Promo codes of a store. Only checkouts change their number of uses.
import { z } from 'zod'
import { PromoCode } from '../../entities/promotions/promo-code.ts'
import { createPromoCode, removePromoCode, updatePromoCode } from '../../entities/promotions/promo-codes.ts'
import { distinctPlaces } from '../../rules/input/distinct.ts'
import { ComparedText } from '../../rules/input/texts.ts'
import { Condition, Discount } from '../../rules/promotions/promo-code-shapes.ts'
import { codeKey } from '../../rules/promotions/promo-codes.ts'
import { ArchivableStatus, anyCase, CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { byIdsAlone, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { searchText } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const PromoCodeOut = z
  .object({
    id: z.string().describe('Identifier of the promo code, a UUIDv7 made by the server.'),
    code: z.string().describe('The code that customers enter. Case is ignored.'),
    status: ArchivableStatus.describe('`active` codes can be redeemed; `archived` ones cannot.'),
    discounts: z.array(Discount).describe('Discounts, applied in this order, each to what the previous one left.'),
    conditions: z.array(Condition).describe('Conditions that must all be met.'),
    uses: z.int().describe('Number of redemptions. Set by the server.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'PromoCode' })

/** Buyers type the code: no invisible characters and no spaces. */
const Code = ComparedText.trim()
  .max(64)
  .regex(/^[^\s\p{Cc}\p{Cf}\p{Cs}]+$/u, 'Expected one or more characters without spaces and control characters.')

const Discounts = z
  .array(Discount)
  .min(1)
  .max(100)
  .check(
    distinctPlaces((discounts) =>
      discounts.map((one, index) =>
        one.type === 'audience_percentage'
          ? {
              key: JSON.stringify([one.audience_id, one.tier_ids.toSorted(), one.price_ids.toSorted()]),
              path: [index, 'audience_id'],
            }
          : { key: `${one.type} ${one.market_key}`, path: [index, 'market_key'] },
      ),
    ),
  )

const Conditions = z.array(Condition).max(50)
const Status = anyCase(ArchivableStatus)

export const promoCodes = [
  listing('GET /v1/stores/{storeId}/promo-codes', {
    may: 'admin',
    summary: 'List the promo codes',
    entity: PromoCode,
    item: PromoCodeOut,
    sorts: ['code'],
    idsAlone: true,
    filters: {
      ...byIdsAlone,
      status: filter(Status, (status) => ({ status })),
      query: filter(searchText().describe('Beginning of the code, in any case.'), (query) => ({
        code_key: { $like: `${codeKey(query).replaceAll(/[\\%_]/g, '\\$&')}%` },
      })),
    },
  }),
  reading('GET /v1/stores/{storeId}/promo-codes/{id}', {
    may: 'admin',
    summary: 'Read a promo code',
    entity: PromoCode,
    out: PromoCodeOut,
  }),
  route('POST /v1/stores/{storeId}/promo-codes', {
    may: 'admin',
    refuses: ['code_taken', 'market_unknown'],
    summary: 'Create a promo code',
    description:
      'Case is ignored when codes are compared. 409 `code_taken` if another promo code of the {store} is equal.',
    body: z.object({
      code: Code.describe('The code that customers enter, unique in the {store}. Case is ignored.'),
      discounts: Discounts.describe(
        'Discounts, applied in this order, each to what the previous one left. At most one of a kind per market, or per audience with its tiers and prices.',
      ),
      conditions: Conditions.default([]).describe('Conditions that must all be met, 50 at most; none by default.'),
      status: Status.optional().describe(
        '`active` codes can be redeemed; `archived` ones cannot. `active` by default.',
      ),
    }),
    out: PromoCodeOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createPromoCode(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/promo-codes/{id}', {
    may: 'admin',
    refuses: ['code_taken', 'market_unknown'],
    summary: 'Update a promo code',
    description:
      'Fields that are left out are kept. `discounts` and `conditions` replace the stored lists. 409 `code_taken` if another promo code of the {store} is equal.',
    body: z.object({
      code: Code.optional().describe('The code that customers enter, unique in the {store}. Left out, it is kept.'),
      discounts: Discounts.optional().describe('Replaces the discounts. Left out, they are kept.'),
      conditions: Conditions.optional().describe('Replaces the conditions. Left out, they are kept.'),
      status: Status.optional().describe(
        '`active` codes can be redeemed; `archived` ones cannot. Left out, it is kept.',
      ),
    }),
    out: PromoCodeOut,
    run: ({ em, path, body, now }) => updatePromoCode(em, path.id, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/promo-codes/{id}', {
    may: 'admin',
    summary: 'Delete a promo code',
    description: 'Its number of uses is deleted too. Orders keep their discount.',
    remove: ({ em, path }) => removePromoCode(em, path.id),
  }),
]
