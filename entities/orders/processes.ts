// The processes of checkouts, refunds, authorisations and reminders of bookings.
import { type CheckoutFacts, describeCheckout, describeRefund, type RefundFacts } from '../../rules/orders/descriptions.ts'
import { describedTenant, describing, type ProcessRows } from '../kit/process.ts'
import { sql } from '../kit/sql.ts'
import { lateCheckouts, startDecisions } from './checkout-steps.ts'
import { unreadRefunds } from './refund-effect.ts'
import { lateReminders, startReminders } from './reminders.ts'

export const orderProcesses = {
  checkout: {
    late: lateCheckouts,
    startAhead: startDecisions,
    describe: describing<CheckoutFacts>(
      (ids) => sql`
        select coalesce(s.order_id, s.subscription_id) as id, s.tenant_id, ${describedTenant},
          o.number::float8 as number, m.audience_id, m.id as member_id, s.amount::float8 as amount, s.currency,
          s.provider_account_id as account
        from payment_sessions s
        left join orders o on o.id = s.order_id and o.tenant_id = s.tenant_id
        left join subscriptions u on u.id = s.subscription_id and u.tenant_id = s.tenant_id
        left join audience_members m on m.id = u.member_id and m.tenant_id = u.tenant_id
        left join tenants t on t.id = s.tenant_id
        where s.order_id = any (${ids}) or s.subscription_id = any (${ids})`,
      describeCheckout,
    ),
  },
  refund: {
    late: [unreadRefunds],
    describe: describing<RefundFacts>(
      (ids) => sql`
        select r.id, r.tenant_id, ${describedTenant}, r.order_id, r.subscription_id, m.audience_id, m.id as member_id,
          r.payment_id, o.number::float8 as number, r.refund_id, r.amount::float8 as amount, r.currency, r.origin,
          p.provider_account_id as account, p.provider_payment_id as payment
        from refunds r
        join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id
        left join orders o on o.id = r.order_id and o.tenant_id = r.tenant_id
        left join subscriptions s on s.id = r.subscription_id and s.tenant_id = r.tenant_id
        left join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
        left join tenants t on t.id = r.tenant_id
        where r.id = any (${ids})`,
      describeRefund,
    ),
  },
  authorization_end: { late: [] },
  booking_reminder: { late: [lateReminders], startAhead: startReminders },
} satisfies Record<string, ProcessRows>
