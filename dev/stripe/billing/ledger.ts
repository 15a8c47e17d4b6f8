// What the provider has, over all accounts: for tests that count pages, subscriptions, invoices and money. Oldest
// first.
import type Stripe from 'stripe'
import { all, everywhere, find } from '../objects.ts'
import { idOf, paymentsOf, subscriptionOf } from './invoices.ts'

type Filter = { [name in 'account' | 'customer' | 'subscription' | 'status']?: string | undefined }

const fits = (wanted: string | undefined, value: string | null | undefined) =>
  wanted === undefined || wanted === (value ?? '')

/**
 * `opened` and `closed` (null while open): positions in one history of all changes. A page is closed when it is paid or
 * expired.
 */
export type Page = Pick<
  Stripe.Checkout.Session,
  'id' | 'mode' | 'status' | 'payment_status' | 'metadata' | 'amount_total' | 'currency' | 'created'
> & {
  account: string | null
  customer: string | null
  subscription: string | null
  opened: number
  closed: number | null
}

export function pages(filter: Filter): Page[] {
  return everywhere('checkout.session')
    .filter(({ account }) => fits(filter.account, account))
    .map(({ account, object, opened = 0, closed = null }) => {
      const { id, mode, status, payment_status, metadata, amount_total, currency, created } = object
      const [customer, subscription] = [object.customer, object.subscription].map((one) => idOf(one) || null)
      return {
        id,
        account: account || null,
        mode,
        status,
        payment_status,
        metadata,
        amount_total,
        currency,
        created,
        customer: customer ?? null,
        subscription: subscription ?? null,
        opened,
        closed,
      }
    })
}

export function subscriptions(filter: Filter): (Stripe.Subscription & { account: string | null })[] {
  return everywhere('subscription')
    .filter(({ account, object }) => fits(filter.account, account) && fits(filter.customer, idOf(object.customer)))
    .map(({ account, object }) => ({ account: account || null, ...object }))
}

/** `payment_intents`: those that paid; none where nothing was due or the merchant was paid elsewhere. */
export function invoices(filter: Filter): (Stripe.Invoice & { account: string | null; payment_intents: string[] })[] {
  return everywhere('invoice')
    .filter(
      ({ account, object }) =>
        fits(filter.account, account) &&
        fits(filter.customer, idOf(object.customer)) &&
        fits(filter.subscription, subscriptionOf(object)) &&
        fits(filter.status, object.status),
    )
    .map(({ account, object }) => {
      const paid = paymentsOf(account, object.id).filter((payment) => payment.status === 'paid')
      const payment_intents = paid
        .map((payment) => idOf(payment.payment.payment_intent ?? null))
        .filter((id) => id !== '')
      return { account: account || null, ...object, payment_intents }
    })
}

/**
 * Minor units of the provider. `given`: by refunds that did not fail; `pending` is the part of it that the bank has not
 * decided.
 */
export type PaymentBook = Pick<Stripe.PaymentIntent, 'id' | 'status' | 'amount'> & {
  taken: number
  given: number
  pending: number
  refunds: Pick<Stripe.Refund, 'id' | 'status' | 'amount' | 'metadata'>[]
  disputes: Pick<Stripe.Dispute, 'id' | 'status' | 'amount'>[]
}

/** What was taken and given back for these payments of an account; '' is the platform's own. */
export function payments(account: string, ids: readonly string[]): PaymentBook[] {
  const refunds = all('refund', account)
  const disputes = all('dispute', account)
  return ids.flatMap((id) => {
    const intent = find('payment_intent', account, id)
    if (!intent) return []
    const charge = find('charge', account, String(intent.latest_charge))
    const own = refunds.filter(({ payment_intent }) => payment_intent === id)
    const sum = (of: readonly Stripe.Refund[]) => of.reduce((total, { amount }) => total + amount, 0)
    return [
      {
        ...{ id, status: intent.status, amount: intent.amount, taken: charge?.captured ? charge.amount_captured : 0 },
        ...{
          given: sum(own.filter(({ status }) => status !== 'failed')),
          pending: sum(own.filter(({ status }) => status === 'pending')),
        },
        refunds: own.map(({ id, status, amount, metadata }) => ({ id, status, amount, metadata })),
        disputes: disputes
          .filter(({ payment_intent }) => payment_intent === id)
          .map(({ id, status, amount }) => ({ id, status, amount })),
      },
    ]
  })
}
