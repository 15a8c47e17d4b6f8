// How a refund is claimed, settled and counted: what rules/effects.ts asks of the rows of `refund`.
import { effectRow } from '../kit/effects.ts'
import { countRefunds, lockPaymentOfRefund } from './refund-amounts.ts'

export const refundEffect = effectRow('refund', {
  // What was corrected, or made at the provider, since it was requested may leave less than its amount. A refund in another currency than the payment's is the whole of it.
  precondition: `exists (select 1 from payments p where p.id = e.payment_id and p.tenant_id = e.tenant_id and (p.currency <> e.currency or p.captured_amount >= e.amount + coalesce(
    (select sum(x.amount) from refunds x where x.payment_id = e.payment_id and x.tenant_id = e.tenant_id and x.currency = e.currency and x.id <> e.id
      and x.status in ('processing', 'succeeded', 'unknown')), 0)))`,
  // An answer that does not name the refund proves nothing: its event comes before the deadline, or the outcome is unknown.
  answered: 'e.answered_at is not null and e.provider_refund_id is not null',
  lock: lockPaymentOfRefund,
  moved: countRefunds,
  // No caller would request it again: the buyer paid too late, and no operator knows.
  persistent: `e.origin = 'system'`,
  refused: `e.attempt = 0 and e.error ->> 'code' = 'amount_exceeds_refundable'`,
})
