// Links to the provider's customer portal, and configurations of it, that cannot be proved.
import type { AttentionRole, EffectFacts } from '../../rules/attention.ts'
import { portalConfigurationItem, portalLinkItem } from '../../rules/portal/attention.ts'
import type { PortalFacts } from '../../rules/portal/descriptions.ts'
import { attendsEffect } from '../kit/attention.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { portalConfigurationEffect } from './portal-configuration.ts'
import { portalLinkEffect } from './portal-link.ts'

/** Until it was found, or the account has another one. */
export const configurationAttention = attendsEffect<EffectFacts & { account: string | null }>(
  portalConfigurationEffect,
  {
    columns: sql`x.provider_account_id as account`,
    matters: sql`
      x.provider_configuration_id is null
      and not exists (
        select 1
        from portal_configurations o
        where coalesce(o.provider_account_id, '') = coalesce(x.provider_account_id, '')
          and o.tenant_id is not distinct from x.tenant_id
          and o.provider_configuration_id is not null
      )
    `,
    platform: sql`x.tenant_id is null`,
    text: portalConfigurationItem,
  },
)

/** Until a later link was made. */
const links = (may: AttentionRole, isOfPlan: Sql) =>
  attendsEffect<EffectFacts & PortalFacts & { subscription_id: string }>(portalLinkEffect, {
    may,
    joins: sql`
      join subscriptions s on s.id = x.subscription_id and s.tenant_id = x.tenant_id
      left join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
    `,
    columns: sql`
      m.audience_id, s.member_id, x.subscription_id, x.provider_account_id as account,
      x.provider_customer_id as customer, x.portal_configuration_id as configuration_id
    `,
    only: isOfPlan,
    matters: sql`
      not exists (
        select 1
        from portal_links n
        where n.subscription_id = x.subscription_id
          and n.tenant_id = x.tenant_id
          and n.created_at >= x.created_at
          and n.status = 'succeeded'
      )
    `,
    text: portalLinkItem,
  })

/** The store's own portal is shown to owners alone. */
export const linkAttention = [
  links('admin', sql`s.plan_id is null`),
  links('owner', sql`s.plan_id is not null`),
] as const
