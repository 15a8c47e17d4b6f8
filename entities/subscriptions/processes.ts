// The processes of memberships and plans, and of prices and portal links at the payment provider.
import {
  describeMembership,
  describePortal,
  describePriceProvision,
  type MembershipFacts,
  type PortalFacts,
  type ProvisionFacts,
} from '../../rules/subscriptions/descriptions.ts'
import { describedTenant, describing, type ProcessRows } from '../kit/process.ts'
import { sql } from '../kit/sql.ts'
import { lateMemberships, readAllRunning } from './membership-steps.ts'

export const subscriptionProcesses = {
  membership: {
    late: lateMemberships,
    describe: describing<MembershipFacts>(
      (ids) => sql`
        select s.id, s.tenant_id, ${describedTenant}, m.audience_id, s.member_id, s.provider_account_id as account,
          s.provider_subscription_id as subscription
        from subscriptions s
        left join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
        left join tenants t on t.id = s.tenant_id
        where s.id = any (${ids})`,
      describeMembership,
    ),
    quarantine: [
      {
        when: 'before effects',
        run: async ({ transaction, now }) => `subscriptions: ${await transaction((em) => readAllRunning(em, now))} are read at the provider`,
      },
    ],
  },
  // Found by its effects alone.
  portal: {
    late: [],
    describe: describing<PortalFacts>(
      (ids) => sql`
        select l.id, l.tenant_id, ${describedTenant}, m.audience_id, s.member_id, l.provider_account_id as account,
          l.provider_customer_id as customer, l.portal_configuration_id as configuration_id
        from portal_links l
        join subscriptions s on s.id = l.subscription_id and s.tenant_id = l.tenant_id
        left join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
        left join tenants t on t.id = l.tenant_id
        where l.id = any (${ids})`,
      describePortal,
    ),
  },
  price_provision: {
    late: [],
    describe: describing<ProvisionFacts>(
      (ids) => sql`
        select e.id, e.tenant_id, ${describedTenant}, i.audience_id, p.tier_id, p.id as price_id,
          e.provider_account_id as account
        from price_provisions e
        join audience_prices p on p.id = e.price_id and p.tenant_id = e.tenant_id
        join audience_tiers i on i.id = p.tier_id and i.tenant_id = p.tenant_id
        left join tenants t on t.id = e.tenant_id
        where e.id = any (${ids})`,
      describePriceProvision,
    ),
  },
} satisfies Record<string, ProcessRows>
