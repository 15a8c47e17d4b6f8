// The processes of checkouts and of authorised payments.
import { type CheckoutFacts, describeCheckout } from '../../rules/payments/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process } from '../kit/process.ts'
import { couponAttention } from '../prices/attention.ts'
import { disputeAttention } from './attention/dispute-attention.ts'
import { moneyParts } from './attention/money-attention.ts'
import { lateCheckouts, startDecisions } from './checkout-steps.ts'

export const paymentProcesses = [
  process('checkout', {
    late: lateCheckouts,
    startAhead: startDecisions,
    attention: {
      payment_session: moneyParts.payment_session,
      session_expiry: moneyParts.session_expiry,
      coupon: couponAttention,
      payment: moneyParts.payment,
      dispute: disputeAttention,
    },
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
  }),
  process('authorization_end', { late: [], attention: { authorization_end: moneyParts.authorization_end } }),
] as const
