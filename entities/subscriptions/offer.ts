// What a member would pay for a price now, with a promo code: read in one statement, and refused with the place of the
// fault.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { PriceInterval } from '../../rules/audiences/audiences.ts'
import { formatMoney } from '../../rules/payments/currencies.ts'
import { codeKey, evaluateMembershipCode, maxUsesPerUserOf } from '../../rules/promotions/promo-codes.ts'
import { conflict, invalid, invalidInput, type Refusal } from '../../rules/refusal.ts'
import type { ArchivableStatus } from '../../rules/shapes.ts'
import type { SubscriptionKind } from '../../rules/subscriptions/subscriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { type PromoCodeFacts, promoFacts } from '../promotions/promo-facts.ts'

/** What a visitor subscribes with. `expected_total`: the first payment that they have seen, in minor units. */
export type Choice = {
  price_id: string
  promo_code: string | null
  return_url: string | null
  expected_total?: number | null | undefined
}

/**
 * Amounts in minor units of the currency. Without `provider_account_id` nothing is charged, or the platform's own
 * account charges it.
 */
export type Offer = {
  tier_id: string | null
  price_id: string | null
  kind: SubscriptionKind
  amount: number
  discount_amount: number
  currency: string
  interval: PriceInterval | null
  provider_account_id: string | null
  promo: { id: string; code: string; max_uses_per_user: number | null } | null
}

/** Nothing is charged, now or later. */
export const isFree = ({
  kind,
  amount,
  discount_amount,
}: Pick<Offer, 'kind' | 'amount' | 'discount_amount'>): boolean => kind === 'one_time' && amount === discount_amount

type Due = Pick<Offer, 'amount' | 'discount_amount' | 'currency' | 'interval'>

/** 409 total_changed with what would be paid now. */
const totalChanged = (expected: number, quote: Due & { total: number }): Refusal =>
  conflict(
    'total_changed',
    `The first payment is ${formatMoney(quote.total, quote.currency)} now, not ${formatMoney(expected, quote.currency)}. Nothing was charged.`,
    { members: { quote } },
  )

/** 409 total_changed if the first payment is not the one that the subscriber has seen. */
export function checkTotal(
  expected: number | null | undefined,
  { amount, discount_amount, currency, interval }: Due,
): void {
  const total = amount - discount_amount
  if (expected != null && expected !== total)
    throw totalChanged(expected, { amount, discount_amount, total, currency, interval })
}

/** The price and the code are the same; codes are compared without case. */
export const isSameChoice = (one: Choice, other: Choice): boolean =>
  one.price_id === other.price_id &&
  one.return_url === other.return_url &&
  codeKey(one.promo_code ?? '') === codeKey(other.promo_code ?? '')

type Subscriber = { audience_id: string; member_id: string; contact_id: string }

type PriceRow = Pick<Offer, 'amount' | 'currency' | 'interval'> & {
  id: string
  tier_id: string
  status: ArchivableStatus
  tier_status: ArchivableStatus
  ready: boolean
  provider_price_id: string | null
  account_id: string | null
  charges_enabled: boolean | null
  promo: PromoCodeFacts | null
}

const wrongPrice = (code: string, detail: string) => invalidInput([{ pointer: '/price_id', code, detail }])

/**
 * The uses of the code that the member's own open page counted are left out: they are given back before this price's
 * page opens. Requires the audience's lock, with which prices and tiers stay as they are. 422 invalid_input
 * (price_unknown, price_archived, tier_archived, price_not_ready), payment_provider_not_connected, return_url_required,
 * and those of promo codes. 409 total_changed. `now` in Unix seconds.
 */
export async function readOffer(
  em: EntityManager,
  tenantId: string,
  subscriber: Subscriber,
  choice: Choice,
  now: number,
): Promise<Offer> {
  const { audience_id, member_id, contact_id } = subscriber
  const own = sql`
    (
      select count(*)
      from promo_redemptions d
      join subscriptions u on u.id = d.subscription_id and u.tenant_id = d.tenant_id
      where d.tenant_id = c.tenant_id and d.promo_code_id = c.id and u.member_id = ${member_id} and u.status = 'pending'
    )
  `
  const promo =
    choice.promo_code === null
      ? null
      : sql`
        (
          select ${promoFacts(tenantId, contact_id, own)}
          from promo_codes c
          where c.tenant_id = p.tenant_id and c.code_key = ${codeKey(choice.promo_code)}
        )
      `
  const [price]: PriceRow[] = await em.execute(sql`
    select p.id, p.tier_id, p.status, t.status as tier_status, p.amount, p.currency, p.interval, p.ready,
      p.provider_price_id, v.account_id, v.charges_enabled, ${promo} as promo
    from audience_prices p
    join audience_tiers t on t.id = p.tier_id and t.tenant_id = p.tenant_id
    left join payment_providers v on v.id = t.payment_provider_id and v.tenant_id = t.tenant_id
    where p.tenant_id = ${tenantId} and p.id = ${choice.price_id} and t.audience_id = ${audience_id}
  `)
  if (!price) throw wrongPrice('price_unknown', 'The audience has no such price.')
  if (price.status === 'archived') throw wrongPrice('price_archived', 'The price is archived.')
  if (price.tier_status === 'archived') throw wrongPrice('tier_archived', 'The tier of the price is archived.')
  const { tier_id, amount, currency } = price
  // A price of 0 is never charged, with any interval.
  const interval = amount === 0 ? null : price.interval
  if (interval && !(price.ready && price.provider_price_id))
    throw wrongPrice('price_not_ready', 'The payment provider does not have the price yet.')
  const verdict =
    choice.promo_code === null
      ? null
      : evaluateMembershipCode({
          code: price.promo,
          price: { audience_id, tier_id, price_id: price.id, amount, currency },
          now,
        })
  if (verdict && !verdict.ok) throw invalid('/promo_code', verdict.code, verdict.detail)
  const offer: Offer = {
    ...{
      tier_id,
      price_id: price.id,
      kind: interval ? 'recurring' : 'one_time',
      amount,
      currency,
      interval,
      provider_account_id: null,
    },
    discount_amount: verdict?.discount ?? 0,
    promo: price.promo && {
      id: price.promo.id,
      code: price.promo.code,
      max_uses_per_user: maxUsesPerUserOf(price.promo.conditions),
    },
  }
  checkTotal(choice.expected_total, offer)
  if (isFree(offer)) return offer
  if (!price.account_id || !price.charges_enabled)
    throw invalid(
      '/price_id',
      'payment_provider_not_connected',
      'The tier of the price has no payment provider that may charge cards yet.',
    )
  if (choice.return_url === null)
    throw invalid('/return_url', 'return_url_required', 'A card payment needs the address to come back to.')
  return { ...offer, provider_account_id: price.account_id }
}
