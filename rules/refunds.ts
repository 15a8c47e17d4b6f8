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
