// Of every slot of a confirmed booking there is one reminder, so long before the slot as the store says; of a slot that has started there is none.
import type { BookingStatus, Slot } from '../shapes.ts'

/** Minutes before a slot, where the store says nothing. */
export const defaultReminderMinutes = 1440

/** reminded_slot: the start of the last slot that was reminded of; null where nobody was, or the slots changed since. */
export type Remindable = { status: BookingStatus; slots: readonly Slot[]; reminded_slot: number | null }
export type Reminder = { slot: Slot; due_at: number }

/**
 * The next one, due in Unix seconds; a moment that has passed means at once. Null where none is to come: 0 minutes are no reminders. It does not depend on
 * `now` until the slot starts, so that whoever looks twice sees the same. (API document 1, Events; design: commerce, Bookings.)
 */
export function nextReminder({ status, slots, reminded_slot }: Remindable, minutes: number, now: number): Reminder | null {
  if (status !== 'confirmed' || minutes <= 0) return null
  const after = Math.max(now, reminded_slot ?? now)
  const slot = slots.filter(({ from }) => from > after).reduce<Slot | null>((first, one) => (first && first.from <= one.from ? first : one), null)
  return slot && { slot, due_at: slot.from - minutes * 60 }
}

export type ReminderStep = { do: 'remind'; slot: Slot } | { do: 'wait'; wait_ms: number } | { do: 'done' }

/** What is done about a booking now. Never early: a second that has begun counts as whole. */
export function nextReminderStep(booking: Remindable, minutes: number, now: number): ReminderStep {
  const next = nextReminder(booking, minutes, now)
  if (!next) return { do: 'done' }
  return next.due_at <= now ? { do: 'remind', slot: next.slot } : { do: 'wait', wait_ms: (next.due_at - now) * 1000 }
}
