// Invoices of subscriptions: one line per item, one payment intent for all attempts, paid once.
import type Stripe from 'stripe'
import type { Route } from '../calls.ts'
import { emit, type Origin } from '../events.ts'
import { newId, random, unixSeconds } from '../ids.ts'
import { list, one, page } from '../lists.ts'
import { all, find, get, put } from '../objects.ts'
import { chargeFor, declinedFor, newIntent } from '../payments.ts'
import { isDeclining, setDelinquent } from './customers.ts'
import { blankInvoice, blankLine, decimal } from './shapes.ts'

type Invoice = Stripe.Invoice
type Line = Stripe.InvoiceLineItem
type Item = Stripe.SubscriptionItem
type Period = { start: number; end: number }

export const daySeconds = 86_400

/** The id of what may be expanded. */
export const idOf = (value: string | { id: string } | null): string =>
  typeof value === 'string' ? value : (value?.id ?? '')

/** A line of a subscription's item for a period. `amount` 0: a trial. */
export function itemLine(
  subscription: Stripe.Subscription,
  item: Item,
  period: Period,
  o: { amount?: number; proration?: boolean } = {},
): Line {
  const amount = o.amount ?? (item.price.unit_amount ?? 0) * (item.quantity ?? 1)
  return {
    ...blankLine,
    id: newId('il'),
    amount,
    currency: subscription.currency,
    description: `${item.quantity ?? 1} × ${idOf(item.price.product)}`,
    invoice: null,
    metadata: subscription.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: o.proration ? newId('ii') : null,
        proration: o.proration ?? false,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: item.id,
      },
      type: 'subscription_item_details',
    },
    period,
    pricing: {
      price_details: { price: item.price.id, product: idOf(item.price.product) },
      type: 'price_details',
      unit_amount_decimal: decimal(item.price.unit_amount ?? 0),
    },
    quantity: item.quantity ?? 1,
    quantity_decimal: decimal(item.quantity ?? 1),
    subscription: subscription.id,
    subtotal: amount,
  }
}

/** A line of a one-time price on a subscription's payment page. */
export function oneTimeLine(subscription: Stripe.Subscription, line: Stripe.LineItem, at: number): Line {
  return {
    ...blankLine,
    id: newId('il'),
    amount: line.amount_subtotal,
    currency: subscription.currency,
    description: line.description,
    invoice: null,
    parent: {
      invoice_item_details: {
        invoice_item: newId('ii'),
        proration: false,
        proration_details: { credited_items: null },
        subscription: subscription.id,
      },
      subscription_item_details: null,
      type: 'invoice_item_details',
    },
    period: { start: at, end: at },
    pricing: line.price && {
      price_details: { price: line.price.id, product: idOf(line.price.product) },
      type: 'price_details',
      unit_amount_decimal: decimal(line.price.unit_amount ?? 0),
    },
    quantity: line.quantity,
    quantity_decimal: decimal(line.quantity ?? 1),
    subscription: subscription.id,
    subtotal: line.amount_subtotal,
  }
}

type Draft = {
  reason: 'subscription_create' | 'subscription_cycle'
  lines: Line[]
  /** Minor units off the whole, under the id of its discount. */
  discount: { id: string; amount: number } | null
  /** Of the invoice, not of its lines: Stripe names the time before it here. */
  period: Period
}

export function draftInvoice(account: string, subscription: Stripe.Subscription, o: Draft): Invoice {
  const id = newId('in')
  const created = unixSeconds()
  const customer = get('customer', account, idOf(subscription.customer))
  const subtotal = o.lines.reduce((sum, line) => sum + line.amount, 0)
  let left = Math.max(0, Math.min(o.discount?.amount ?? 0, subtotal))
  const total = subtotal - left
  const discountId = left > 0 ? o.discount?.id : undefined
  const lines = o.lines.map((line) => {
    const amount = Math.max(0, Math.min(left, line.amount))
    left -= amount
    return {
      ...line,
      invoice: id,
      ...(discountId &&
        amount > 0 && { discounts: [discountId], discount_amounts: [{ amount, discount: discountId }] }),
    }
  })
  return put(account, {
    ...blankInvoice,
    id,
    amount_due: Math.max(0, total),
    amount_remaining: Math.max(0, total),
    automatically_finalizes_at: created + 3600,
    billing_reason: o.reason,
    created,
    currency: subscription.currency,
    customer: customer.id,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    discounts: discountId ? [discountId] : [],
    lines: {
      object: 'list',
      data: lines,
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    } as unknown as Invoice['lines'],
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    period_end: o.period.end,
    period_start: o.period.start,
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_discount_amounts: discountId ? [{ amount: subtotal - total, discount: discountId }] : [],
    total_excluding_tax: total,
  })
}

export const paymentsOf = (account: string, invoice: string): Stripe.InvoicePayment[] =>
  all('invoice_payment', account).filter((payment) => payment.invoice === invoice)

/** Makes a draft payable, with a payment intent unless nothing is due. */
function finalize(account: string, invoice: Invoice): Invoice {
  if (invoice.status !== 'draft') return invoice
  const at = unixSeconds()
  const { id, amount_due, currency, customer } = invoice
  if (amount_due > 0) {
    const description =
      invoice.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update'
    const given = {
      amount: amount_due,
      currency,
      customer,
      description,
      metadata: {},
      application_fee_amount: null,
      payment_method_types: ['card'],
    }
    const intent = put(account, newIntent(given))
    put(account, {
      id: newId('inpay'),
      object: 'invoice_payment',
      amount_paid: null,
      amount_requested: amount_due,
      created: at,
      currency,
      invoice: id,
      is_default: true,
      livemode: false,
      payment: { payment_intent: intent.id, type: 'payment_intent' },
      status: 'open',
      status_transitions: { canceled_at: null, paid_at: null },
    })
  }
  return put(account, {
    ...invoice,
    automatically_finalizes_at: null,
    effective_at: at,
    hosted_invoice_url: `https://invoice.stripe.com/i/test_${id}`,
    invoice_pdf: `https://pay.stripe.com/invoice/test_${id}/pdf`,
    number: `${random(8).toUpperCase()}-0001`,
    status: 'open',
    status_transitions: { ...invoice.status_transitions, finalized_at: at },
  })
}

/**
 * One attempt to charge. `how`: `first` on a payment page, where a card that declines later is accepted; `off_stripe`,
 * which the merchant received elsewhere.
 */
export function attempt(
  origin: Origin,
  draft: Invoice,
  card: Stripe.PaymentMethod | undefined,
  how: 'first' | 'charge' | 'decline' | 'off_stripe',
): Invoice {
  const { account } = origin
  const invoice = finalize(account, draft)
  const at = unixSeconds()
  const paid = {
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    next_payment_attempt: null,
    status: 'paid' as const,
  }
  paid.status_transitions = { ...invoice.status_transitions, paid_at: at }
  const [payment] = paymentsOf(account, invoice.id)
  const intent = payment && get('payment_intent', account, String(payment.payment.payment_intent))
  if (!payment || !intent) {
    emit(origin, 'invoice.paid', put(account, { ...paid, attempted: false }))
    return paid
  }
  const settled = {
    status: 'paid',
    amount_paid: invoice.amount_due,
    status_transitions: { canceled_at: null, paid_at: at },
  }
  if (how === 'off_stripe') {
    put(account, { ...intent, status: 'canceled', canceled_at: at })
    put(account, { ...payment, ...settled, payment: { payment_record: newId('pr'), type: 'payment_record' } })
    const elsewhere = put(account, { ...paid, amount_paid_off_stripe: invoice.amount_due })
    emit(origin, 'invoice.paid', elsewhere)
    return elsewhere
  }
  const customer = idOf(invoice.customer)
  if (how === 'decline' || !card || (how === 'charge' && isDeclining(card))) {
    if (card) declinedFor(origin, intent, card)
    const failed = put(account, {
      ...invoice,
      attempt_count: invoice.attempt_count + 1,
      attempted: true,
      next_payment_attempt: invoice.billing_reason === 'subscription_create' ? null : at + 3 * daySeconds,
    })
    emit(origin, 'invoice.payment_failed', failed)
    setDelinquent(account, customer, true)
    return failed
  }
  chargeFor(origin, intent, invoice.customer_email, card)
  put(account, { ...payment, ...settled })
  const complete = put(account, { ...paid, attempt_count: invoice.attempt_count + 1 })
  emit(origin, 'invoice.paid', complete)
  setDelinquent(account, customer, false)
  return complete
}

/** The invoice that the subscription still has to pay. */
export const dueInvoice = (account: string, subscription: string): Invoice | undefined =>
  all('invoice', account).find(
    (invoice) => subscriptionOf(invoice) === subscription && (invoice.status === 'draft' || invoice.status === 'open'),
  )

export const subscriptionOf = (invoice: Invoice): string | null =>
  idOf(invoice.parent?.subscription_details?.subscription ?? null) || null

/** Ends collection: an invoice of a cancelled subscription stays as it is, one of an expired page is void. */
export function stopCollecting(account: string, subscription: string, how: 'keep' | 'void'): void {
  const due = dueInvoice(account, subscription)
  if (!due) return
  if (how === 'keep') put(account, { ...due, auto_advance: false, next_payment_attempt: null })
  else
    put(account, {
      ...due,
      auto_advance: false,
      status: 'void',
      status_transitions: { ...due.status_transitions, voided_at: unixSeconds() },
    })
}

export const invoiceRoutes: Route[] = [
  [
    'GET',
    '/v1/invoices',
    (call, fields) =>
      list('invoice', call.account, call.path, fields, {
        customer: (one) => one.customer,
        status: (one) => one.status,
        subscription: subscriptionOf,
      }),
  ],
  ['GET', '/v1/invoices/:id', one('invoice', 'invoice')],
  [
    'GET',
    '/v1/invoices/:id/lines',
    (call, fields, id) => page(get('invoice', call.account, id, 'invoice').lines.data, call.path, fields),
  ],
  [
    'GET',
    '/v1/invoice_payments',
    (call, fields) => {
      const payment = fields.map('payment')
      const type = payment?.oneOf('type', ['payment_intent', 'payment_record'])
      const intent = payment?.text('payment_intent')
      return list(
        'invoice_payment',
        call.account,
        call.path,
        fields,
        { invoice: (one) => one.invoice, status: (one) => one.status },
        (one) =>
          (type === undefined || one.payment.type === type) &&
          (intent === undefined || one.payment.payment_intent === intent),
      )
    },
  ],
  ['GET', '/v1/invoice_payments/:id', one('invoice_payment', 'invoice_payment')],
]

/** The card that pays: the one pinned on the subscription, else the customer's default. */
export function cardFor(account: string, subscription: Stripe.Subscription): Stripe.PaymentMethod | undefined {
  const pinned =
    subscription.default_payment_method ??
    get('customer', account, idOf(subscription.customer)).invoice_settings.default_payment_method
  return pinned === null ? undefined : find('payment_method', account, idOf(pinned))
}
