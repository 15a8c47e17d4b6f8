// The refunds of a payment never add up to more than was captured.

/** Minor units. What is pending or unknown counts as if it were gone. */
export type RefundablePayment = {
  captured_amount: number
  refunded_amount: number
  refund_pending_amount: number
  refund_unknown_amount: number
}

/** What can still be refunded, in minor units (design: commerce, Refunds). */
export const refundable = (payment: RefundablePayment): number =>
  Math.max(0, payment.captured_amount - payment.refunded_amount - payment.refund_pending_amount - payment.refund_unknown_amount)

export type RefundVerdict = { ok: true } | { ok: false; code: 'amount_exceeds_refundable'; refundable: number }

/** Whether one more refund of this amount fits. A refusal is recorded as `failed` and answered 422 (API document 1, Refund rules 2). */
export const mayRefund = (payment: RefundablePayment, amount: number): RefundVerdict => {
  const most = refundable(payment)
  return amount <= most ? { ok: true } : { ok: false, code: 'amount_exceeds_refundable', refundable: most }
}

/** What the refunds of a payment add up to, by what is known of them, in minor units. */
export type RefundTotals = { succeeded: number; pending: number; unknown: number }

/**
 * The three amounts of a payment. What succeeded counts first, then what is pending, then what is unknown, each with what is left of the captured
 * amount: they never exceed it together, and nothing can be refunded while the totals do. `excess` is what found no room: one of these refunds did
 * not happen, or will fail.
 */
export function refundAmounts(
  captured: number,
  { succeeded, pending, unknown }: RefundTotals,
): Omit<RefundablePayment, 'captured_amount'> & { excess: number } {
  const refunded_amount = Math.min(succeeded, captured)
  const refund_pending_amount = Math.min(pending, captured - refunded_amount)
  const refund_unknown_amount = Math.min(unknown, captured - refunded_amount - refund_pending_amount)
  const excess = succeeded + pending + unknown - refunded_amount - refund_pending_amount - refund_unknown_amount
  return { refunded_amount, refund_pending_amount, refund_unknown_amount, excess }
}

/** A refund that so many attempts did not send is late, also during the attempts that follow: an operator should know of it. */
export const lateAfterAttempts = 5

/** What the buyer of a cancelled order has not got back, in minor units. What a lost dispute took, the buyer has from their bank. */
export const owed = ({ captured_amount, refunded_amount }: Pick<RefundablePayment, 'captured_amount' | 'refunded_amount'>, lost: number): number =>
  Math.max(0, captured_amount - refunded_amount - lost)

export type RefundTrouble = 'refund_conflict' | 'refund_due'

/**
 * What a person has to look at. `refund_conflict`: more refunds are recorded than fit. `refund_due`: the order is cancelled, and its money has not all
 * gone back, because a refund failed or is late; it stays until all of it has (`was`: what was the matter before), or until the refund that had failed is
 * known to have succeeded (`failed`: there is one that has not). `lost`: to disputes, in minor units.
 */
export function refundTrouble(
  payment: RefundablePayment & { excess: number },
  o: { cancelled: boolean; late: boolean; failed: boolean; lost: number; was: string | null },
): RefundTrouble | null {
  if (payment.excess > 0) return 'refund_conflict'
  if (!o.cancelled || owed(payment, o.lost) === 0) return null
  return refundable(payment) > o.lost || o.late || (o.failed && o.was === 'refund_due') ? 'refund_due' : null
}
