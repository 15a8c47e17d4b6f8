// The next step of a card checkout, by its rows alone: open the payment form, wait, close it, and release what was
// reserved only when no payment is possible.
import type { EffectStatus } from '../shapes.ts'
import type { PaymentStatus, SessionState } from './payments.ts'

export type CheckoutFacts = {
  /** What is paid for: an order or a subscription. `given_up`: what it reserved was released. */
  owner: 'pending' | 'kept' | 'given_up'
  cancel_requested: boolean
  /** Milliseconds until the reservation expires; negative after that. */
  hold_left_ms: number
  payment_status: PaymentStatus
  session: { id: string; status: EffectStatus; state: SessionState | null; has_provider_id: boolean }
  expiry: { id: string; status: EffectStatus } | null
  /**
   * The coupon that the form needs. `at_provider`: whether the provider has it, as read after an unknown outcome; null
   * until it was read.
   */
  coupon: { id: string; status: EffectStatus; at_provider: boolean | null } | null
  /** Another subscription of the same member waits for this form to be closed. */
  waiting: boolean
}

export type CheckoutStep =
  | { do: 'make_coupon'; id: string }
  | { do: 'find_coupon'; id: string }
  /** The form was paid: the subscription that waits for its closing is given up. */
  | { do: 'drop_waiting' }
  | { do: 'open'; id: string }
  /** What ends the wait: the end of the reservation, or the signed event with the outcome of the payment form. */
  | { do: 'wait'; wait_ms: number; for: 'hold' | 'event' }
  | { do: 'request_close'; id: string }
  | { do: 'close'; id: string }
  | { do: 'read'; id: string }
  | { do: 'find'; id: string }
  | { do: 'release' }
  | { do: 'done' }

/** The workflow calls this again after every step. */
export function nextCheckoutStep({
  owner,
  cancel_requested,
  hold_left_ms,
  payment_status,
  session,
  expiry,
  coupon,
  waiting,
}: CheckoutFacts): CheckoutStep {
  // It is unknown whether a form exists, or which: the outcome of opening is unknown, or it was recorded as a success
  // without the form's id.
  const lost = session.status === 'unknown' || (session.status === 'succeeded' && !session.has_provider_id)
  const isOpen = (one: { status: EffectStatus } | null) => one?.status === 'requested' || one?.status === 'processing'
  // A requested effect is completed even if the form ended first; it is then given up before it is sent.
  const done = (): CheckoutStep => {
    if (expiry && isOpen(expiry)) return { do: 'close', id: expiry.id }
    return coupon && isOpen(coupon) ? { do: 'make_coupon', id: coupon.id } : { do: 'done' }
  }
  if (
    waiting &&
    owner !== 'given_up' &&
    (owner === 'kept' || payment_status === 'paid' || session.state === 'complete')
  )
    return { do: 'drop_waiting' }
  if (payment_status === 'paid') return done()
  if (owner === 'given_up') {
    // The reservation was released. A form that may have been opened must not stay open.
    if (lost && !session.has_provider_id) return { do: 'find', id: session.id }
    if (!session.has_provider_id || (session.state ?? 'open') !== 'open') return done()
    if (!expiry) return { do: 'request_close', id: session.id }
    // Its closing was refused, or its outcome is unknown: it may be open, or paid.
    return isOpen(expiry) || expiry.status === 'succeeded' ? done() : { do: 'read', id: session.id }
  }
  // A form that was requested before an operator confirmed the booking is given up before it is sent.
  if (owner !== 'pending') return isOpen(session) ? { do: 'open', id: session.id } : done()
  if (isOpen(session)) {
    if (coupon && isOpen(coupon)) return { do: 'make_coupon', id: coupon.id }
    if (coupon?.status === 'unknown' && coupon.at_provider === null) return { do: 'find_coupon', id: coupon.id }
    // Without its coupon the form is not sent: its attempt fails.
    return { do: 'open', id: session.id }
  }
  if (lost || session.status !== 'succeeded') return { do: 'release' }
  if (session.state === 'expired') return { do: 'release' }
  // Completed at the provider: only the signed event confirms the payment.
  if (session.state === 'complete') return { do: 'wait', wait_ms: 60_000, for: 'event' }
  if (!cancel_requested && hold_left_ms > 0) return { do: 'wait', wait_ms: hold_left_ms, for: 'hold' }
  if (!expiry) return { do: 'request_close', id: session.id }
  if (isOpen(expiry)) return { do: 'close', id: expiry.id }
  if (expiry.status === 'succeeded') return { do: 'release' }
  return { do: 'read', id: session.id }
}
