// A payment with manual capture is authorised first, and then captured once, cancelled, or lapses.
import type Stripe from 'stripe'
import type { Call, Route } from './calls.ts'
import { dashboard } from './calls.ts'
import { refused } from './errors.ts'
import { emit, type Origin } from './events.ts'
import type { Fields } from './form.ts'
import { newId, unixSeconds } from './ids.ts'
import { get, locate, put } from './objects.ts'
import { chargeFor } from './payments.ts'

type Intent = Stripe.PaymentIntent
type Charge = Stripe.Charge

/** Cards are authorised for seven days. */
const authorizedS = 7 * 24 * 3600

/** Authorises the amount on a card that is not saved: nothing is captured. */
export function authorizeFor(origin: Origin, intent: Intent, email: string | null): Intent {
  return chargeFor(origin, intent, email, undefined, unixSeconds() + authorizedS)
}

const chargeOf = (account: string, intent: Intent): Charge => get('charge', account, String(intent.latest_charge))

function unexpected(verb: 'captured' | 'canceled', { status }: Intent, statuses: readonly string[]): never {
  const what = `This PaymentIntent could not be ${verb} because it has a status of ${status}.`
  throw refused(
    `${what} Only a PaymentIntent with one of the following statuses may be ${verb}: ${statuses.join(', ')}.`,
    {
      code: 'payment_intent_unexpected_state',
    },
  )
}

function capture(call: Call, fields: Fields, id: string): Intent {
  const amount = fields.integer('amount_to_capture')
  fields.metadata()
  fields.ignore('final_capture', 'application_fee_amount', 'statement_descriptor', 'statement_descriptor_suffix')
  fields.done()
  return take(call, get('payment_intent', call.account, id, 'intent'), amount)
}

function take(origin: Origin, intent: Intent, amount: number | undefined): Intent {
  if (intent.status !== 'requires_capture') unexpected('captured', intent, ['requires_capture'])
  const amount_captured = amount ?? intent.amount_capturable
  if (amount_captured < 1 || amount_captured > intent.amount_capturable)
    throw refused('The amount to capture must be greater than 0 and at most the capturable amount.', {
      param: 'amount_to_capture',
    })
  const before = chargeOf(origin.account, intent)
  // What is not captured is released.
  const amount_refunded = before.amount - amount_captured
  const charge = put(origin.account, {
    ...before,
    captured: true,
    amount_captured,
    amount_refunded,
    balance_transaction: newId('txn'),
  })
  const captured: Intent = put(origin.account, {
    ...intent,
    status: 'succeeded',
    amount_capturable: 0,
    amount_received: amount_captured,
  })
  emit(origin, 'charge.captured', charge)
  emit(origin, 'payment_intent.succeeded', captured)
  return captured
}

function release(origin: Origin, intent: Intent, reason: Intent['cancellation_reason']): Intent {
  if (intent.status === 'requires_capture') {
    const before = chargeOf(origin.account, intent)
    const charge = put(origin.account, { ...before, amount_refunded: before.amount, refunded: true })
    emit(origin, reason === 'automatic' ? 'charge.expired' : 'charge.refunded', charge)
  }
  const canceled: Intent = {
    ...intent,
    status: 'canceled',
    amount_capturable: 0,
    canceled_at: unixSeconds(),
    cancellation_reason: reason,
  }
  put(origin.account, canceled)
  emit(origin, 'payment_intent.canceled', canceled)
  return canceled
}

const reasons = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'] as const

function cancel(call: Call, fields: Fields, id: string): Intent {
  const reason = fields.oneOf('cancellation_reason', reasons) ?? null
  fields.done()
  const intent = get('payment_intent', call.account, id, 'intent')
  // A page makes its intent when it is paid: one that waits for another card belongs to an open page.
  if (intent.status === 'requires_payment_method')
    throw refused('You cannot cancel this PaymentIntent because it belongs to an open Checkout Session.')
  if (intent.status !== 'requires_capture')
    unexpected('canceled', intent, [
      'requires_payment_method',
      'requires_capture',
      'requires_confirmation',
      'requires_action',
      'processing',
    ])
  return release(call, intent, reason)
}

/** In the provider's dashboard: captured by `amount`, or by all of it, or cancelled. */
export function decideByDashboard(id: string, amount: number | null | undefined): Intent {
  const { account, object } = locate('payment_intent', id)
  const origin = dashboard(account)
  if (amount !== null) return take(origin, object, amount)
  if (object.status !== 'requires_capture') unexpected('canceled', object, ['requires_capture'])
  return release(origin, object, 'requested_by_customer')
}

/** The authorisation of any account is over, before anything was captured. */
export function lapse(id: string): Intent {
  const { account, object } = locate('payment_intent', id)
  if (object.status !== 'requires_capture') throw refused(`This PaymentIntent is ${object.status}: it cannot lapse.`)
  return release(dashboard(account), object, 'automatic')
}

export const authorizationRoutes: Route[] = [
  ['POST', '/v1/payment_intents/:id/capture', capture],
  ['POST', '/v1/payment_intents/:id/cancel', cancel],
]
