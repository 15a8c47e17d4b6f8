// The processes of the reminders of bookings.
import type { ProcessRows } from '../kit/process.ts'
import { lateReminders, startReminders } from './reminders.ts'

export const bookingProcesses = {
  booking_reminder: { late: [lateReminders], startAhead: startReminders, attention: {} },
} satisfies Record<string, ProcessRows>
