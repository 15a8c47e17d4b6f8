// The processes of memberships and plans, and of prices and portal links at the payment provider.
import {
  describeMembership,
  describePortal,
  describePriceProvision,
  type MembershipFacts,
  type PortalFacts,
  type ProvisionFacts,
} from '../../rules/subscriptions/descriptions.ts'
import { describing, type ProcessRows } from '../kit/process.ts'
import { sql } from '../kit/sql.ts'
import { lateMemberships, readAllRunning } from './membership-steps.ts'

export const subscriptionProcesses = {
  membership: {
    late: lateMemberships,
    describe: describing<MembershipFacts>(
      {
        from: sql`
          subscriptions x
          left join audience_members m on m.id = x.member_id and m.tenant_id = x.tenant_id
        `,
        columns: sql`
          m.audience_id, x.member_id, x.provider_account_id as account, x.provider_subscription_id as subscription
        `,
      },
      describeMembership,
    ),
    quarantine: [
      {
        when: 'before effects',
        run: async ({ transaction, now }) =>
          `subscriptions: ${await transaction((em) => readAllRunning(em, now))} are read at the provider`,
      },
    ],
  },
  // Found by its effects alone.
  portal: {
    late: [],
    describe: describing<PortalFacts>(
      {
        from: sql`
          portal_links x
          join subscriptions s on s.id = x.subscription_id and s.tenant_id = x.tenant_id
          left join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
        `,
        columns: sql`
          m.audience_id, s.member_id, x.provider_account_id as account, x.provider_customer_id as customer,
          x.portal_configuration_id as configuration_id
        `,
      },
      describePortal,
    ),
  },
  price_provision: {
    late: [],
    describe: describing<ProvisionFacts>(
      {
        from: sql`
          price_provisions x
          join audience_prices p on p.id = x.price_id and p.tenant_id = x.tenant_id
          join audience_tiers i on i.id = p.tier_id and i.tenant_id = p.tenant_id
        `,
        columns: sql`i.audience_id, p.tier_id, p.id as price_id, x.provider_account_id as account`,
      },
      describePriceProvision,
    ),
  },
} satisfies Record<string, ProcessRows>
