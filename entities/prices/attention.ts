// Discounts and prices whose creation at the payment provider cannot be proved.

import type { EffectFacts } from '../../rules/attention.ts'
import { type CouponFacts, couponItem, provisionItem } from '../../rules/prices/attention.ts'
import type { ProvisionFacts } from '../../rules/prices/descriptions.ts'
import { attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { couponEffect } from './coupon.ts'
import { priceProvisionEffect } from './price-provision.ts'

/** Until a read has found it, or has not, or its checkout has ended. */
export const couponAttention = attendsEffect<CouponFacts>(couponEffect, {
  joins: sql`
    join subscriptions u on u.id = x.subscription_id and u.tenant_id = x.tenant_id
    left join audience_members m on m.id = u.member_id and m.tenant_id = u.tenant_id
  `,
  columns: sql`
    x.subscription_id, m.audience_id, u.member_id, x.amount::float8 as amount, x.currency,
    x.provider_account_id as account
  `,
  matters: sql`x.at_provider is null and u.status = 'pending'`,
  text: couponItem,
})

/** Until the price is there, or was requested again. */
export const provisionAttention = attendsEffect<EffectFacts & ProvisionFacts & { tier: string }>(priceProvisionEffect, {
  joins: sql`
    join audience_prices p on p.id = x.price_id and p.tenant_id = x.tenant_id
    join audience_tiers i on i.id = p.tier_id and i.tenant_id = p.tenant_id
  `,
  columns: sql`i.audience_id, p.tier_id, i.key as tier, p.id as price_id, x.provider_account_id as account`,
  matters: sql`
    x.provider_price_id is null
    and not p.ready
    and p.status = 'active'
    and not exists (
      select 1
      from price_provisions n
      where n.price_id = x.price_id and n.tenant_id = x.tenant_id and n.id > x.id
    )
  `,
  text: provisionItem,
})
