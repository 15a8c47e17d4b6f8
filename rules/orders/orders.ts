// Which transitions of an order its payment, shipments, bookings and refunds allow.
import type { z } from 'zod'
import type { PaymentMethodType, PaymentStatus } from '../payments/payments.ts'
import { type RefundablePayment, refundable } from '../refunds/refunds.ts'
import { BookingStatus } from '../scheduling/slots.ts'
import type { OrderStatus } from './statuses.ts'

/**
 * Amounts in minor units. `shipped`: anything was shipped; `completed`: a booking is completed; `session_open`: the
 * provider may still capture the payment.
 */
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

/** Confirming a confirmed order changes nothing; a card order must be paid. */
export const mayConfirm = ({
  status,
  payment,
}: Pick<OrderFacts, 'status' | 'payment'>): { ok: true; move: 'confirm' | 'none' } | Refused => {
  if (status === 'cancelled') return refuse('order_cancelled', 'The order is cancelled.')
  if (status !== 'pending') return { ok: true, move: 'none' }
  if (payment.type === 'card' && payment.status !== 'paid')
    return refuse('payment_not_captured', 'The card payment is not captured.')
  return { ok: true, move: 'confirm' }
}

export type CancelMove = 'cancel' | 'expire_session' | 'none'

/**
 * Cancelling a cancelled order changes nothing. It requires that no captured amount, open refund, shipment or completed
 * booking is left. `expire_session`: the open session at the provider is expired first.
 */
export const mayCancel = ({
  status,
  payment,
  shipped,
  completed,
  session_open,
}: OrderFacts): { ok: true; move: CancelMove } | Refused => {
  if (status === 'cancelled') return { ok: true, move: 'none' }
  if (shipped) return refuse('order_shipped', 'A line of the order was shipped.')
  if (completed) return refuse('booking_completed', 'A booking of the order is completed.')
  if (refundable(payment) > 0) return refuse('payment_must_be_refunded', 'Refund the captured payment first.')
  if (payment.refund_unknown_amount > 0)
    return refuse('refund_unknown', 'The outcome of a refund is unknown. Resolve it first.')
  if (payment.refund_pending_amount > 0) return refuse('refund_in_progress', 'A refund is in progress.')
  if (payment.status === 'processing') return refuse('payment_in_progress', 'The payment is being processed.')
  return { ok: true, move: session_open ? 'expire_session' : 'cancel' }
}

/**
 * Whether product_items or booking_items may be replaced: nothing is captured, no payment is open, nothing is shipped.
 */
export const mayReplaceItems = ({
  status,
  payment,
  shipped,
  session_open,
}: Omit<OrderFacts, 'completed'>): { ok: true } | Refused => {
  if (status === 'cancelled') return refuse('order_cancelled', 'The order is cancelled.')
  if (payment.captured_amount > 0) return refuse('payment_captured', 'The payment is captured.')
  if (session_open || payment.status === 'processing')
    return refuse('payment_in_progress', 'A card payment is in progress.')
  if (shipped) return refuse('order_shipped', 'A line of the order was shipped.')
  return { ok: true }
}

/** Addresses and forms can be changed until the order is cancelled. They do not change its prices. */
export const mayEdit = ({ status }: Pick<OrderFacts, 'status'>): { ok: true } | Refused =>
  status === 'cancelled' ? refuse('order_cancelled', 'The order is cancelled.') : { ok: true }

/**
 * The status of an order after its items were replaced. `dropped` and `kept`: numbers of lines and bookings that were
 * not cancelled before.
 */
export const statusAfterReplacement = (
  status: OrderStatus,
  { dropped, kept }: { dropped: number; kept: number },
): OrderStatus => {
  if (kept === 0) return 'cancelled'
  return status === 'confirmed' && dropped > 0 ? 'partially_cancelled' : status
}

/** What an operator may make of a booking. */
export const BookingMove = BookingStatus.extract(['confirmed', 'completed', 'no_show'])
export type BookingMove = z.infer<typeof BookingMove>

/**
 * A confirmed booking can be completed or marked as missed after its last slot has started. The status can be
 * corrected, also back to confirmed. Slots and `now` in Unix seconds.
 */
export const mayMoveBooking = (
  booking: { status: BookingStatus; slots: readonly { from: number }[] },
  to: BookingMove,
  now: number,
): { ok: true } | Refused => {
  if (booking.status === 'cancelled') return refuse('booking_cancelled', 'The booking is cancelled.')
  if (booking.status === 'pending') return refuse('booking_not_confirmed', 'The booking is not confirmed.')
  if (to !== 'confirmed' && booking.slots.some(({ from }) => from > now))
    return refuse('booking_not_started', 'The last slot of the booking has not started.')
  return { ok: true }
}
