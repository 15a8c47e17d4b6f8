// The processes of memberships and plans.
import { describeMembership, type MembershipFacts } from '../../rules/subscriptions/descriptions.ts'
import { endMemberships } from '../audiences/sweep.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process, type RowsRun } from '../kit/process.ts'
import { moneyParts } from '../payments/attention/money-attention.ts'
import { endArchived } from './archiving.ts'
import { repeatCancellations, repeatCards } from './changes.ts'
import { lateMemberships, readAllRunning } from './membership-steps.ts'

const membersAtOnce = 500
const changesAtOnce = 200

/** Subscriptions of archived audiences, and cancellations and cards that did not reach the provider. */
async function endSubscriptions({ statement, transaction, now }: RowsRun): Promise<void> {
  while (await transaction((em) => endArchived(em, membersAtOnce, now)));
  await statement((em) => repeatCancellations(em, changesAtOnce, now))
  await statement((em) => repeatCards(em, changesAtOnce, now))
}

export const subscriptionProcesses = [
  process('membership', {
    late: lateMemberships,
    sweeps: [endSubscriptions, endMemberships],
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
  }),
] as const
