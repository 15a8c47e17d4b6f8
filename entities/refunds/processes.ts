// The processes of refunds.
import { describeRefund, type RefundFacts } from '../../rules/refunds/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process } from '../kit/process.ts'
import { moneyParts } from '../payments/attention/money-attention.ts'
import { unreadRefunds } from './refund-effect.ts'

export const refundProcesses = [
  process('refund', {
    late: [unreadRefunds],
    attention: { refund: moneyParts.refund },
    describe: describing<RefundFacts>(
      {
        from: sql`
          refunds x
          join payments p on p.id = x.payment_id and p.tenant_id = x.tenant_id
          left join orders o on o.id = x.order_id and o.tenant_id = x.tenant_id
          left join subscriptions s on s.id = x.subscription_id and s.tenant_id = x.tenant_id
          left join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
        `,
        columns: sql`
          x.order_id, x.subscription_id, m.audience_id, m.id as member_id, x.payment_id, o.number::float8 as number,
          x.refund_id, x.amount::float8 as amount, x.currency, x.origin, p.provider_account_id as account,
          p.provider_payment_id as payment
        `,
      },
      describeRefund,
    ),
  }),
] as const
