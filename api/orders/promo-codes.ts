// What a store's codes take off; how often each was used is counted by checkouts, and by nobody else.
import { z } from 'zod'
import { PromoCode } from '../../entities/orders/promo-code.ts'
import { createPromoCode, removePromoCode, updatePromoCode } from '../../entities/orders/promo-codes.ts'
import { distinctPlaces } from '../../rules/distinct.ts'
import { codeKey } from '../../rules/promo-codes.ts'
import { notFound } from '../../rules/refusal.ts'
import { anyCase, Condition, Discount, Id, PromoCodeStatus } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { many, searchText } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

const PromoCodeOut = z
  .object({
    id: z.string(),
    code: z.string(),
    status: PromoCodeStatus,
    discounts: z.array(Discount),
    conditions: z.array(Condition),
    uses: z.int().describe('redemptions; not writable'),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'PromoCode' })

/** Buyers type it: nothing that they cannot see, and no space within. */
const Code = z
  .string()
  .trim()
  .max(64)
  .regex(/^[^\s\p{Cc}\p{Cf}\p{Cs}]+$/u, 'one character at least, without spaces and control characters')

const Discounts = z
  .array(Discount)
  .min(1)
  .max(100)
  .check(
    distinctPlaces((discounts) =>
      discounts.map((one, index) =>
        one.type === 'audience_percentage'
          ? { key: JSON.stringify([one.audience_id, one.tier_ids.toSorted(), one.price_ids.toSorted()]), path: [index, 'audience_id'] }
          : { key: `${one.type} ${one.market_key}`, path: [index, 'market_key'] },
      ),
    ),
  )
  .describe('applied in this order, each on what the former left; one of a type per market, one per audience, its tiers and prices')
const Conditions = z.array(Condition).max(50).describe('all of them have to hold')
const Status = anyCase(PromoCodeStatus)

export const promoCodes = [
  listing('GET /v1/stores/{storeId}/promo-codes', {
    may: 'admin',
    summary: 'List the promo codes',
    entity: PromoCode,
    item: PromoCodeOut,
    sorts: ['code'],
    idsAlone: true,
    filters: {
      ids: filter(many(Id).describe('when given, other filters are ignored'), (ids) => ({ id: { $in: ids } })),
      status: filter(Status, (status) => ({ status })),
      query: filter(searchText().describe('how the code begins, in any case'), (query) => ({
        code_key: { $like: `${codeKey(query).replaceAll(/[\\%_]/g, '\\$&')}%` },
      })),
    },
  }),
  route('GET /v1/stores/{storeId}/promo-codes/{id}', {
    may: 'admin',
    summary: 'Read a promo code',
    out: PromoCodeOut,
    run: ({ em, path }) => em.findOneOrFail(PromoCode, { id: path.id }, { failHandler: () => notFound('promo code') }),
  }),
  route('POST /v1/stores/{storeId}/promo-codes', {
    may: 'admin',
    summary: 'Add a promo code; it is active unless told otherwise',
    description: 'Codes are compared without case, so two that differ by it alone are one: 409 `code_taken`.',
    body: z.object({ code: Code, discounts: Discounts, conditions: Conditions, status: Status.optional() }),
    out: PromoCodeOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createPromoCode(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/promo-codes/{id}', {
    may: 'admin',
    summary: 'Change a promo code; orders that used it keep what it took off',
    description: 'What is left out stays; `discounts` and `conditions` are complete lists.',
    body: z.object({ code: Code.optional(), discounts: Discounts.optional(), conditions: Conditions.optional(), status: Status.optional() }),
    out: PromoCodeOut,
    run: ({ em, path, body, now }) => updatePromoCode(em, path.id, body, now),
  }),
  route('DELETE /v1/stores/{storeId}/promo-codes/{id}', {
    may: 'admin',
    summary: 'Remove a promo code with the count of its uses; orders keep what it took off',
    out: Success,
    async run({ em, path }) {
      await removePromoCode(em, path.id)
      return success
    },
  }),
]
