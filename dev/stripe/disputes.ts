// A dispute withdraws the charge's amount until it is won. An inquiry leaves the charge refundable.
import type Stripe from 'stripe'
import { dashboard, type Route } from './calls.ts'
import { Refusal } from './errors.ts'
import { emit } from './events.ts'
import { newId, unixSeconds } from './ids.ts'
import { list, one } from './lists.ts'
import { all, put } from './objects.ts'
import { locateCharge } from './payments.ts'
import { blankDispute } from './shapes.ts'

type Dispute = Stripe.Dispute

const open = [
  'warning_needs_response',
  'warning_under_review',
  'needs_response',
  'under_review',
  'appeal_needs_response',
  'appeal_under_review',
]
const closed = ['warning_closed', 'won', 'lost', 'prevented']

/**
 * Opens the payment's dispute, or changes its status. A dispute that is closed at once is opened first, as at Stripe.
 */
export function dispute(paymentId: string, status: string | undefined, amount: number | undefined): Dispute {
  if (status !== undefined && !open.includes(status) && !closed.includes(status))
    throw new Refusal(400, `status: must be one of ${[...open, ...closed].join(', ')}`)
  const { account, charge } = locateCharge(paymentId)
  const origin = dashboard(account)
  const existing = all('dispute', account).findLast((one) => one.charge === charge.id)
  const first =
    status !== undefined && open.includes(status)
      ? status
      : status === 'warning_closed'
        ? 'warning_needs_response'
        : 'needs_response'
  const before = existing ?? put(account, { ...opened(charge, first), amount: amount ?? charge.amount })
  if (!existing) {
    put(account, { ...charge, disputed: true })
    emit(origin, 'charge.dispute.created', before)
  }
  const next = status ?? before.status
  if (next === before.status && (amount === undefined || amount === before.amount)) return before
  const after: Dispute = put(account, {
    ...before,
    status: next,
    amount: amount ?? before.amount,
    is_charge_refundable: refundable(next),
  })
  const previous = { status: before.status, ...(after.amount !== before.amount && { amount: before.amount }) }
  emit(origin, closed.includes(next) ? 'charge.dispute.closed' : 'charge.dispute.updated', after, previous)
  return after
}

const refundable = (status: string) => status.startsWith('warning_')

function opened(charge: Stripe.Charge, status: string): Dispute {
  return {
    ...blankDispute,
    id: newId('dp'),
    amount: charge.amount,
    charge: charge.id,
    created: unixSeconds(),
    currency: charge.currency,
    evidence_details: { ...blankDispute.evidence_details, due_by: unixSeconds() + 14 * 86_400 },
    is_charge_refundable: refundable(status),
    payment_intent: charge.payment_intent,
    status,
  }
}

export const disputeRoutes: Route[] = [
  [
    'GET',
    '/v1/disputes',
    (call, fields) =>
      list('dispute', call.account, call.path, fields, {
        payment_intent: (one) => one.payment_intent,
        charge: (one) => one.charge,
      }),
  ],
  ['GET', '/v1/disputes/:id', one('dispute', 'id')],
]
