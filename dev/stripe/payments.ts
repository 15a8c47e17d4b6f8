// Payments: a capture never exceeds the amount, and every attempt leaves a charge.
import type Stripe from 'stripe'
import { detailsOf } from './billing/customers.ts'
import type { Route } from './calls.ts'
import { emit, type Origin } from './events.ts'
import { newId, random, unixSeconds } from './ids.ts'
import { list, one } from './lists.ts'
import { get, locate, put, type SessionDetail } from './objects.ts'
import { blankCharge, blankIntent } from './shapes.ts'

type Intent = Stripe.PaymentIntent
type Charge = Stripe.Charge

type Given = Partial<Pick<Intent, 'capture_method'>> &
  Pick<
    Intent,
    'amount' | 'currency' | 'customer' | 'description' | 'metadata' | 'application_fee_amount' | 'payment_method_types'
  >

export function newIntent(given: Given): Intent {
  const id = newId('pi', 24)
  return { ...blankIntent, ...given, id, created: unixSeconds(), client_secret: `${id}_secret_${random(25)}` }
}

export const intentFor = (session: Stripe.Checkout.Session, detail: SessionDetail | undefined): Intent =>
  newIntent({
    amount: session.amount_total ?? 0,
    currency: session.currency ?? '',
    customer: session.customer,
    payment_method_types: session.payment_method_types,
    metadata: detail?.intent.metadata ?? {},
    description: detail?.intent.description ?? null,
    application_fee_amount: detail?.intent.fee ?? null,
    ...(detail?.intent.manual && { capture_method: 'manual' }),
  })

function chargeOf(intent: Intent, card: Stripe.PaymentMethod | undefined): Charge {
  return {
    ...blankCharge,
    id: newId('ch'),
    amount: intent.amount,
    application_fee_amount: intent.application_fee_amount,
    created: unixSeconds(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    metadata: intent.metadata,
    payment_intent: intent.id,
    payment_method: card?.id ?? newId('pm'),
    payment_method_details: detailsOf(card),
    status: 'succeeded',
  }
}

/**
 * Charges `card`, or a card that is not saved. `captureBefore`, in Unix seconds: the amount is only authorised until
 * then.
 */
export function chargeFor(
  origin: Origin,
  intent: Intent,
  email: string | null,
  card?: Stripe.PaymentMethod,
  captureBefore?: number,
): Intent {
  const isCaptured = captureBefore === undefined
  const charge: Charge = {
    ...chargeOf(intent, card),
    ...(isCaptured ? { amount_captured: intent.amount, balance_transaction: newId('txn') } : {}),
    billing_details: { ...blankCharge.billing_details, email, name: 'A Buyer' },
    captured: isCaptured,
    paid: true,
    outcome: outcome('authorized', 'approved_by_network', 'Payment complete.'),
  }
  const { card: paidWith } = charge.payment_method_details ?? {}
  if (paidWith && !isCaptured)
    charge.payment_method_details = { type: 'card', card: { ...paidWith, capture_before: captureBefore } }
  put(origin.account, charge)
  const paid: Intent = {
    ...intent,
    ...(isCaptured
      ? { status: 'succeeded', amount_received: intent.amount }
      : { status: 'requires_capture', amount_capturable: intent.amount }),
    latest_charge: charge.id,
    payment_method: charge.payment_method,
    last_payment_error: null,
  }
  put(origin.account, paid)
  emit(origin, 'charge.succeeded', charge)
  emit(origin, isCaptured ? 'payment_intent.succeeded' : 'payment_intent.amount_capturable_updated', paid)
  return paid
}

export function declinedFor(origin: Origin, intent: Intent, card?: Stripe.PaymentMethod): Intent {
  const message = 'Your card was declined.'
  const charge: Charge = {
    ...chargeOf(intent, card),
    status: 'failed',
    failure_code: 'card_declined',
    failure_message: message,
    outcome: outcome(
      'issuer_declined',
      'declined_by_network',
      'The bank did not return any further details with this decline.',
    ),
  }
  put(origin.account, charge)
  const declined: Intent = {
    ...intent,
    status: 'requires_payment_method',
    latest_charge: charge.id,
    last_payment_error: {
      charge: charge.id,
      code: 'card_declined',
      decline_code: 'generic_decline',
      message,
      type: 'card_error',
    },
  }
  put(origin.account, declined)
  emit(origin, 'charge.failed', charge)
  emit(origin, 'payment_intent.payment_failed', declined)
  return declined
}

function outcome(type: string, network_status: string, seller_message: string): NonNullable<Charge['outcome']> {
  const refusedBy = type === 'authorized' ? null : 'generic_decline'
  return {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: null,
    network_status,
    reason: refusedBy,
    seller_message,
    type,
  }
}

/** The controls name a payment by its intent or its charge. */
export function locateCharge(id: string): { account: string; charge: Charge } {
  if (!id.startsWith('pi_')) {
    const { account, object } = locate('charge', id)
    return { account, charge: object }
  }
  const { account, object } = locate('payment_intent', id)
  return { account, charge: get('charge', account, String(object.latest_charge)) }
}

export const paymentRoutes: Route[] = [
  ['GET', '/v1/payment_intents', (call, fields) => list('payment_intent', call.account, call.path, fields)],
  ['GET', '/v1/payment_intents/:id', one('payment_intent', 'intent')],
  [
    'GET',
    '/v1/charges',
    (call, fields) => list('charge', call.account, call.path, fields, { payment_intent: (one) => one.payment_intent }),
  ],
  ['GET', '/v1/charges/:id', one('charge', 'charge')],
]
