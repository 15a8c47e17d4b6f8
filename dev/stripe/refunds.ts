// Refunds of a charge never exceed it. A failed refund makes its amount refundable again.
import type Stripe from 'stripe'
import { holds } from '../sim/faults.ts'
import type { Call, Route } from './calls.ts'
import { dashboard } from './calls.ts'
import { invalid, Refusal, refused } from './errors.ts'
import { emit, type Origin } from './events.ts'
import type { Fields } from './form.ts'
import { newId, unixSeconds } from './ids.ts'
import { list, one } from './lists.ts'
import { formatAmount } from './money.ts'
import { all, find, get, locate, put } from './objects.ts'
import { locateCharge } from './payments.ts'
import { blankRefund } from './shapes.ts'

type Refund = Stripe.Refund
type Charge = Stripe.Charge

const statuses = ['succeeded', 'pending', 'requires_action', 'failed'] as const
type Next = { status: (typeof statuses)[number]; times: number; body_match?: string; account?: string }
let nextStatuses: Next[] = []

/** The first status of the next matching refund. */
export function setNextRefund(given: Record<string, unknown>): Next {
  const next = { times: 1, ...given } as Next
  if (!statuses.includes(next.status)) throw new Refusal(400, `status: must be one of ${statuses.join(', ')}`)
  nextStatuses.push(next)
  return next
}

function initialStatus(origin: Origin, body: string): Next['status'] {
  const next = nextStatuses.find(
    (one) => (one.account === undefined || one.account === origin.account) && holds(body, one.body_match),
  )
  if (next && --next.times <= 0) nextStatuses = nextStatuses.filter((one) => one !== next)
  return next?.status ?? 'succeeded'
}

function create(call: Call, fields: Fields): Refund {
  const amount = fields.integer('amount')
  const reason = fields.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer']) ?? null
  const metadata = fields.metadata()
  const intentId = fields.text('payment_intent')
  const chargeId = fields.text('charge')
  fields.ignore('refund_application_fee', 'reverse_transfer', 'instructions_email')
  fields.done()
  if (intentId === undefined && chargeId === undefined)
    throw invalid(
      'One of the following params should be provided for this request: payment_intent or charge.',
      'payment_intent',
      'parameter_missing',
    )
  if (amount !== undefined && amount < 1)
    throw invalid('This value must be greater than or equal to 1.', 'amount', 'parameter_invalid_integer')
  const charge =
    chargeId !== undefined
      ? get('charge', call.account, chargeId, 'charge')
      : chargeOfIntent(call.account, String(intentId))
  if (intentId !== undefined && charge.payment_intent !== intentId)
    throw refused(`The charge ${charge.id} does not belong to the payment intent ${intentId}.`, { param: 'charge' })
  return refund(call, charge, amount, { reason, metadata }, call.body ?? '')
}

function chargeOfIntent(account: string, id: string): Charge {
  const intent = get('payment_intent', account, id, 'payment_intent')
  const charge = find('charge', account, String(intent.latest_charge))
  if (charge?.status !== 'succeeded' || !charge.captured)
    throw refused(`This PaymentIntent (${id}) does not have a successful charge to refund.`)
  return charge
}

function refund(
  origin: Origin,
  charge: Charge,
  wanted: number | undefined,
  extra: Pick<Refund, 'reason' | 'metadata'>,
  body: string,
): Refund {
  if (charge.status !== 'succeeded') throw refused(`Charge ${charge.id} has not succeeded and cannot be refunded.`)
  if (!charge.captured)
    throw refused(
      `This uncaptured Charge was created by a PaymentIntent (${charge.payment_intent}). ` +
        'You must cancel the PaymentIntent to reverse the authorization instead of refunding the Charge directly.',
    )
  const left = charge.amount - charge.amount_refunded
  if (left === 0) throw refused(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' })
  if (all('dispute', origin.account).some((dispute) => dispute.charge === charge.id && !dispute.is_charge_refundable))
    throw refused(`Charge ${charge.id} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' })
  const amount = wanted ?? left
  if (amount > left) {
    const limit = charge.amount_refunded ? 'unrefunded amount on charge' : 'charge amount'
    const message = `Refund amount (${formatAmount(amount, charge.currency)}) is greater than ${limit} (${formatAmount(left, charge.currency)})`
    throw refused(message, { param: 'amount' })
  }
  const status = initialStatus(origin, body)
  const refund: Refund = {
    ...blankRefund,
    ...extra,
    id: newId('re'),
    amount,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created: unixSeconds(),
    currency: charge.currency,
    payment_intent: charge.payment_intent,
    status,
    ...(status === 'pending' && { pending_reason: 'processing' }),
    ...(status === 'failed' && failure()),
  }
  put(origin.account, refund)
  emit(origin, 'refund.created', refund)
  if (status === 'failed') {
    emit(origin, 'refund.failed', refund)
    return refund
  }
  emit(origin, 'charge.refunded', countRefund(origin, charge, amount))
  return refund
}

const failure = () => ({ failure_reason: 'expired_or_canceled_card', failure_balance_transaction: newId('txn') })

function countRefund(origin: Origin, charge: Charge, amount: number): Charge {
  const amount_refunded = charge.amount_refunded + amount
  return put(origin.account, { ...charge, amount_refunded, refunded: amount_refunded === charge.amount })
}

/** A later decision of the bank: completes or fails a pending refund, or fails one that had succeeded. */
export function settleRefund(id: string, status: 'succeeded' | 'failed'): Refund {
  const { account, object: before } = locate('refund', id)
  if (before.status === 'failed' || before.status === status)
    throw refused(`This refund is ${before.status}: it cannot become ${status}.`)
  const origin = dashboard(account)
  const { pending_reason, ...rest } = before
  const after: Refund = put(account, { ...rest, status, ...(status === 'failed' && failure()) })
  if (status === 'failed') countRefund(origin, get('charge', account, String(before.charge)), -before.amount)
  emit(origin, 'refund.updated', after, { status: before.status, ...(pending_reason && { pending_reason }) })
  if (status === 'failed') emit(origin, 'refund.failed', after)
  return after
}

/** A refund made in the provider's dashboard: without a request of ours and without metadata. */
export function refundByDashboard(paymentId: string, amount: number | undefined): Refund {
  const { account, charge } = locateCharge(paymentId)
  return refund(dashboard(account), charge, amount, { reason: 'requested_by_customer', metadata: {} }, '')
}

export const refundRoutes: Route[] = [
  ['POST', '/v1/refunds', create],
  [
    'GET',
    '/v1/refunds',
    (call, fields) =>
      list('refund', call.account, call.path, fields, {
        payment_intent: (one) => one.payment_intent,
        charge: (one) => one.charge,
      }),
  ],
  ['GET', '/v1/refunds/:id', one('refund', 'id')],
]
