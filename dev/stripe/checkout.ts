// A checkout session is paid once or expires. Its amount is the sum of its lines.
import type Stripe from 'stripe'
import type { Call, Route } from './calls.ts'
import { dashboard } from './calls.ts'
import { invalid, refused } from './errors.ts'
import { emit, type Origin } from './events.ts'
import type { Fields } from './form.ts'
import { random, unixSeconds } from './ids.ts'
import { formLines, totalOf } from './lines.ts'
import { list, one, page } from './lists.ts'
import { maximumAmount, minimumAmount } from './money.ts'
import { detailOf, find, get, locate, openSessions, put } from './objects.ts'
import { chargeFor, declinedFor, intentFor } from './payments.ts'
import { blankSession } from './shapes.ts'

type Session = Stripe.Checkout.Session

const minutes30 = 30 * 60
const hours24 = 24 * 3600
/** Earlier versions took `embedded` and `hosted`, and `payment_method_types`. */
const newModesSince = '2026-03-25'
const allowedTypesSince = '2026-09-30'
const knownTypes = ['card', 'link', 'paypal', 'klarna', 'ideal', 'bancontact', 'sepa_debit', 'us_bank_account', 'amazon_pay', 'cashapp'] as const

function create(call: Call, fields: Fields): Session {
  const created = unixSeconds()
  const mode = fields.oneOf('mode', ['payment']) ?? fields.needed('mode')
  const modes = ['embedded_page', 'hosted_page', ...(call.version < newModesSince ? ['embedded', 'hosted'] : [])]
  const ui_mode = fields.oneOf('ui_mode', modes) ?? 'hosted_page'
  const lines = formLines(fields.items('line_items'))
  const { currency, total } = totalOf(lines)
  const types = methodTypes(fields, call.version < allowedTypesSince ? 'payment_method_types' : 'allowed_payment_method_types')
  const data = fields.map('payment_intent_data')
  const intent = {
    metadata: data?.metadata() ?? {},
    description: data?.text('description') ?? null,
    fee: data?.integer('application_fee_amount') ?? null,
  }
  data?.ignore('receipt_email', 'statement_descriptor', 'statement_descriptor_suffix')
  const id = `cs_test_${random(58)}`
  const session: Session = {
    ...blankSession,
    id,
    ...pages(fields, ui_mode.startsWith('embedded'), id),
    mode,
    ui_mode,
    created,
    currency,
    amount_subtotal: total,
    amount_total: total,
    expires_at: expiry(fields.integer('expires_at'), created),
    client_reference_id: fields.text('client_reference_id') ?? null,
    customer_email: fields.text('customer_email') ?? null,
    metadata: fields.metadata(),
    allowed_payment_method_types: types.length ? types : null,
    payment_method_types: types.length ? types : ['card'],
    locale: (fields.text('locale') as Stripe.Checkout.Session.Locale | undefined) ?? null,
    submit_type: (fields.text('submit_type') as Stripe.Checkout.Session.SubmitType | undefined) ?? null,
  }
  fields.ignore('billing_address_collection', 'phone_number_collection', 'customer_creation')
  fields.done()
  checkTotal(total, currency)
  return put(call.account, session, { lines, intent })
}

function methodTypes(fields: Fields, name: string): string[] {
  return fields.texts(name).map((type, i) => {
    if (knownTypes.some((one) => one === type)) return type
    throw invalid(`Invalid ${name}[${i}]: must be one of ${knownTypes.join(', ')}`, `${name}[${i}]`)
  })
}

function pages(fields: Fields, isEmbedded: boolean, id: string): Pick<Session, 'client_secret' | 'url' | 'success_url' | 'cancel_url' | 'return_url'> {
  const success_url = fields.text('success_url') ?? null
  const cancel_url = fields.text('cancel_url') ?? null
  const return_url = fields.text('return_url')
  const redirect_on_completion = fields.oneOf('redirect_on_completion', ['always', 'if_required', 'never']) ?? 'always'
  for (const [name, url] of Object.entries({ success_url, cancel_url, return_url }))
    if (url && !URL.canParse(url)) throw invalid('Not a valid URL', name, 'url_invalid')
  if (!isEmbedded) {
    if (success_url === null) throw invalid('Missing required param: success_url.', 'success_url', 'parameter_missing')
    if (return_url !== undefined) throw invalid('`return_url` is only allowed when `ui_mode` is `embedded_page`.', 'return_url')
    return { client_secret: null, url: `https://checkout.stripe.com/c/pay/${id}`, success_url, cancel_url }
  }
  if (success_url !== null || cancel_url !== null)
    throw invalid(
      '`success_url` and `cancel_url` are not allowed when `ui_mode` is `embedded_page`; use `return_url`.',
      success_url === null ? 'cancel_url' : 'success_url',
    )
  if (return_url === undefined && redirect_on_completion !== 'never') throw invalid('Missing required param: return_url.', 'return_url', 'parameter_missing')
  const secret = { client_secret: `${id}_secret_${random(42)}`, url: null, success_url, cancel_url, redirect_on_completion }
  return return_url === undefined ? secret : { ...secret, return_url }
}

function expiry(expiresAt: number | undefined, created: number): number {
  if (expiresAt === undefined) return created + hours24
  if (expiresAt < created + minutes30) throw invalid('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.', 'expires_at')
  if (expiresAt > created + hours24) throw invalid('The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.', 'expires_at')
  return expiresAt
}

function checkTotal(total: number, currency: string): void {
  const least = minimumAmount(currency)
  // A total of zero is accepted: it needs no payment.
  if (total > 0 && total < least)
    throw refused(`The Checkout Session's total amount due must add up to at least ${(least / 100).toFixed(2)} ${currency}`, { code: 'amount_too_small' })
  if (total > maximumAmount) throw refused(`The Checkout Session's total amount due must be no more than 999,999.99 ${currency}`, { code: 'amount_too_large' })
}

function end(origin: Origin, session: Session, change: Partial<Session>): Session {
  return put(origin.account, { ...session, url: null, ...change })
}

function expire(origin: Origin, session: Session): Session {
  if (session.status !== 'open')
    throw refused(`Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`)
  const expired = end(origin, session, { status: 'expired' })
  emit(origin, 'checkout.session.expired', expired)
  return expired
}

/** Pays a session of any account by card. */
export function pay(id: string, outcome: 'succeeded' | 'declined'): object {
  const { account, object: session } = locate('checkout.session', id)
  const origin = dashboard(account)
  if (session.status === 'open' && session.expires_at <= unixSeconds()) expire(origin, session)
  const { status } = get('checkout.session', account, id)
  if (status !== 'open') throw refused(`This Checkout Session is ${status}: it cannot be paid.`)
  const email = session.customer_email ?? 'buyer@example.com'
  const customer_details = { ...blankCustomer, email }
  if (session.amount_total === 0) {
    const free = end(origin, session, { status: 'complete', payment_status: 'no_payment_required', customer_details })
    emit(origin, 'checkout.session.completed', free)
    return free
  }
  const begun = find('payment_intent', account, String(session.payment_intent)) ?? intentFor(session, detailOf(id))
  if (outcome === 'declined') {
    declinedFor(origin, begun)
    return put(account, { ...session, payment_intent: begun.id })
  }
  const paid = chargeFor(origin, begun, email)
  const complete = end(origin, session, { status: 'complete', payment_status: 'paid', payment_intent: paid.id, customer_details })
  emit(origin, 'checkout.session.completed', complete)
  return complete
}

const blankCustomer = { address: null, business_name: null, individual_name: null, name: 'A Buyer', phone: null, tax_exempt: 'none' as const, tax_ids: [] }

export function expireByProvider(id: string): object {
  const { account, object } = locate('checkout.session', id)
  return expire(dashboard(account), object)
}

/** Expires sessions whose time is over. */
export function expireOverdue(): void {
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
    (call, fields) => list('checkout.session', call.account, call.path, fields, { status: (one) => one.status, payment_intent: (one) => one.payment_intent }),
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
  ['GET', '/v1/checkout/sessions/:id/line_items', (call, fields, id) => page(detailOf(session(call, id).id)?.lines ?? [], call.path, fields)],
]
