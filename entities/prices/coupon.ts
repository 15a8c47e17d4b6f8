// An effect: the provider's coupon that takes a promo code's discount off the first invoice of a subscription. It
// exists before its page is opened.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
// Backwards: a foreign key, as a coupon is made for one subscription.
import { Subscription } from '../subscriptions/subscription.ts'

const schema = defineEntity({
  name: 'Coupon',
  tableName: 'coupons',
  properties: {
    /** Its id is also the coupon's at the provider. */
    ...tenantRow,
    subscription_id: () =>
      p.manyToOne(Subscription).mapToPk().unique().deleteRule('cascade').joinColumn('subscription_id'),
    /** The connected account; null: the platform's own. */
    provider_account_id: p.string().nullable(),
    /** What it takes off, in minor units. */
    amount: p.bigint('number'),
    currency: p.string().length(3),
    /** Whether the provider has it, as read after an unknown outcome; null until it was read. */
    at_provider: p.boolean().nullable(),
    ...effect,
  },
  checks: [{ name: 'coupons_amount', expression: 'amount > 0' }],
  indexes: [{ properties: ['status', 'created_at'] }, ...attentionIndexes('coupons')],
})
export class Coupon extends schema.class {}
schema.setClass(Coupon)

/** The page of the subscription of the row `e` may still be opened. */
export const pageIsWanted = sql`
  exists (
    select 1
    from subscriptions u
    where u.id = e.subscription_id
      and u.tenant_id = e.tenant_id
      and u.status = 'pending'
      and not u.cancel_requested
      and u.hold_until > clock_timestamp()
  )
`

export const couponEffect = effectRow('coupon', { processId: sql`subscription_id`, precondition: pageIsWanted })
