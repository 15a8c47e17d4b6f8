// Bookings and reservations of the older surface: orders of booked time with a status of their own. Here is what each status says of the order and of its parts.
import { z } from 'zod'
import type { BookingStatus, OrderStatus, PaymentStatus } from '../shapes.ts'

/** The module of the older surface that lists the order. */
export const BookingModule = z.enum(['booking', 'reservation'])
export type BookingModule = z.infer<typeof BookingModule>

/** The status of a booking or reservation (API document 3, Resources). An operator may set any of them. */
export const BookingState = z.enum(['created', 'pending', 'authorized', 'confirmed', 'completed', 'cancelled', 'failed'])
export type BookingState = z.infer<typeof BookingState>

/** The status that an operator may give to a booking that they make. */
export const DirectState = BookingState.extract(['pending', 'confirmed'])
export type DirectState = z.infer<typeof DirectState>

/** Why a booking is over. */
export const CancelReason = z.enum(['requested', 'declared_failed', 'payment_expired', 'payment_failed'])
export type CancelReason = z.infer<typeof CancelReason>

type Meaning = { order: Extract<OrderStatus, 'pending' | 'confirmed' | 'cancelled'>; part: Exclude<BookingStatus, 'no_show'> }
/** The status of the order and of its parts; a check of the table holds the order's (design: business, Booking). */
export const meanings: Readonly<Record<BookingState, Meaning>> = {
  created: { order: 'pending', part: 'pending' },
  pending: { order: 'pending', part: 'pending' },
  authorized: { order: 'pending', part: 'pending' },
  confirmed: { order: 'confirmed', part: 'confirmed' },
  completed: { order: 'confirmed', part: 'completed' },
  cancelled: { order: 'cancelled', part: 'cancelled' },
  failed: { order: 'cancelled', part: 'cancelled' },
}

export const isOver = (state: BookingState): boolean => meanings[state].order === 'cancelled'

/** `requested` is `cancelled`, every other reason is `failed`. */
export const stateFor = (reason: CancelReason): BookingState => (reason === 'requested' ? 'cancelled' : 'failed')
export const reasonFor = (state: BookingState): CancelReason => (state === 'cancelled' ? 'requested' : 'declared_failed')

/** The status of a confirmed booking by its live parts: completed when all of them are. */
export const stateOfParts = (parts: readonly { status: BookingStatus }[]): BookingState => {
  const live = parts.filter(({ status }) => status !== 'cancelled')
  return live.length > 0 && live.every(({ status }) => status === 'completed') ? 'completed' : 'confirmed'
}

/** `session_open`: the payment form is open, or may be. */
export type BookingFacts = { from: BookingState; to: BookingState; payment_status: PaymentStatus; session_open: boolean }

export type BookingMoveRefused = { ok: false; code: 'payment_in_progress' | 'payment_not_authorized'; detail: string }

/** `time`: whether the booked time is kept, reserved again or released. `closes`: the payment form is closed first, and the time is released when it is. */
export type BookingMoveVerdict = { ok: true; time: 'keep' | 'reserve' | 'release'; closes: boolean } | BookingMoveRefused

/** What a move of the status entails. Any status follows any other, except `authorized` without an authorisation. */
export function mayMoveState({ from, to, payment_status, session_open }: BookingFacts): BookingMoveVerdict {
  if (to === 'authorized' && from !== to) return { ok: false, code: 'payment_not_authorized', detail: 'No payment of the booking is authorised.' }
  if (isOver(from)) return { ok: true, time: isOver(to) ? 'keep' : 'reserve', closes: false }
  if (!isOver(to)) return { ok: true, time: 'keep', closes: false }
  if (payment_status === 'processing') return { ok: false, code: 'payment_in_progress', detail: 'The payment is being processed.' }
  return { ok: true, time: 'release', closes: session_open }
}
