// A checkout session is paid once or expires. Its amount is the sum of its lines, less its discount. One of a
// subscription starts it when it is paid.
import type Stripe from 'stripe'
import { authorizeFor } from './authorizations.ts'
import { couponOf, discountOf, redeem } from './billing/coupons.ts'
import { newCard, newCustomer } from './billing/customers.ts'
import { attempt, daySeconds, idOf } from './billing/invoices.ts'
import { discounted, formLines, totalOf } from './billing/lines.ts'
import { activate, beginSubscription, endOverdueSubscriptions, expireIncomplete } from './billing/subscriptions.ts'
import type { Call, Route } from './calls.ts'
import { dashboard } from './calls.ts'
import { invalid, Refusal, refused } from './errors.ts'
import { emit, type Origin } from './events.ts'
import type { Fields } from './form.ts'
import { random, unixSeconds } from './ids.ts'
import { list, one, page } from './lists.ts'
import { maximumAmount, minimumAmount } from './money.ts'
import { all, detailOf, find, get, locate, openSessions, put, type SessionDetail } from './objects.ts'
import { chargeFor, declinedFor, intentFor } from './payments.ts'
import { blankSession } from './shapes.ts'

type Session = Stripe.Checkout.Session

const minutes30 = 30 * 60
const hours24 = 24 * 3600
/** Earlier versions took `embedded` and `hosted`, and `payment_method_types`. */
const newModesSince = '2026-03-25'
const allowedTypesSince = '2026-09-30'
const knownTypes = [
  'card',
  'link',
  'paypal',
  'klarna',
  'ideal',
  'bancontact',
  'sepa_debit',
  'us_bank_account',
  'amazon_pay',
  'cashapp',
] as const

function create(call: Call, fields: Fields): Session {
  const created = unixSeconds()
  const mode = fields.oneOf('mode', ['payment', 'subscription'])
  if (!mode) throw invalid('Missing required param: mode.', 'mode', 'parameter_missing')
  const modes = ['embedded_page', 'hosted_page', ...(call.version < newModesSince ? ['embedded', 'hosted'] : [])]
  const ui_mode = fields.oneOf('ui_mode', modes) ?? 'hosted_page'
  const coupon = couponOf(call, fields.items('discounts'))
  const given = formLines(call, mode, fields.items('line_items'))
  const { currency, total: subtotal } = totalOf(given)
  if (coupon?.currency && coupon.currency !== currency)
    throw refused(`The coupon ${coupon.id} is not valid for ${currency}.`, { param: 'discounts[0][coupon]' })
  const subscription = subscriptionData(fields, mode, created)
  const isTrial = typeof subscription?.trial_end === 'number'
  const due = isTrial ? given.filter((line) => !line.price?.recurring) : given
  const amount_discount = coupon ? discountOf(coupon, sumOf(due)) : 0
  const total = sumOf(due) - amount_discount
  const lines = discounted(given, amount_discount)
  const types = methodTypes(
    fields,
    call.version < allowedTypesSince ? 'payment_method_types' : 'allowed_payment_method_types',
  )
  const id = `cs_test_${random(58)}`
  const session: Session = {
    ...blankSession,
    id,
    ...pages(call, fields, ui_mode.startsWith('embedded'), id),
    ...customerOf(call, fields, mode),
    mode,
    ui_mode,
    created,
    currency,
    adaptive_pricing: { enabled: fields.map('adaptive_pricing')?.flag('enabled') ?? false },
    amount_subtotal: isTrial ? sumOf(due) : subtotal,
    amount_total: total,
    discounts: coupon ? [{ coupon: coupon.id, promotion_code: null }] : [],
    expires_at: expiry(fields.integer('expires_at'), created),
    client_reference_id: fields.text('client_reference_id') ?? null,
    metadata: fields.metadata(),
    allowed_payment_method_types: types.length ? types : null,
    payment_method_collection:
      fields.oneOf('payment_method_collection', ['always', 'if_required']) ??
      (mode === 'subscription' ? 'always' : 'if_required'),
    payment_method_types: types.length ? types : ['card'],
    total_details: { amount_discount, amount_shipping: 0, amount_tax: 0 },
    locale: (fields.text('locale') as Stripe.Checkout.Session.Locale | undefined) ?? null,
    submit_type: (fields.text('submit_type') as Stripe.Checkout.Session.SubmitType | undefined) ?? null,
  }
  const intent = intentData(fields, mode)
  fields.ignore(
    'billing_address_collection',
    'phone_number_collection',
    'saved_payment_method_options',
    'automatic_tax',
    'tax_id_collection',
    'custom_text',
  )
  fields.done()
  checkTotal(total, currency)
  if (mode === 'subscription' && session.customer) checkCurrency(call.account, idOf(session.customer), currency)
  return put(call.account, session, { lines, intent, ...(subscription && { subscription }) })
}

const sumOf = (lines: Stripe.LineItem[]) => lines.reduce((sum, line) => sum + line.amount_subtotal, 0)

function intentData(fields: Fields, mode: 'payment' | 'subscription'): SessionDetail['intent'] {
  const data = fields.map('payment_intent_data')
  if (data && mode === 'subscription')
    throw invalid('You can not pass `payment_intent_data` in `subscription` mode.', 'payment_intent_data')
  data?.ignore('receipt_email', 'statement_descriptor', 'statement_descriptor_suffix', 'setup_future_usage')
  return {
    metadata: data?.metadata() ?? {},
    description: data?.text('description') ?? null,
    fee: data?.integer('application_fee_amount') ?? null,
    ...(data?.oneOf('capture_method', ['automatic', 'automatic_async', 'manual']) === 'manual' && { manual: true }),
  }
}

function subscriptionData(
  fields: Fields,
  mode: 'payment' | 'subscription',
  now: number,
): SessionDetail['subscription'] {
  const data = fields.map('subscription_data')
  if (mode === 'payment') {
    if (data) throw invalid('You can not pass `subscription_data` in `payment` mode.', 'subscription_data')
    return undefined
  }
  const days = data?.integer('trial_period_days')
  if (days !== undefined && days < 1)
    throw invalid('The minimum number of trial period days is 1.', 'subscription_data[trial_period_days]')
  const trial_end = data?.integer('trial_end') ?? (days === undefined ? null : now + days * daySeconds)
  const billing = data?.map('billing_mode')
  billing?.oneOf('type', ['flexible'])
  billing?.ignore('flexible')
  data?.ignore('invoice_settings', 'proration_behavior', 'trial_settings')
  return { metadata: data?.metadata() ?? {}, description: data?.text('description') ?? null, trial_end }
}

/**
 * A page for a customer of the account, or for an address, which becomes a customer when the page is paid if it needs
 * one.
 */
function customerOf(
  call: Call,
  fields: Fields,
  mode: 'payment' | 'subscription',
): Pick<Session, 'customer' | 'customer_email' | 'customer_creation'> {
  const customer = fields.text('customer') ?? null
  const customer_email = fields.text('customer_email') ?? null
  const creation = fields.oneOf('customer_creation', ['always', 'if_required'])
  fields.ignore('customer_update')
  if (customer !== null && customer_email !== null)
    throw refused('You may only specify one of these parameters: customer, customer_email.', { stored: false })
  if (customer_email !== null && !/^\S+@\S+$/.test(customer_email))
    throw invalid(`Invalid email address: ${customer_email}`, 'customer_email', 'email_invalid')
  if (creation && mode === 'subscription')
    throw invalid('`customer_creation` can only be used in `payment` mode.', 'customer_creation')
  if (customer !== null) get('customer', call.account, customer, 'customer', 400)
  const customer_creation = customer !== null ? null : mode === 'subscription' ? 'always' : (creation ?? 'if_required')
  return { customer, customer_email, customer_creation }
}

function methodTypes(fields: Fields, name: string): string[] {
  return fields.texts(name).map((type, i) => {
    if (knownTypes.some((one) => one === type)) return type
    throw invalid(`Invalid ${name}[${i}]: must be one of ${knownTypes.join(', ')}`, `${name}[${i}]`)
  })
}

function pages(
  call: Call,
  fields: Fields,
  isEmbedded: boolean,
  id: string,
): Pick<Session, 'client_secret' | 'url' | 'success_url' | 'cancel_url' | 'return_url'> {
  const success_url = fields.text('success_url') ?? null
  const cancel_url = fields.text('cancel_url') ?? null
  const return_url = fields.text('return_url')
  const redirect_on_completion = fields.oneOf('redirect_on_completion', ['always', 'if_required', 'never']) ?? 'always'
  for (const [name, url] of Object.entries({ success_url, cancel_url, return_url }))
    if (url && !URL.canParse(url)) throw invalid('Not a valid URL', name, 'url_invalid')
  if (!isEmbedded) {
    if (success_url === null) throw invalid('Missing required param: success_url.', 'success_url', 'parameter_missing')
    if (return_url !== undefined)
      throw invalid('`return_url` is only allowed when `ui_mode` is `embedded_page`.', 'return_url')
    return { client_secret: null, url: `${call.origin}/_sim/card#secret=${id}`, success_url, cancel_url }
  }
  if (success_url !== null || cancel_url !== null)
    throw invalid(
      '`success_url` and `cancel_url` are not allowed when `ui_mode` is `embedded_page`; use `return_url`.',
      success_url === null ? 'cancel_url' : 'success_url',
    )
  if (return_url === undefined && redirect_on_completion !== 'never')
    throw invalid('Missing required param: return_url.', 'return_url', 'parameter_missing')
  const secret = {
    client_secret: `${id}_secret_${random(42)}`,
    url: null,
    success_url,
    cancel_url,
    redirect_on_completion,
  }
  return return_url === undefined ? secret : { ...secret, return_url }
}

function expiry(expiresAt: number | undefined, created: number): number {
  if (expiresAt === undefined) return created + hours24
  if (expiresAt < created + minutes30)
    throw invalid(
      'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.',
      'expires_at',
    )
  if (expiresAt > created + hours24)
    throw invalid('The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.', 'expires_at')
  return expiresAt
}

function checkTotal(total: number, currency: string): void {
  const least = minimumAmount(currency)
  // A total of zero is accepted: it needs no payment.
  if (total > 0 && total < least)
    throw refused(
      `The Checkout Session's total amount due must add up to at least ${(least / 100).toFixed(2)} ${currency}`,
      { code: 'amount_too_small' },
    )
  if (total > maximumAmount)
    throw refused(`The Checkout Session's total amount due must be no more than 999,999.99 ${currency}`, {
      code: 'amount_too_large',
    })
}

/** Stripe has one currency per customer for everything that is billed again. */
function checkCurrency(account: string, customer: string, currency: string): void {
  const live = all('subscription', account).filter((one) => idOf(one.customer) === customer && one.ended_at === null)
  const open = all('checkout.session', account).filter(
    (one) => one.mode === 'subscription' && one.status === 'open' && idOf(one.customer) === customer,
  )
  const other = [...live, ...open].find((one) => one.currency !== currency)
  if (!other) return
  throw refused(
    `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, invoice item or active subscription mode checkout session with currency ${other.currency}.`,
  )
}

function end(origin: Origin, session: Session, change: Partial<Session>): Session {
  return put(origin.account, { ...session, url: null, ...change })
}

function expire(origin: Origin, session: Session): Session {
  if (session.status !== 'open')
    throw refused(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    )
  const begun = detailOf(session.id)?.begun
  if (begun) expireIncomplete(origin, begun)
  const expired = end(origin, session, { status: 'expired' })
  emit(origin, 'checkout.session.expired', expired)
  return expired
}

/**
 * `period_s`: the seconds of a subscription's first period, else the price's interval. `last4` of the card: 0341
 * declines every later charge.
 */
export type Pay = { outcome?: 'succeeded' | 'declined'; period_s?: number; last4?: string }

/** Pays a session of any account by card. */
export function pay(id: string, o: Pay): object {
  const { outcome = 'succeeded', period_s, last4 } = o
  if (period_s !== undefined && !(Number.isInteger(period_s) && period_s > 0))
    throw new Refusal(400, 'period_s: must be a whole number above 0')
  const { account, object: session } = locate('checkout.session', id)
  const origin = dashboard(account)
  if (session.status === 'open' && session.expires_at <= unixSeconds()) expire(origin, session)
  const { status } = get('checkout.session', account, id)
  if (status !== 'open') throw refused(`This Checkout Session is ${status}: it cannot be paid.`)
  return session.mode === 'subscription'
    ? paySubscription(origin, session, outcome, period_s, last4)
    : payOnce(origin, session, outcome)
}

function payOnce(origin: Origin, session: Session, outcome: 'succeeded' | 'declined'): Session {
  const { account } = origin
  const email = emailFor(account, session)
  const begun =
    find('payment_intent', account, String(session.payment_intent)) ?? intentFor(session, detailOf(session.id))
  if (session.amount_total !== 0 && outcome === 'declined') {
    declinedFor(origin, begun)
    return put(account, { ...session, payment_intent: begun.id })
  }
  const customer =
    session.customer ??
    (session.customer_creation === 'always' ? newCustomer(account, { email, name: 'A Buyer' }).id : null)
  if (session.amount_total === 0)
    return complete(origin, session, email, { payment_status: 'no_payment_required', customer })
  if (begun.capture_method === 'manual') {
    const authorized = authorizeFor(origin, { ...begun, customer }, email)
    return complete(origin, session, email, { payment_status: 'unpaid', payment_intent: authorized.id, customer })
  }
  const paid = chargeFor(origin, { ...begun, customer }, email)
  return complete(origin, session, email, { payment_status: 'paid', payment_intent: paid.id, customer })
}

/** A declined first payment leaves an incomplete subscription, which the next attempt on the page pays. */
function paySubscription(
  origin: Origin,
  session: Session,
  outcome: 'succeeded' | 'declined',
  periodS: number | undefined,
  last4: string | undefined,
): Session {
  const { account } = origin
  const detail = detailOf(session.id)
  if (!detail) throw new Error(`the session ${session.id} has no lines`)
  const email = emailFor(account, session)
  const begun = detail.begun === undefined ? undefined : get('subscription', account, detail.begun)
  const customer =
    idOf(begun?.customer ?? session.customer) ||
    newCustomer(account, { email, name: 'A Buyer', currency: session.currency }).id
  const { subscription, invoice } = begun
    ? { subscription: begun, invoice: get('invoice', account, idOf(begun.latest_invoice)) }
    : beginSubscription(origin, session, detail, customer, periodS)
  const card = newCard(account, outcome === 'declined' ? null : customer, last4)
  const tried = attempt(origin, invoice, card, outcome === 'declined' ? 'decline' : 'first')
  if (tried.status !== 'paid') return put(account, session, { ...detail, begun: subscription.id })
  activate(origin, subscription.id, card.id)
  const payment_status = session.amount_total === 0 ? 'no_payment_required' : 'paid'
  return complete(origin, session, email, {
    payment_status,
    customer,
    subscription: subscription.id,
    invoice: invoice.id,
  })
}

const emailFor = (account: string, session: Session): string =>
  (session.customer ? get('customer', account, idOf(session.customer)).email : session.customer_email) ??
  'buyer@example.com'

function complete(origin: Origin, session: Session, email: string, change: Partial<Session>): Session {
  for (const { coupon } of session.discounts ?? []) if (coupon) redeem(origin.account, idOf(coupon))
  const customer_details = { ...blankCustomer, email }
  const done = end(origin, session, { status: 'complete', customer_details, ...change })
  emit(origin, 'checkout.session.completed', done)
  return done
}

const blankCustomer = {
  address: null,
  business_name: null,
  individual_name: null,
  name: 'A Buyer',
  phone: null,
  tax_exempt: 'none' as const,
  tax_ids: [],
}

export function expireByProvider(id: string): object {
  const { account, object } = locate('checkout.session', id)
  return expire(dashboard(account), object)
}

/** Expires sessions and ends subscriptions whose time is over. */
export function expireOverdue(): void {
  endOverdueSubscriptions()
  const now = unixSeconds()
  for (const id of openSessions()) {
    const { account, object } = locate('checkout.session', id)
    if (object.expires_at <= now) expire(dashboard(account), object)
  }
}

const session = (call: Call, id: string) => get('checkout.session', call.account, id, 'session')

export const checkoutRoutes: Route[] = [
  ['POST', '/v1/checkout/sessions', create],
  [
    'GET',
    '/v1/checkout/sessions',
    (call, fields) =>
      list('checkout.session', call.account, call.path, fields, {
        status: (one) => one.status,
        payment_intent: (one) => one.payment_intent,
        customer: (one) => one.customer,
        subscription: (one) => one.subscription,
      }),
  ],
  ['GET', '/v1/checkout/sessions/:id', one('checkout.session', 'session')],
  [
    'POST',
    '/v1/checkout/sessions/:id/expire',
    (call, fields, id) => {
      fields.done()
      return expire(call, session(call, id))
    },
  ],
  [
    'GET',
    '/v1/checkout/sessions/:id/line_items',
    (call, fields, id) => page(detailOf(session(call, id).id)?.lines ?? [], call.path, fields),
  ],
]
