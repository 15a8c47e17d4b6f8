// Payment accounts, and links to their onboarding, that cannot be proved.
import type { EffectFacts } from '../../rules/attention.ts'
import { connectItem, onboardingLinkItem } from '../../rules/stores/attention.ts'
import type { ProviderFacts } from '../../rules/stores/descriptions.ts'
import { attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { connectEffect } from './connect-effect.ts'
import { onboardingLinkEffect } from './onboarding-link.ts'

type Facts = EffectFacts & ProviderFacts & { account: string | null }

/** Until an account was named, or another one was requested. */
export const connectAttention = attendsEffect<Facts>(connectEffect, {
  columns: sql`x.id as provider_id, x.account_id as account`,
  text: connectItem,
})

/** Until a later link was made, or the account needs none. */
export const onboardingAttention = attendsEffect<Facts>(onboardingLinkEffect, {
  joins: sql`join payment_providers p on p.id = x.payment_provider_id and p.tenant_id = x.tenant_id`,
  columns: sql`p.id as provider_id, p.account_id as account`,
  matters: sql`
    not (p.charges_enabled and p.details_submitted)
    and not exists (
      select 1
      from onboarding_links n
      where n.payment_provider_id = x.payment_provider_id
        and n.tenant_id = x.tenant_id
        and n.created_at >= x.created_at
        and n.status = 'succeeded'
    )
  `,
  text: onboardingLinkItem,
})
