// What a person does about discounts and prices whose creation at the payment provider cannot be proved.
import { type EffectFacts, type ItemText, mending, outcomeItem, recorded } from '../attention.ts'
import { isolated } from '../isolated.ts'
import { formatMoney } from '../payments/currencies.ts'
import type { ProvisionFacts } from './descriptions.ts'

export type CouponFacts = EffectFacts & {
  subscription_id: string
  audience_id: string | null
  member_id: string | null
  amount: number
  currency: string
  account: string | null
}

export const couponItem = (row: CouponFacts): ItemText =>
  outcomeItem({
    row,
    whether: `the discount of ${formatMoney(row.amount, row.currency)} of a subscription exists at the payment provider`,
    subject: row.member_id
      ? { type: 'member', id: row.member_id, label: null }
      : { type: 'subscription', id: row.subscription_id, label: null },
    ...{ amount: row.amount, currency: row.currency },
    what_to_do: `Look at the payment provider for a coupon with the id ${row.id}, and record what you found. The checkout looks for it, too, and goes on when it is known.`,
    ids: {
      ...{ coupon: row.id, subscription_id: row.subscription_id, audience_id: row.audience_id },
      ...{ member_id: row.member_id, provider_account_id: row.account },
    },
    effect: 'coupon',
    timeline: row.member_id ? undefined : null,
    resolve: recorded(row, ['succeeded', 'rejected']),
  })

export const provisionItem = (row: EffectFacts & ProvisionFacts & { tier: string }): ItemText =>
  outcomeItem({
    row,
    whether: `a price of the tier “${isolated(row.tier)}” exists at the payment provider`,
    subject: { type: 'tier', id: row.tier_id, label: row.tier },
    what_to_do: `Save the tier once more: the price is looked for at the payment provider, and made if it is not there. Or record that it was not carried out if there is none with the lookup key ${row.price_id}.`,
    mend: mending(row, 'PUT', `/audiences/${row.audience_id}/tiers/${row.tier_id}`),
    ids: {
      ...{ audience_id: row.audience_id, tier_id: row.tier_id, price_id: row.price_id },
      ...{ lookup_key: row.price_id, provider_account_id: row.account },
    },
    effect: 'price_provision',
    resolve: recorded(row, ['rejected']),
  })
