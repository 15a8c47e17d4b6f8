// Which payment of an invoice is refunded: an invoice may be paid in parts.

type InvoicePayment = {
  status: string
  amount_paid: number | null
  payment: { type: string; payment_intent?: string | { id: string } | undefined }
}

/** The payment intent that paid most of an invoice, which covers most refunds; null if none paid any of it. */
export function paidIntent(payments: readonly InvoicePayment[]): string | null {
  const paid = payments.filter(
    ({ status, payment }) =>
      status === 'paid' && payment.type === 'payment_intent' && payment.payment_intent !== undefined,
  )
  const [most] = paid.sort((one, other) => (other.amount_paid ?? 0) - (one.amount_paid ?? 0))
  const intent = most?.payment.payment_intent
  return typeof intent === 'string' ? intent : (intent?.id ?? null)
}
