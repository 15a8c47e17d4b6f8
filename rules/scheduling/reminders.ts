// Booking reminders: one per slot of a confirmed booking, due at the interval of the store before the slot, and none
// after it has started.

import { isFar } from '../start-ahead.ts'
import type { BookingStatus, Slot } from './slots.ts'

/** Minutes before a slot, if the store has no setting. */
export const defaultReminderMinutes = 1440

/**
 * `reminded_slot`: start of the latest slot with a published reminder; null if there is none, or if the slots have
 * changed since.
 */
export type Remindable = { status: BookingStatus; slots: readonly Slot[]; reminded_slot: number | null }
export type Reminder = { slot: Slot; due_at: number }

/**
 * The next reminder, due in Unix seconds; a time in the past means now. Null if there is none; 0 minutes disable
 * reminders. The result does not depend on `now` until the slot starts, so that repeated evaluation is stable.
 */
export function nextReminder(
  { status, slots, reminded_slot }: Remindable,
  minutes: number,
  now: number,
): Reminder | null {
  if (status !== 'confirmed' || minutes <= 0) return null
  const after = Math.max(now, reminded_slot ?? now)
  const slot = slots
    .filter(({ from }) => from > after)
    .reduce<Slot | null>((first, one) => (first && first.from <= one.from ? first : one), null)
  return slot && { slot, due_at: slot.from - minutes * 60 }
}

export type ReminderStep =
  | { do: 'remind'; slot: Slot }
  | { do: 'wait'; wait_ms: number }
  | { do: 'done' }
  | { do: 'far' }

/**
 * The next step for a booking; `far`: the row waits, and the reconciler starts the workflow again. Reminders are never
 * early: `now` is rounded down.
 */
export function nextReminderStep(booking: Remindable, minutes: number, now: number): ReminderStep {
  const next = nextReminder(booking, minutes, now)
  if (!next) return { do: 'done' }
  if (next.due_at <= now) return { do: 'remind', slot: next.slot }
  const wait_ms = (next.due_at - now) * 1000
  return isFar(wait_ms) ? { do: 'far' } : { do: 'wait', wait_ms }
}
