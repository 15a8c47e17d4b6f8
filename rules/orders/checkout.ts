// What a card checkout does next, from the rows alone: open the page, hold, close it, and give back only when nobody can pay any more.
import type { EffectStatus, OrderStatus, PaymentStatus } from '../shapes.ts'
import type { SessionState } from './payments.ts'

export type CheckoutFacts = {
  order_status: OrderStatus
  cancel_requested: boolean
  /** Milliseconds until the reservation ends; negative when it is over. */
  hold_left_ms: number
  payment_status: PaymentStatus
  session: { id: string; status: EffectStatus; state: SessionState | null; known: boolean }
  expiry: { id: string; status: EffectStatus } | null
}

export type CheckoutStep =
  | { do: 'open'; id: string }
  /** For the end of the hold, or for the signed event that says how the page was left. */
  | { do: 'wait'; wait_ms: number; for: 'hold' | 'event' }
  | { do: 'request_close'; id: string }
  | { do: 'close'; id: string }
  | { do: 'read'; id: string }
  | { do: 'find'; id: string }
  | { do: 'release' }
  | { do: 'done' }

/** (Design: commerce, Checkout.) Pure: the workflow asks again after every step. */
export function nextCheckoutStep({ order_status, cancel_requested, hold_left_ms, payment_status, session, expiry }: CheckoutFacts): CheckoutStep {
  // Whether there is a page, and which, is not known: an opening without a provable answer, or one that was recorded as a success without the page's id.
  const lost = session.status === 'unknown' || (session.status === 'succeeded' && !session.known)
  // A closing that was asked for comes to its end, also where the page was over first: then it is given up before it is sent.
  const done = (): CheckoutStep => (expiry?.status === 'requested' || expiry?.status === 'processing' ? { do: 'close', id: expiry.id } : { do: 'done' })
  if (payment_status === 'paid') return done()
  if (order_status === 'cancelled') {
    // Given back already; a page that may have been opened must not stay open, also where it was not known then.
    if (lost && !session.known) return { do: 'find', id: session.id }
    return session.known && (session.state ?? 'open') === 'open' && !expiry ? { do: 'request_close', id: session.id } : done()
  }
  if (order_status !== 'pending') return done()
  if (session.status === 'requested' || session.status === 'processing') return { do: 'open', id: session.id }
  if (lost || session.status !== 'succeeded') return { do: 'release' }
  if (session.state === 'expired') return { do: 'release' }
  // Paid at the provider: only the signed event says so.
  if (session.state === 'complete') return { do: 'wait', wait_ms: 60_000, for: 'event' }
  if (!cancel_requested && hold_left_ms > 0) return { do: 'wait', wait_ms: hold_left_ms, for: 'hold' }
  if (!expiry) return { do: 'request_close', id: session.id }
  if (expiry.status === 'requested' || expiry.status === 'processing') return { do: 'close', id: expiry.id }
  if (expiry.status === 'succeeded') return { do: 'release' }
  return { do: 'read', id: session.id }
}
