// Limits of refunds: the refunds of a payment never exceed the captured amount.

/** Minor units. Pending and unknown refunds count as refunded. */
export type RefundablePayment = {
  captured_amount: number
  refunded_amount: number
  refund_pending_amount: number
  refund_unknown_amount: number
}

/** The amount that can still be refunded, in minor units. */
export const refundable = (payment: RefundablePayment): number =>
  Math.max(
    0,
    payment.captured_amount - payment.refunded_amount - payment.refund_pending_amount - payment.refund_unknown_amount,
  )

export type RefundVerdict = { ok: true } | { ok: false; code: 'amount_exceeds_refundable'; refundable: number }

/** Whether another refund of this amount is possible. A refusal is recorded as `failed` and answered with 422. */
export const mayRefund = (payment: RefundablePayment, amount: number): RefundVerdict => {
  const most = refundable(payment)
  return amount <= most ? { ok: true } : { ok: false, code: 'amount_exceeds_refundable', refundable: most }
}

/** Sums of the refunds of a payment by outcome, in minor units. */
export type RefundTotals = { succeeded: number; pending: number; unknown: number }

/**
 * The three refund amounts of a payment. Succeeded refunds count first, then pending, then unknown ones, each limited
 * to what is left of the captured amount: together they never exceed it, and nothing more can be refunded while the
 * totals do. `excess`: the part beyond it, which means that one of the refunds did not happen or will fail.
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

/** A refund that was not sent by this number of attempts is late and needs the attention of an operator. */
export const lateAfterAttempts = 5

/**
 * A refund that the provider accepted is read there after so long without its event, and each time as long after a
 * read. Seconds.
 */
export const READ_BACK_S = 3_600

/**
 * The amount of a cancelled order that the buyer has not received back, in minor units. The bank has returned the
 * amount of a lost dispute.
 */
export const owedAmount = (
  { captured_amount, refunded_amount }: Pick<RefundablePayment, 'captured_amount' | 'refunded_amount'>,
  lost: number,
): number => Math.max(0, captured_amount - refunded_amount - lost)

export type RefundTrouble = 'refund_conflict' | 'refund_due'

/**
 * Why an operator has to act. `refund_conflict`: the recorded refunds exceed the captured amount. `refund_due`: the
 * order is cancelled and not refunded completely, because a refund failed or is late; it stays until everything is
 * refunded (`was`: the previous result), or until no failed refund is left (`failed`). `lost`: the amount of lost
 * disputes, in minor units.
 */
export function refundTrouble(
  payment: RefundablePayment & { excess: number },
  o: { cancelled: boolean; late: boolean; failed: boolean; lost: number; was: string | null },
): RefundTrouble | null {
  if (payment.excess > 0) return 'refund_conflict'
  if (!o.cancelled || owedAmount(payment, o.lost) === 0) return null
  return refundable(payment) > o.lost || o.late || (o.failed && o.was === 'refund_due') ? 'refund_due' : null
}
