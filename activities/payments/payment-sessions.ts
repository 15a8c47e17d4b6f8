// The provider's payment page: opened once, closed once, and searched for when an answer was lost.
import { ApplicationFailure } from '@temporalio/common'
import Stripe from 'stripe'
import { unixNow } from '../../adapters/clock.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { Order } from '../../entities/orders/order.ts'
import { PaymentSession } from '../../entities/payments/payment-session.ts'
import { paymentSessionEffect } from '../../entities/payments/payment-session-effect.ts'
import { recordRead } from '../../entities/payments/payment-sessions.ts'
import { SessionExpiry, sessionExpiryEffect } from '../../entities/payments/session-expiry.ts'
import { applyReadPage } from '../../entities/subscriptions/completed-pages.ts'
import { pageFacts } from '../../entities/subscriptions/pages.ts'
import type { PriceInterval } from '../../rules/audiences/audiences.ts'
import { isPlainAddress } from '../../rules/input/email-addresses.ts'
import type { SessionMode } from '../../rules/payments/payments.ts'
import { productName, stripeAmount } from '../../rules/payments/provider-amounts.ts'
import { database, transaction } from '../kit/database.ts'
import { NeverSent, once, type Verdict } from '../kit/once.ts'
import { reading, sendToStripe } from '../providers/stripe.ts'
import { accessTo, unlocked } from './provider-access.ts'

const stateOf = (status: string | null): 'open' | 'complete' | 'expired' =>
  status === 'complete' || status === 'expired' ? status : 'open'

/** A page that takes one payment has `amount` and `name`, one that begins a subscription `price` or `interval`. */
type OpenRequest = {
  account: string | null
  amount: number
  currency: string
  name: string
  /** Null for a form that does not redirect on completion. */
  return_url: string | null
  /** The return address of a page that is the provider's own; left out for a form. */
  cancel_url?: string
  expires_at: number
  metadata: Record<string, string>
  /** The amount is authorised only, and captured when the booking is approved. */
  manual?: true
  /** What a subscription needs; left out for an order. */
  membership?: {
    mode: SessionMode
    /** The provider's price; null: the amount above is charged, with `interval` repeatedly. */
    price: string | null
    interval: PriceInterval | null
    coupon: string | null
    customer: string | null
    email: string | null
  }
}

async function prepareOpen(id: string): Promise<OpenRequest> {
  const em = unitOf(await database(), null)
  const session = await em.findOneOrFail(PaymentSession, { id }, anyTenant)
  const { tenant_id, order_id, subscription_id, payment_id, currency, return_url } = session
  const request = {
    account: session.provider_account_id ?? null,
    amount: stripeAmount(session.amount, currency),
    currency: currency.toLowerCase(),
    return_url: return_url ?? null,
  }
  if (order_id) {
    const order = await em.findOneOrFail(Order, { id: order_id, tenant_id }, anyTenant)
    const expires_at = expiryOf((order.hold_until?.getTime() ?? 0) / 1000)
    const manual = order.approval_required ? { manual: true as const } : {}
    return {
      ...request,
      ...manual,
      name: `Order ${order.number}`,
      expires_at,
      metadata: { tenant_id, order_id, payment_id, payment_session: id },
    }
  }
  const subscription = String(subscription_id)
  const {
    plan_id,
    kind,
    interval,
    cancel_url,
    hold_until,
    provider_price_id,
    audience,
    tier,
    coupon,
    customer,
    email,
  } = await pageFacts(em, tenant_id, subscription)
  if (coupon && !coupon.made)
    throw new NeverSent(
      coupon.error ?? {
        code: 'no_coupon',
        message: 'The payment provider does not have the coupon of the promo code.',
      },
    )
  const recurring = kind === 'recurring'
  // The plan of a store has no price of its own at the provider.
  if (recurring && !plan_id && !provider_price_id)
    throw new NeverSent({ code: 'price_not_ready', message: 'The payment provider does not have the price.' })
  return {
    ...request,
    ...(cancel_url === null ? {} : { cancel_url }),
    name: plan_id ?? productName([audience, tier].filter((name) => name).join(', ')),
    expires_at: expiryOf(hold_until ?? 0),
    metadata: { tenant_id, subscription, payment_session: id },
    membership: {
      ...{
        mode: session.mode,
        price: recurring ? provider_price_id : null,
        interval: recurring && !provider_price_id ? interval : null,
      },
      ...{ coupon: coupon?.id ?? null, customer, email: customer || !isPlainAddress(email) ? null : email },
    },
  }
}

/** Stripe requires at least half an hour; after a shorter hold the checkout closes the page. In Unix seconds. */
const expiryOf = (holdEnd: number): number => Math.max(Math.floor(holdEnd) + 5 * 60, unixNow() + 35 * 60)

/** What the page charges, for whom, and what its payment or subscription is marked with. */
function chargeOf({
  amount,
  currency,
  name,
  metadata,
  manual,
  membership,
}: OpenRequest): Stripe.Checkout.SessionCreateParams {
  const {
    mode = 'payment',
    price = null,
    interval = null,
    coupon = null,
    customer = null,
    email = null,
  } = membership ?? {}
  const recurring = interval && { recurring: { interval: interval.period, interval_count: interval.count } }
  const price_data = { currency, unit_amount: amount, product_data: { name }, ...recurring }
  return {
    mode,
    line_items: [{ quantity: 1, ...(price ? { price } : { price_data }) }],
    metadata,
    ...(mode === 'subscription'
      ? { subscription_data: { metadata } }
      : { payment_intent_data: { metadata, ...(manual ? { capture_method: 'manual' as const } : {}) } }),
    // The payment is of exactly this amount and currency.
    ...(membership ? { adaptive_pricing: { enabled: false } } : {}),
    ...(coupon ? { discounts: [{ coupon }] } : {}),
    ...(customer ? { customer } : {}),
    ...(email ? { customer_email: email } : {}),
  }
}

/**
 * A page without its client secret, or its own page without an address, cannot be shown to the buyer: unknown, but
 * stored, so that its checkout closes it.
 */
function opened({ id, status, client_secret, url, expires_at }: Stripe.Checkout.Session): Verdict {
  const evidence = { provider_session_id: id, status }
  const columns = { provider_session_id: id, expires_at: expires_at ?? null, state: stateOf(status) }
  const secret = client_secret ?? url
  if (secret) return { kind: 'succeeded', evidence, columns: { ...columns, client_secret: encrypt(secret) } }
  return {
    kind: 'unknown',
    evidence,
    columns,
    error: { code: 'broken_answer', message: 'The provider opened a page without its client secret.' },
  }
}

export const sendPaymentSession = once({
  row: paymentSessionEffect,
  prepare: prepareOpen,
  unlock: unlocked<OpenRequest>,
  send: (request, sending) =>
    sendToStripe(
      sending,
      request.access,
      'session',
      (client, options) =>
        client.checkout.sessions.create(
          {
            ...(request.cancel_url === undefined
              ? {
                  ui_mode: 'embedded_page',
                  ...(request.return_url === null
                    ? { redirect_on_completion: 'never' }
                    : { return_url: request.return_url }),
                }
              : {
                  ui_mode: 'hosted_page',
                  success_url: request.return_url ?? request.cancel_url,
                  cancel_url: request.cancel_url,
                }),
            expires_at: request.expires_at,
            // Cards only: other methods may settle days later, after the hold.
            allowed_payment_method_types: ['card'],
            ...chargeOf(request),
          },
          options,
        ),
      (page) => (page.metadata?.payment_session === sending.id ? opened(page) : null),
    ),
})

type CloseRequest = { account: string | null; session: string }

export const sendSessionExpiry = once({
  row: sessionExpiryEffect,
  async prepare(expiryId): Promise<CloseRequest> {
    const em = unitOf(await database(), null)
    const expiry = await em.findOneOrFail(SessionExpiry, { id: expiryId }, anyTenant)
    const session = await em.findOneOrFail(
      PaymentSession,
      { id: expiry.payment_session_id, tenant_id: expiry.tenant_id },
      anyTenant,
    )
    if (!session.provider_session_id)
      throw new NeverSent({ code: 'no_provider_session', message: 'the session is not known at the provider' })
    return { account: session.provider_account_id ?? null, session: session.provider_session_id }
  },
  unlock: unlocked<CloseRequest>,
  send: ({ access, session }, sending) =>
    sendToStripe(
      sending,
      access,
      'session',
      (client, options) => client.checkout.sessions.expire(session, {}, options),
      ({ id: provider_session_id, status }) => {
        // `status` is read as the outcome of the request: an open or completed page is one that was not closed.
        const evidence = { provider_session_id, state: status }
        if (provider_session_id === session && status === 'expired') return { kind: 'succeeded', evidence }
        // The checkout reads the page's state.
        return {
          kind: 'unknown',
          evidence,
          error: { code: 'not_expired', message: `The provider answered with a page that is ${status}.` },
        }
      },
    ),
})

const idOf = (ref: string | { id: string } | null): string | null => (typeof ref === 'string' ? ref : (ref?.id ?? null))

/** Stores the state of a session that was read, and links the subscription that it made: its events may be lost. */
async function record(session: PaymentSession, found: Stripe.Checkout.Session): Promise<void> {
  const [subscription, customer] = [idOf(found.subscription), idOf(found.customer)]
  if (session.mode === 'subscription' && found.status === 'complete' && subscription)
    return transaction((at) => applyReadPage(at, session, { id: found.id, subscription, customer }, unixNow()))
  const { id, tenant_id, payment_id } = session
  const read = { provider_session_id: found.id, state: stateOf(found.status) }
  await transaction((at) => recordRead(at, { id, tenant_id, payment_id }, read, unixNow()))
}

/**
 * Reads a session at the provider and stores its state. A read: it may be retried, unless the provider has no such
 * session, or refuses access to the account.
 */
export async function readPaymentSession(id: string): Promise<void> {
  const em = unitOf(await database(), null)
  const session = await em.findOneOrFail(PaymentSession, { id }, anyTenant)
  if (!session.provider_session_id) return
  const { client, options } = reading(await accessTo(session.provider_account_id ?? null), 'session')
  const found = await client.checkout.sessions
    .retrieve(session.provider_session_id, {}, options)
    .catch((error: unknown) => {
      if (error instanceof Stripe.errors.StripeError && (error.statusCode === 403 || error.statusCode === 404))
        throw ApplicationFailure.nonRetryable(`the provider answered with ${error.statusCode}`, 'NoSession')
      throw error
    })
  if (found.id !== session.provider_session_id) throw new Error('the provider answered with another session')
  await record(session, found)
}

/** The session of this id; null if the provider has none, or shows it to others only. */
async function sessionNamed(
  { client, options }: ReturnType<typeof reading>,
  id: string,
): Promise<Stripe.Checkout.Session | null> {
  try {
    const found = await client.checkout.sessions.retrieve(id, {}, options)
    return found.id === id ? found : null
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && [400, 403, 404].includes(error.statusCode ?? 0)) return null
    throw error
  }
}

/**
 * After an unknown opening: searches for the session at the provider and stores it, so that it can be closed. The one
 * that a person named comes first, and is taken only if it is the session of this request. True if there is one.
 */
export async function findPaymentSession(id: string): Promise<boolean> {
  const em = unitOf(await database(), null)
  const session = await em.findOneOrFail(PaymentSession, { id }, anyTenant)
  const access = await accessTo(session.provider_account_id ?? null)
  const { named } = (session.evidence ?? {}) as { named?: string }
  const one = named ? await sessionNamed(reading(access, 'session'), named) : null
  if (one?.metadata?.payment_session === id) {
    await record(session, one)
    return true
  }
  const { client, options } = reading(access, 'sessions')
  const since = Math.floor((session.sent_at?.getTime() ?? Date.now()) / 1000) - 60
  for await (const one of client.checkout.sessions.list({ limit: 100, created: { gte: since } }, options)) {
    if (one.metadata?.payment_session !== id) continue
    await record(session, one)
    return true
  }
  return false
}
