// The processes of links to the provider's customer portal.
import { describePortal, type PortalFacts } from '../../rules/portal/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process } from '../kit/process.ts'
import { configurationAttention, linkAttention } from './attention.ts'

export const portalProcesses = [
  // Found by its effects alone.
  process('portal', {
    late: [],
    attention: { portal_configuration: configurationAttention, portal_link: linkAttention },
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
  }),
] as const
