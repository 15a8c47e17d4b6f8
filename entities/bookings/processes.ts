// The processes of the reminders of bookings.
import { process } from '../kit/process.ts'
import { lateReminders, startReminders } from './reminders.ts'

export const bookingProcesses = [
  process('booking_reminder', { late: [lateReminders], startAhead: startReminders, attention: {} }),
] as const
