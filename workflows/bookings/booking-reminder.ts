// The reminders of one booking: waits until the next is due or the booking changes, and ends when none is left.
import { continueAsNew } from '@temporalio/workflow'
import { attend } from '../kit/changes.ts'
import { steps } from '../kit/steps.ts'

export const booking_reminder = (bookingId: string): Promise<void> =>
  attend(() => steps.applyReminders(bookingId), {
    summary: 'until the reminder is due',
    again: () => continueAsNew<typeof booking_reminder>(bookingId),
  })
