// Evaluates promo codes: a code grants its discounts if all of its conditions are met, otherwise the first reason is
// returned.
import { percentage, type ResolvedDiscount } from '../carts/discounts.ts'
import { cardMinimum, formatMoney } from '../payments/currencies.ts'
import { cardStep } from '../payments/provider-amounts.ts'
import type { ArchivableStatus } from '../shapes.ts'
import type { Condition, Discount } from './promo-code-shapes.ts'

/** A contact's membership of an audience, which grants access now. */
export type Membership = { audience_id: string; tier_id: string | null; price_id: string | null }

/** One line of the cart. `subtotal` is before discount, in minor units of the market's currency. */
export type PromoLine = {
  id: string
  kind: 'product' | 'digital' | 'booking'
  product_id?: string
  service_id?: string
  subtotal: number
}

export type PromoFacts = {
  status: ArchivableStatus
  discounts: readonly Discount[]
  conditions: readonly Condition[]
  /** Redemptions by all contacts, without that of this order. */
  uses: number
  /** Redemptions by this contact, or under its address, without that of this order. */
  contact_uses: number
}

export type PromoRefusal =
  | 'promo_code_invalid'
  | 'promo_code_expired'
  | 'promo_code_exhausted'
  | 'promo_code_not_applicable'

type Refused<Code = PromoRefusal> = { ok: false; code: Code; detail: string }
export type PromoVerdict = { ok: true; discounts: ResolvedDiscount[] } | Refused

const refuse = <Code = PromoRefusal>(code: Code, detail: string): Refused<Code> => ({ ok: false, code, detail })

/**
 * The form in which codes are compared: trimmed, upper case, NFC. Unlike lower case, upper case does not depend on the
 * letters that follow.
 */
export const codeKey = (code: string): string => code.trim().toUpperCase().normalize('NFC')

const ofType = <T extends Condition['type']>(conditions: readonly Condition[], type: T) =>
  conditions.filter((one): one is Extract<Condition, { type: T }> => one.type === type)

const leastCount = (conditions: readonly Condition[], type: 'max_uses' | 'max_uses_per_user'): number | null =>
  ofType(conditions, type).reduce<number | null>(
    (least, { count }) => (least === null ? count : Math.min(least, count)),
    null,
  )

/** The limit of uses by all contacts: the smallest of its `max_uses`; null for none. */
export const maxUsesOf = (conditions: readonly Condition[]): number | null => leastCount(conditions, 'max_uses')

/** The limit of uses by one contact: the smallest of its `max_uses_per_user`; null for none. */
export const maxUsesPerUserOf = (conditions: readonly Condition[]): number | null =>
  leastCount(conditions, 'max_uses_per_user')

/**
 * The intersection of the lists; null without any list. A set, as 48 lists of 500 ids may be applied to a cart of 500
 * lines.
 */
const inEvery = (lists: readonly (readonly string[])[]): ReadonlySet<string> | null =>
  lists.length === 0
    ? null
    : lists.slice(1).reduce((left, list) => new Set(list.filter((id) => left.has(id))), new Set(lists[0]))

/**
 * The lines that `products` and `services` conditions select: each selects lines of its kind; with both, lines of
 * either kind; with none, all lines.
 */
const eligibleLines = (conditions: readonly Condition[], lines: readonly PromoLine[]): PromoLine[] => {
  const products = inEvery(ofType(conditions, 'products').map(({ product_ids }) => product_ids))
  const services = inEvery(ofType(conditions, 'services').map(({ service_ids }) => service_ids))
  if (!products && !services) return [...lines]
  return lines.filter(({ kind, product_id = '', service_id = '' }) =>
    kind === 'booking' ? services?.has(service_id) : products?.has(product_id),
  )
}

type AudienceDiscount = Extract<Discount, { type: 'audience_percentage' }>

/** One membership must match the audience, the tiers and the prices of the discount. */
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

const unknownCode = refuse<PromoRefusal>('promo_code_invalid', 'There is no such promo code.')

/**
 * The first reason for a refusal that does not depend on what is bought. `subtotal` in minor units, before discount.
 */
function refusedByConditions(
  { status, conditions, ...code }: PromoFacts,
  subtotal: number,
  now: number,
): Refused | null {
  if (status === 'archived') return unknownCode
  const ranges = ofType(conditions, 'date_range')
  if (ranges.some(({ end }) => end != null && now > end))
    return refuse('promo_code_expired', 'The promo code has expired.')

  const [uses, usesPerUser] = [maxUsesOf(conditions), maxUsesPerUserOf(conditions)]
  if (uses !== null && code.uses >= uses)
    return refuse('promo_code_exhausted', 'The promo code has reached its number of uses.')
  if (usesPerUser !== null && code.contact_uses >= usesPerUser) {
    return refuse('promo_code_exhausted', 'You have used the promo code as often as a customer may.')
  }

  if (ranges.some(({ start }) => start != null && now < start))
    return refuse('promo_code_not_applicable', 'The promo code is not valid yet.')
  if (ofType(conditions, 'min_order_amount').some(({ amount }) => subtotal < amount)) {
    return refuse('promo_code_not_applicable', 'The order is too small for the promo code.')
  }
  return null
}

/**
 * The discounts of a code for this cart in their order, or the first reason for a refusal: invalid, expired,
 * exhausted, not applicable. `now` in Unix seconds, amounts in minor units of the market's currency; date ranges
 * include both ends. Details are sentences for the buyer.
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
  if (!code) return unknownCode
  const { conditions } = code
  const refused = refusedByConditions(
    code,
    lines.reduce((sum, line) => sum + line.subtotal, 0),
    now,
  )
  if (refused) return refused
  const eligible = eligibleLines(conditions, lines).map(({ id }) => id)
  if (eligible.length === 0)
    return refuse('promo_code_not_applicable', 'The promo code does not apply to any item of the cart.')

  const inMarket = code.discounts.filter((discount) =>
    discount.type === 'audience_percentage' ? discount.applies_to !== 'membership' : discount.market_key === market_key,
  )
  if (inMarket.length === 0) return refuse('promo_code_not_applicable', 'The promo code does not apply here.')
  const fitting = inMarket.filter((discount) => discount.type !== 'audience_percentage' || isFor(discount, memberships))
  if (fitting.length === 0) return refuse('promo_code_not_applicable', 'The promo code applies to members only.')
  return { ok: true, discounts: fitting.map((discount) => resolve(discount, eligible)) }
}

/** A price of an audience's tier. `amount` in minor units. */
export type MembershipPrice = Membership & { price_id: string; amount: number; currency: string }

/**
 * What a code takes off the first payment of a membership, in minor units, or the first reason for a refusal. The
 * amount that is left is 0, or can be charged to a card: the discount is rounded down to the steps of the currency.
 * Conditions on products and services are met by no membership. `now` in Unix seconds.
 */
export const evaluateMembershipCode = ({
  code,
  price,
  now,
}: {
  code: PromoFacts | null
  price: MembershipPrice
  now: number
}): { ok: true; discount: number } | Refused<PromoRefusal | 'card_total_too_small'> => {
  if (!code) return unknownCode
  const refused = refusedByConditions(code, price.amount, now)
  if (refused) return refused
  if (code.conditions.some(({ type }) => type === 'products' || type === 'services')) {
    return refuse('promo_code_not_applicable', 'The promo code applies to products or services only.')
  }
  const fitting = code.discounts.filter(
    (discount) =>
      discount.type === 'audience_percentage' && discount.applies_to !== 'items' && isFor(discount, [price]),
  ) as AudienceDiscount[]
  if (fitting.length === 0 || price.amount === 0)
    return refuse('promo_code_not_applicable', 'The promo code does not apply to this price.')
  const step = BigInt(cardStep(price.currency))
  const exact = fitting.reduce((rest, { bps }) => rest - percentage(rest, bps), BigInt(price.amount))
  const left = Number(((exact + step - 1n) / step) * step)
  const minimum = cardMinimum(price.currency)
  if (left > 0 && left < minimum) {
    return refuse(
      'card_total_too_small',
      `The promo code leaves ${formatMoney(left, price.currency)}; the minimum for cards is ${formatMoney(minimum, price.currency)}.`,
    )
  }
  return { ok: true, discount: price.amount - left }
}
