// An order moves only as its payment, its shipments and its refunds allow.
import type { z } from 'zod'
import { BookingStatus, type OrderLineStatus, type OrderStatus, type PaymentMethodType, type PaymentStatus } from '../shapes.ts'
import { type RefundablePayment, refundable } from './refunds.ts'

/** Amounts in minor units. shipped: anything at all was; completed: some booked work was done; session_open: the provider may still take the money. */
export type OrderFacts = {
  status: OrderStatus
  payment: RefundablePayment & { status: PaymentStatus; type: PaymentMethodType | 'none' }
  shipped: boolean
  completed: boolean
  session_open: boolean
}

export type OrderRefusal =
  | 'booking_cancelled'
  | 'booking_completed'
  | 'booking_not_confirmed'
  | 'booking_not_started'
  | 'order_cancelled'
  | 'order_shipped'
  | 'payment_captured'
  | 'payment_in_progress'
  | 'payment_must_be_refunded'
  | 'payment_not_captured'
  | 'refund_in_progress'
  | 'refund_unknown'

/** A refusal is a 409 with this code. */
export type Refused = { ok: false; code: OrderRefusal; detail: string }

const refuse = (code: OrderRefusal, detail: string): Refused => ({ ok: false, code, detail })

/** Confirming is a no-op where it was done; a card order needs its payment (API document 1, States; design: commerce, Checkout). */
export const mayConfirm = ({ status, payment }: Pick<OrderFacts, 'status' | 'payment'>): { ok: true; move: 'confirm' | 'none' } | Refused => {
  if (status === 'cancelled') return refuse('order_cancelled', 'the order is cancelled')
  if (status !== 'pending') return { ok: true, move: 'none' }
  if (payment.type === 'card' && payment.status !== 'paid') return refuse('payment_not_captured', 'the card payment is not captured')
  return { ok: true, move: 'confirm' }
}

export type CancelMove = 'cancel' | 'expire_session' | 'none'

/**
 * Cancelling is a no-op where it was done, and needs that no payment, refund, shipment or completed work stands unreversed (API document 1, States).
 * `expire_session` means: not yet; the open session at the provider is expired first (design: commerce, Checkout).
 */
export const mayCancel = ({ status, payment, shipped, completed, session_open }: OrderFacts): { ok: true; move: CancelMove } | Refused => {
  if (status === 'cancelled') return { ok: true, move: 'none' }
  if (shipped) return refuse('order_shipped', 'something of the order was shipped')
  if (completed) return refuse('booking_completed', 'a booking of the order is completed')
  if (refundable(payment) > 0) return refuse('payment_must_be_refunded', 'refund the captured payment first')
  if (payment.refund_unknown_amount > 0) return refuse('refund_unknown', 'the outcome of a refund is not known; resolve it first')
  if (payment.refund_pending_amount > 0) return refuse('refund_in_progress', 'a refund is in progress')
  if (payment.status === 'processing') return refuse('payment_in_progress', 'the payment is being processed')
  return { ok: true, move: session_open ? 'expire_session' : 'cancel' }
}

/** Whether product_items or booking_items may be replaced: nothing captured, nothing that may yet be, nothing shipped (design: commerce, Checkout). */
export const mayReplaceItems = ({ status, payment, shipped, session_open }: Omit<OrderFacts, 'completed'>): { ok: true } | Refused => {
  if (status === 'cancelled') return refuse('order_cancelled', 'the order is cancelled')
  if (payment.captured_amount > 0) return refuse('payment_captured', 'the payment is captured')
  if (session_open || payment.status === 'processing') return refuse('payment_in_progress', 'a card payment is in progress')
  if (shipped) return refuse('order_shipped', 'something of the order was shipped')
  return { ok: true }
}

/** Addresses and forms change until the order is cancelled; they are never priced again. */
export const mayEdit = ({ status }: Pick<OrderFacts, 'status'>): { ok: true } | Refused =>
  status === 'cancelled' ? refuse('order_cancelled', 'the order is cancelled') : { ok: true }

/** The order's status after its items were replaced: dropped and kept count lines and bookings that were not cancelled before. */
export const statusAfterReplacement = (status: OrderStatus, { dropped, kept }: { dropped: number; kept: number }): OrderStatus => {
  if (kept === 0) return 'cancelled'
  return status === 'confirmed' && dropped > 0 ? 'partially_cancelled' : status
}

/** What an operator may make of a booking. */
export const BookingMove = BookingStatus.extract(['confirmed', 'completed', 'no_show'])
export type BookingMove = z.infer<typeof BookingMove>

/**
 * A confirmed booking is completed or missed once the last of its slots has begun; what was entered by mistake is entered again, or made confirmed
 * (API document 1, States; design: commerce, Checkout). Slots and now in Unix seconds.
 */
export const mayMoveBooking = (
  booking: { status: BookingStatus; slots: readonly { from: number }[] },
  to: BookingMove,
  now: number,
): { ok: true } | Refused => {
  if (booking.status === 'cancelled') return refuse('booking_cancelled', 'the booking is cancelled')
  if (booking.status === 'pending') return refuse('booking_not_confirmed', 'the booking is not confirmed yet')
  if (to !== 'confirmed' && booking.slots.some(({ from }) => from > now)) return refuse('booking_not_started', 'its last slot has not begun yet')
  return { ok: true }
}
