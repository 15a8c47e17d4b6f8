// What of a subscription's error is shown, and to whom.
import { z } from 'zod'
import { isUnpaid } from './events.ts'

/** Codes of what keeps a subscription from being billed as it should be. */
export const BillingErrorCode = z.enum(['payment_failed', 'price_mismatch', 'event_missing', 'not_readable'])
export type BillingErrorCode = z.infer<typeof BillingErrorCode>

type Stored = { code: string; message: string } & Record<string, unknown>
export type BillingError = { code: string; message: string; next_attempt_at: number | null }

/**
 * A charge that failed is an error only while the provider collects the renewal: its invoice may be paid or voided
 * without an event that names it.
 */
export function billingErrorOf(error: Stored | null, billingStatus: string | null): BillingError | null {
  if (!error || (error.code === 'payment_failed' && !isUnpaid(billingStatus))) return null
  const { code, message, next_attempt_at } = error
  return { code, message, next_attempt_at: typeof next_attempt_at === 'number' ? next_attempt_at : null }
}

/** What the contact itself can mend. */
export const ownBillingError = (error: Stored | null, billingStatus: string | null): BillingError | null =>
  error?.code === 'payment_failed' ? billingErrorOf(error, billingStatus) : null
