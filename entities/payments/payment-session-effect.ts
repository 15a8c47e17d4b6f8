// How the opening of a payment page is claimed and settled: what rules/effects.ts asks of the rows of
// `payment_session`.
import { sql } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { pageIsWanted } from '../prices/coupon.ts'
import { foundLate } from './payment-sessions.ts'

export const paymentSessionEffect = effectRow('payment_session', {
  processId: sql`coalesce(e.order_id, e.subscription_id)`,
  ofProcesses: (ids) => sql`(e.order_id = any (${ids}) or e.subscription_id = any (${ids}))`,
  precondition: sql`
    (
      exists (
        select 1
        from orders o
        where o.id = e.order_id
          and o.tenant_id = e.tenant_id
          and o.status = 'pending'
          and not o.cancel_requested
          and o.hold_until > clock_timestamp()
      )
      or ${pageIsWanted}
    )
  `,
  late: foundLate,
})
