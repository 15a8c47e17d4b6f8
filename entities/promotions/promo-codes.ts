// A promo code is unique in its store, compared without case, and gives discounts only in markets that exist.
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Condition, Discount } from '../../rules/promotions/promo-code-shapes.ts'
import { codeKey, maxUsesOf } from '../../rules/promotions/promo-codes.ts'
import { conflict, invalid, invalidInput, notFound } from '../../rules/refusal.ts'
import type { ArchivableStatus } from '../../rules/shapes.ts'
import { Audience } from '../audiences/audience.ts'
import { AudiencePrice } from '../audiences/audience-price.ts'
import { AudienceTier } from '../audiences/audience-tier.ts'
import { Product } from '../catalog/product.ts'
import { newId } from '../kit/ids.ts'
import { Service } from '../scheduling/service.ts'
import { Market } from '../stores/market.ts'
import { PromoCode } from './promo-code.ts'

export type PromoCodeInput = {
  code: string
  discounts: Discount[]
  conditions: Condition[]
  status?: ArchivableStatus | undefined
}

const marketsOf = (discounts: readonly Discount[]) =>
  discounts.flatMap((discount) => (discount.type === 'audience_percentage' ? [] : [discount.market_key]))

/**
 * Checks the markets of the discounts. 422 market_unknown, except for `excused`. The markets are locked until the
 * transaction ends.
 */
async function checkMarkets(
  em: EntityManager,
  discounts: readonly Discount[],
  excused: readonly string[] = [],
): Promise<void> {
  const keys = [...new Set(marketsOf(discounts))]
  if (keys.length === 0) return
  const markets = await em.find(
    Market,
    { key: { $in: keys } },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_READ },
  )
  const marketKeys = new Set([...markets.map(({ key }) => key), ...excused])
  for (const [index, discount] of discounts.entries())
    if (discount.type !== 'audience_percentage' && !marketKeys.has(discount.market_key))
      throw invalid(`/discounts/${index}/market_key`, 'market_unknown', `There is no market ${discount.market_key}.`)
}

type Named = { kind: 'product' | 'service' | 'audience' | 'tier' | 'price'; id: string; pointer: string }

const namedByDiscounts = (discounts: readonly Discount[]): Named[] =>
  discounts.flatMap((discount, at): Named[] => {
    if (discount.type !== 'audience_percentage') return []
    const place = `/discounts/${at}`
    return [
      { kind: 'audience', id: discount.audience_id, pointer: `${place}/audience_id` },
      ...discount.tier_ids.map((id, n): Named => ({ kind: 'tier', id, pointer: `${place}/tier_ids/${n}` })),
      ...discount.price_ids.map((id, n): Named => ({ kind: 'price', id, pointer: `${place}/price_ids/${n}` })),
    ]
  })

const namedByConditions = (conditions: readonly Condition[]): Named[] =>
  conditions.flatMap((condition, at): Named[] => {
    if (condition.type === 'products')
      return condition.product_ids.map((id, n) => ({
        kind: 'product',
        id,
        pointer: `/conditions/${at}/product_ids/${n}`,
      }))
    if (condition.type === 'services')
      return condition.service_ids.map((id, n) => ({
        kind: 'service',
        id,
        pointer: `/conditions/${at}/service_ids/${n}`,
      }))
    return []
  })

type Naming = { discounts?: readonly Discount[] | undefined; conditions?: readonly Condition[] | undefined }
const namedIn = ({ discounts = [], conditions = [] }: Naming): Named[] => [
  ...namedByDiscounts(discounts),
  ...namedByConditions(conditions),
]

const entities = {
  product: Product,
  service: Service,
  audience: Audience,
  tier: AudienceTier,
  price: AudiencePrice,
} as const

/**
 * Checks the records that a code names. 422 product_unknown, service_unknown, audience_unknown, tier_unknown,
 * price_unknown, except for ids that the code named before: their records may be deleted, and a record that was read
 * can be sent back.
 */
async function checkNamed(em: EntityManager, given: Naming, before: Naming = {}): Promise<void> {
  const old = new Set(namedIn(before).map(({ kind, id }) => `${kind} ${id}`))
  const named = namedIn(given).filter(({ kind, id }) => !old.has(`${kind} ${id}`))
  const idsOf = (kind: Named['kind']) => [...new Set(named.filter((one) => one.kind === kind).map(({ id }) => id))]
  const foundNames = new Set<string>()
  for (const kind of Object.keys(entities) as Named['kind'][]) {
    const ids = idsOf(kind)
    const found =
      ids.length === 0 ? [] : await em.find(entities[kind] as typeof Product, { id: { $in: ids } }, { fields: ['id'] })
    for (const { id } of found) foundNames.add(`${kind} ${id}`)
  }
  const faults = named
    .filter(({ kind, id }) => !foundNames.has(`${kind} ${id}`))
    .map(({ kind, pointer }) => ({ pointer, code: `${kind}_unknown`, detail: `There is no such ${kind}.` }))
  if (faults.length > 0) throw invalidInput(faults)
}

/** Flushes. A 409 ends the transaction. */
async function flushCode(em: EntityManager): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (
      !(error instanceof UniqueConstraintViolationException) ||
      !/promo_codes_tenant_id_code_key_unique/.test(error.message)
    )
      throw error
    const detail = 'The {store} has this code already; codes are compared without case.'
    throw conflict('code_taken', detail, { faults: [{ pointer: '/code', code: 'code_taken', detail }] })
  }
}

/** Creates a promo code. 409 code_taken, 422 market_unknown and those of checkNamed. */
export async function createPromoCode(
  em: EntityManager,
  tenantId: string,
  { status = 'active', ...input }: PromoCodeInput,
  now: number,
): Promise<PromoCode> {
  await checkMarkets(em, input.discounts)
  await checkNamed(em, input)
  const row = {
    id: newId(),
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    uses: 0,
    code_key: codeKey(input.code),
  }
  const promo = em.create(PromoCode, { ...row, ...input, status, max_uses: maxUsesOf(input.conditions) })
  await flushCode(em)
  return promo
}

/**
 * Updates a promo code. Fields that are left out stay. Waits for checkouts that redeem the code. 404, 409 code_taken,
 * 422 market_unknown and those of checkNamed.
 */
export async function updatePromoCode(
  em: EntityManager,
  id: string,
  input: Partial<PromoCodeInput>,
  now: number,
): Promise<PromoCode> {
  const promo = await em.findOneOrFail(
    PromoCode,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('promo code') },
  )
  // An archived code does not keep its markets from being deleted; they are checked again when the code is activated.
  const archived = (input.status ?? promo.status) === 'archived'
  await checkMarkets(em, input.discounts ?? promo.discounts, archived ? marketsOf(promo.discounts) : [])
  await checkNamed(em, input, promo)
  em.assign(promo, { ...input, updated_at: now })
  em.assign(promo, { code_key: codeKey(promo.code), max_uses: maxUsesOf(promo.conditions) })
  await flushCode(em)
  return promo
}

/** Deletes its redemptions, too; orders keep the text of the code. 404. */
export async function removePromoCode(em: EntityManager, id: string): Promise<void> {
  if ((await em.nativeDelete(PromoCode, { id })) === 0) throw notFound('promo code')
}
