// Bookings and reservations of the business surface: orders of booked time with a status of their own. Here is what
// each status says of the order and of its parts.
import { z } from 'zod'
import type { OrderStatus } from '../orders/statuses.ts'
import type { PaymentStatus } from '../payments/payments.ts'
import type { BookingStatus } from '../scheduling/slots.ts'

/** The module of the business surface that lists the order. */
export const BookingModule = z.enum(['booking', 'reservation'])
export type BookingModule = z.infer<typeof BookingModule>

/** The status of a booking or reservation. An operator may set any of them. */
export const BookingState = z.enum([
  'created',
  'pending',
  'authorized',
  'confirmed',
  'completed',
  'cancelled',
  'failed',
])
export type BookingState = z.infer<typeof BookingState>

/** The status that an operator may give to a booking that they make. */
export const DirectState = BookingState.extract(['pending', 'confirmed'])
export type DirectState = z.infer<typeof DirectState>

/** The status of a booking whose payment was captured by an operator's decision. */
export const ConfirmedState = BookingState.extract(['confirmed', 'completed'])
export type ConfirmedState = z.infer<typeof ConfirmedState>

/** Why a booking is over. */
export const CancelReason = z.enum([
  'requested',
  'declared_failed',
  'payment_expired',
  'payment_failed',
  'approval_expired',
  'authorization_expired',
  'capture_rejected',
])
export type CancelReason = z.infer<typeof CancelReason>

type Meaning = {
  order: Extract<OrderStatus, 'pending' | 'confirmed' | 'cancelled'>
  part: Exclude<BookingStatus, 'no_show'>
}
/** The status of the order and of its parts; a check of the table holds the order's. */
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

/** The reasons that end a booking as `cancelled`; every other one is a failure. */
const cancelling: readonly CancelReason[] = ['requested', 'approval_expired', 'authorization_expired']
export const stateFor = (reason: CancelReason): BookingState => (cancelling.includes(reason) ? 'cancelled' : 'failed')
export const reasonFor = (state: BookingState): CancelReason =>
  state === 'cancelled' ? 'requested' : 'declared_failed'

/** The status of a confirmed booking by its live parts: completed when all of them are. */
export const stateOfParts = (parts: readonly { status: BookingStatus }[]): BookingState => {
  const live = parts.filter(({ status }) => status !== 'cancelled')
  return live.length > 0 && live.every(({ status }) => status === 'completed') ? 'completed' : 'confirmed'
}

/** `session_open`: the payment form is open, or may be. */
export type BookingFacts = {
  from: BookingState
  to: BookingState
  payment_status: PaymentStatus
  session_open: boolean
}

export type BookingMoveRefused = { ok: false; code: 'payment_in_progress' | 'payment_not_authorized'; detail: string }

/**
 * `time`: whether the booked time is kept, reserved again or released. `closes`: the payment form is closed first, and
 * the time is released when it is.
 */
export type BookingMoveVerdict =
  | { ok: true; time: 'keep' | 'reserve' | 'release'; closes: boolean }
  | BookingMoveRefused

/** What a move of the status entails. Any status follows any other, except `authorized` without an authorisation. */
export function mayMoveState({ from, to, payment_status, session_open }: BookingFacts): BookingMoveVerdict {
  if (to === 'authorized' && from !== to && payment_status !== 'authorized')
    return { ok: false, code: 'payment_not_authorized', detail: 'No payment of the booking is authorised.' }
  if (isOver(from)) return { ok: true, time: isOver(to) ? 'keep' : 'reserve', closes: false }
  if (!isOver(to)) return { ok: true, time: 'keep', closes: false }
  if (payment_status === 'processing')
    return { ok: false, code: 'payment_in_progress', detail: 'The payment is being processed.' }
  return { ok: true, time: 'release', closes: session_open }
}

/** How an authorised payment ends. */
export const AuthorizationEndKind = z.enum(['capture', 'cancel'])
export type AuthorizationEndKind = z.infer<typeof AuthorizationEndKind>

const hourS = 3600
/** Hours in which a booking has to be approved, unless the setting `approval_hours` says otherwise. */
export const defaultApprovalHours = 72

/**
 * When a booking has to be decided at the latest, in Unix seconds: before its first slot, within the hours of the
 * setting, and an hour before the authorisation of its payment ends.
 */
export const decideBy = (o: {
  created_at: number
  starts_at: number
  hours: number
  capture_before: number | null
}): number =>
  Math.min(o.starts_at, o.created_at + o.hours * hourS, (o.capture_before ?? Number.POSITIVE_INFINITY) - hourS)
