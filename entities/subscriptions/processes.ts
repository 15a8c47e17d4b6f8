// The processes of memberships and plans.
import { describeMembership, type MembershipFacts } from '../../rules/subscriptions/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, type ProcessRows } from '../kit/process.ts'
import { moneyParts } from '../payments/attention/money-attention.ts'
import { lateMemberships, readAllRunning } from './membership-steps.ts'

export const subscriptionProcesses = {
  membership: {
    late: lateMemberships,
    attention: { subscription_change: moneyParts.subscription_change, subscription: moneyParts.subscription },
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
} satisfies Record<string, ProcessRows>
