// The processes of checkouts, refunds, authorisations and reminders of bookings.
import {
  type CheckoutFacts,
  describeCheckout,
  describeRefund,
  type RefundFacts,
} from '../../rules/orders/descriptions.ts'
import { describing, type ProcessRows } from '../kit/process.ts'
import { sql } from '../kit/sql.ts'
import { lateCheckouts, startDecisions } from './checkout-steps.ts'
import { unreadRefunds } from './refund-effect.ts'
import { lateReminders, startReminders } from './reminders.ts'

export const orderProcesses = {
  checkout: {
    late: lateCheckouts,
    startAhead: startDecisions,
    describe: describing<CheckoutFacts>(
      {
        from: sql`
          payment_sessions x
          left join orders o on o.id = x.order_id and o.tenant_id = x.tenant_id
          left join subscriptions u on u.id = x.subscription_id and u.tenant_id = x.tenant_id
          left join audience_members m on m.id = u.member_id and m.tenant_id = u.tenant_id
        `,
        columns: sql`
          o.number::float8 as number, m.audience_id, m.id as member_id, x.amount::float8 as amount, x.currency,
          x.provider_account_id as account
        `,
        id: sql`coalesce(x.order_id, x.subscription_id)`,
        where: (ids) => sql`x.order_id = any (${ids}) or x.subscription_id = any (${ids})`,
      },
      describeCheckout,
    ),
  },
  refund: {
    late: [unreadRefunds],
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
  },
  authorization_end: { late: [] },
  booking_reminder: { late: [lateReminders], startAhead: startReminders },
} satisfies Record<string, ProcessRows>
