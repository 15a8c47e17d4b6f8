// How a refund is claimed, settled and counted: what rules/effects.ts asks of the rows of `refund`.
import { effectRow } from '../kit/effects.ts'
import { countRefunds, lockPaymentOfRefund } from './refund-amounts.ts'

export const refundEffect = effectRow('refund', {
  precondition: 'true',
  // An answer that does not name the refund proves nothing: its event comes before the deadline, or the outcome is unknown.
  answered: 'e.answered_at is not null and e.provider_refund_id is not null',
  lock: lockPaymentOfRefund,
  moved: countRefunds,
  // No caller would request it again: the buyer paid too late, and no operator knows.
  persistent: `e.origin = 'system'`,
  refused: `e.attempt = 0 and e.error ->> 'code' = 'amount_exceeds_refundable'`,
})
