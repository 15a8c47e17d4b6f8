// A code takes something off exactly when all of its conditions hold, and whoever is refused is told why.

import type { ArchivableStatus, Condition, Discount } from '../shapes.ts'
import type { ResolvedDiscount } from './pricing.ts'

/** A contact's membership of an audience; none exist until audiences do. */
export type Membership = { audience_id: string; tier_id: string | null; price_id: string | null }

/** One line of the cart; subtotal is before discount, in minor units of the market's currency. */
export type PromoLine = { id: string; kind: 'product' | 'digital' | 'booking'; product_id?: string; service_id?: string; subtotal: number }

export type PromoFacts = {
  status: ArchivableStatus
  discounts: readonly Discount[]
  conditions: readonly Condition[]
  /** Redemptions by anybody; this order's own is not counted. */
  uses: number
  /** Redemptions by this contact; this order's own is not counted. */
  contact_uses: number
}

export type PromoRefusal = 'promo_code_invalid' | 'promo_code_expired' | 'promo_code_exhausted' | 'promo_code_not_applicable'

export type PromoVerdict = { ok: true; discounts: ResolvedDiscount[] } | { ok: false; code: PromoRefusal; detail: string }

const refuse = (code: PromoRefusal, detail: string): PromoVerdict => ({ ok: false, code, detail })

/** How codes are compared: trimmed, without case, however an accent was typed. Upper case, unlike lower, does not depend on what follows. */
export const codeKey = (code: string): string => code.trim().toUpperCase().normalize('NFC')

const ofType = <T extends Condition['type']>(conditions: readonly Condition[], type: T) =>
  conditions.filter((one): one is Extract<Condition, { type: T }> => one.type === type)

const leastCount = (conditions: readonly Condition[], type: 'max_uses' | 'max_uses_per_user'): number | null =>
  ofType(conditions, type).reduce<number | null>((least, { count }) => (least === null ? count : Math.min(least, count)), null)

/** How often the code can be used by everybody together: the least of its max_uses; null without one. */
export const maxUsesOf = (conditions: readonly Condition[]): number | null => leastCount(conditions, 'max_uses')

/** How often one contact can use the code: the least of its max_uses_per_user; null without one. */
export const maxUsesPerUserOf = (conditions: readonly Condition[]): number | null => leastCount(conditions, 'max_uses_per_user')

/** What every list names; null without any list. Each look at an id is one look into a set: 48 lists of 500 ids meet carts of 500 lines. */
const inEvery = (lists: readonly (readonly string[])[]): ReadonlySet<string> | null =>
  lists.length === 0 ? null : lists.slice(1).reduce((left, list) => new Set(list.filter((id) => left.has(id))), new Set(lists[0]))

/** Lines that `products` and `services` leave: each narrows to its own kind, both together to the two kinds, neither not at all. */
const eligibleLines = (conditions: readonly Condition[], lines: readonly PromoLine[]): PromoLine[] => {
  const products = inEvery(ofType(conditions, 'products').map(({ product_ids }) => product_ids))
  const services = inEvery(ofType(conditions, 'services').map(({ service_ids }) => service_ids))
  if (!products && !services) return [...lines]
  return lines.filter(({ kind, product_id = '', service_id = '' }) => (kind === 'booking' ? services?.has(service_id) : products?.has(product_id)))
}

type AudienceDiscount = Extract<Discount, { type: 'audience_percentage' }>

/** One and the same membership has to be of the audience, the tier and the price that are named. */
const isFor = ({ audience_id, tier_ids, price_ids }: AudienceDiscount, memberships: readonly Membership[]) =>
  memberships.some(
    (one) =>
      one.audience_id === audience_id &&
      (tier_ids.length === 0 || (one.tier_id !== null && tier_ids.includes(one.tier_id))) &&
      (price_ids.length === 0 || (one.price_id !== null && price_ids.includes(one.price_id))),
  )

const resolve = (discount: Discount, line_ids: readonly string[]): ResolvedDiscount => {
  if (discount.type === 'shipping_percentage') return { type: discount.type, bps: discount.bps }
  if (discount.type === 'items_fixed') return { type: discount.type, amount: discount.amount, line_ids }
  return { type: 'items_percentage', bps: discount.bps, line_ids }
}

/**
 * What a code takes off this cart, in the order in which the code gives it, or the first reason why nothing: it is no code (any more), it is
 * over, it is used up, it does not fit this cart. `now` in Unix seconds, amounts in minor units of the market's currency; a date range holds
 * at both of its ends. Details are sentences for the buyer (API document 1, PromoCode and Promo codes; design: commerce, Arithmetic 2).
 */
export const evaluatePromoCode = ({
  code,
  market_key,
  lines,
  memberships,
  now,
}: {
  code: PromoFacts | null
  market_key: string
  lines: readonly PromoLine[]
  memberships: readonly Membership[]
  now: number
}): PromoVerdict => {
  if (!code || code.status === 'archived') return refuse('promo_code_invalid', 'There is no such promo code.')
  const { conditions } = code

  const ranges = ofType(conditions, 'date_range')
  if (ranges.some(({ end }) => end != null && now > end)) return refuse('promo_code_expired', 'The promo code has expired.')

  const [uses, usesPerUser] = [maxUsesOf(conditions), maxUsesPerUserOf(conditions)]
  if (uses !== null && code.uses >= uses) return refuse('promo_code_exhausted', 'The promo code was used as often as it may be.')
  if (usesPerUser !== null && code.contact_uses >= usesPerUser) {
    return refuse('promo_code_exhausted', 'You have used the promo code as often as one customer may.')
  }

  if (ranges.some(({ start }) => start != null && now < start)) return refuse('promo_code_not_applicable', 'The promo code is not valid yet.')
  const subtotal = lines.reduce((sum, line) => sum + line.subtotal, 0)
  if (ofType(conditions, 'min_order_amount').some(({ amount }) => subtotal < amount)) {
    return refuse('promo_code_not_applicable', 'The order is too small for the promo code.')
  }
  const eligible = eligibleLines(conditions, lines).map(({ id }) => id)
  if (eligible.length === 0) return refuse('promo_code_not_applicable', 'The promo code is not for anything in the cart.')

  const inMarket = code.discounts.filter((discount) => discount.type === 'audience_percentage' || discount.market_key === market_key)
  if (inMarket.length === 0) return refuse('promo_code_not_applicable', 'The promo code is not for this market.')
  const fitting = inMarket.filter((discount) => discount.type !== 'audience_percentage' || isFor(discount, memberships))
  if (fitting.length === 0) return refuse('promo_code_not_applicable', 'The promo code is only for members.')
  return { ok: true, discounts: fitting.map((discount) => resolve(discount, eligible)) }
}
