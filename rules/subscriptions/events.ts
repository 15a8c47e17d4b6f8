// What signed events and reads of the provider say about subscriptions: their shapes, and which of them prove paid
// time.
import { z } from 'zod'
import { ourAmount } from '../payments/provider-amounts.ts'

const Key = z.string().min(1).max(255)
/** The id of an object that the provider may send expanded. */
const Ref = z.union([Key, z.looseObject({ id: Key }).transform(({ id }) => id)])
const Seconds = z.int().min(0).max(253_402_300_799)
const Amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
const Metadata = z.record(z.string(), z.string())

/** An invoice of Stripe, as events and reads render it. */
export const Invoice = z.object({
  id: Key,
  status: z.string().nullish(),
  currency: z.string().length(3).toUpperCase(),
  amount_paid: Amount,
  amount_paid_off_stripe: Amount.nullish(),
  attempt_count: z.int().nullish(),
  billing_reason: z.string().nullish(),
  customer: Ref.nullish(),
  next_payment_attempt: Seconds.nullish(),
  status_transitions: z.looseObject({ paid_at: Seconds.nullish() }).nullish(),
  parent: z
    .looseObject({ subscription_details: z.looseObject({ subscription: Ref, metadata: Metadata.nullish() }).nullish() })
    .nullish(),
  total_discount_amounts: z.array(z.looseObject({ amount: Amount })).nullish(),
  lines: z.looseObject({
    has_more: z.boolean(),
    data: z.array(
      z.looseObject({
        parent: z
          .looseObject({
            subscription_item_details: z.looseObject({ subscription: Ref.nullish(), proration: z.boolean() }).nullish(),
          })
          .nullish(),
        period: z.looseObject({ start: Seconds, end: Seconds }),
        pricing: z.looseObject({ price_details: z.looseObject({ price: Ref }).nullish() }).nullish(),
        quantity: z.number().nullish(),
        subtotal: z.int(),
      }),
    ),
  }),
})
export type Invoice = z.output<typeof Invoice>

/** A subscription of Stripe. Its periods are those of its items and are not read. */
export const ProviderSubscription = z.object({
  id: Key,
  status: z.string().min(1).max(255),
  cancel_at: Seconds.nullish(),
  cancel_at_period_end: z.boolean(),
  ended_at: Seconds.nullish(),
  customer: Ref,
  default_payment_method: Ref.nullish(),
  latest_invoice: Ref.nullish(),
  metadata: Metadata,
  cancellation_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
})
export type ProviderSubscription = z.output<typeof ProviderSubscription>

const DefaultCard = z.looseObject({ default_payment_method: Ref.nullish() })
export const Customer = z.object({ id: Key, invoice_settings: DefaultCard })
/** The earlier values of a `customer.updated`: another default card is named only if it changed. */
export const CustomerBefore = z.object({ invoice_settings: DefaultCard.nullish() })

/**
 * What an invoice is compared with. `price_id`: the provider's id of the price; null if the subscription has a price of
 * its own (the plan of a store).
 */
type Expected = {
  provider_subscription_id: string
  amount: number
  currency: string
  price_id: string | null
  own_price: boolean
}

type Line = Invoice['lines']['data'][number]

/** Whether a line is the subscription's own price once, at its full amount, without proration. */
function isOwnLine(line: Line, currency: string, expected: Expected): boolean {
  const item = line.parent?.subscription_item_details
  if (item?.subscription !== expected.provider_subscription_id || item.proration || line.quantity !== 1) return false
  if (!expected.own_price && (expected.price_id === null || line.pricing?.price_details?.price !== expected.price_id))
    return false
  return ourAmount(line.subtotal, currency) === expected.amount && line.period.end > line.period.start
}

/**
 * The paid time that an invoice proves, in Unix seconds: that of its one line with the subscription's own price, among
 * others that the merchant added. A discount or a credit lowers what is paid, and not the time. null: it proves none,
 * as where not all lines were sent. Source: docs.stripe.com/api/invoice-line-item.
 */
export function invoiceLine(invoice: Invoice, expected: Expected): { start: number; end: number } | null {
  if (invoice.lines.has_more || invoice.currency !== expected.currency) return null
  const [line, another] = invoice.lines.data.filter((one) => isOwnLine(one, invoice.currency, expected))
  return line && !another ? { start: line.period.start, end: line.period.end } : null
}

/**
 * What the provider took for an invoice, and what a discount took off, in minor units. What the merchant received
 * elsewhere cannot be refunded through the provider.
 */
export const invoiceAmounts = (invoice: Invoice): { amount: number; discount: number } => ({
  amount: ourAmount(Math.max(0, invoice.amount_paid - (invoice.amount_paid_off_stripe ?? 0)), invoice.currency),
  discount: ourAmount(
    (invoice.total_discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0),
    invoice.currency,
  ),
})

/** The state of a subscription at the provider. `cancel_at`: Unix seconds; null if it is not ending. */
export type BillingState = { billing_status: string; cancel_at: number | null }

/**
 * Stripe sets `cancel_at_period_end` or, with flexible billing, `cancel_at` alone. `at`: of the event or read, Unix
 * seconds.
 */
export const billingStateOf = (
  { status, cancel_at, cancel_at_period_end }: ProviderSubscription,
  at: number,
): BillingState => ({
  billing_status: status,
  cancel_at: cancel_at ?? (cancel_at_period_end ? at : null),
})

/** States from which a subscription never returns. */
export const isOver = (status: string | null): boolean => status === 'canceled' || status === 'incomplete_expired'

/**
 * States in which the provider continues collecting an unpaid renewal, also of a subscription that ends with its
 * period.
 */
export const isUnpaid = (status: string | null): boolean => status === 'past_due' || status === 'unpaid'

const ranks = ['incomplete', 'paused', 'trialing', 'active', 'past_due', 'unpaid']
const rankOf = ({ billing_status, cancel_at }: BillingState): number =>
  2 * ranks.indexOf(billing_status) + (cancel_at === null ? 0 : 1)

type Known = { billing_status: string | null; cancel_at: number | null; event_at: number | null }

/**
 * Whether a state replaces the one that is known, in any order of events. `at`: when the provider made the event, or
 * answered the read, in Unix seconds. Two different states of the same second have no order: the later one in a
 * subscription's usual life is taken, and `read_again` asks for a read of the provider.
 */
export function precedence(
  current: Known,
  state: BillingState,
  at: number,
  isRead: boolean,
): { newer: boolean; read_again: boolean } {
  const decided = (newer: boolean) => ({ newer, read_again: false })
  if (isOver(current.billing_status)) return decided(false)
  // A subscription begins incomplete, often in the second in which it is paid, and never is again.
  if (
    state.billing_status === 'incomplete' &&
    current.billing_status !== null &&
    current.billing_status !== 'incomplete'
  )
    return decided(false)
  if (current.billing_status === 'incomplete' && state.billing_status !== 'incomplete') return decided(true)
  if (
    current.billing_status === null ||
    current.event_at === null ||
    isOver(state.billing_status) ||
    at > current.event_at
  )
    return decided(true)
  const before = { billing_status: current.billing_status, cancel_at: current.cancel_at }
  if (at < current.event_at || (before.billing_status === state.billing_status && before.cancel_at === state.cancel_at))
    return decided(false)
  // The read may have been answered before the event of its second.
  if (isRead) return { newer: true, read_again: true }
  const newer = rankOf(state) - rankOf(before) || (state.cancel_at ?? 0) - (before.cancel_at ?? 0)
  return { newer: newer > 0, read_again: true }
}
