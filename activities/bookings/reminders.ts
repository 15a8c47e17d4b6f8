// The step of a booking's reminders on our own rows: idempotent, one reminder for each slot.
import { unixNow } from '../../adapters/clock.ts'
import { remind } from '../../entities/bookings/reminders.ts'
import { transaction } from '../kit/database.ts'

export const applyReminders = (bookingId: string) => transaction((em) => remind(em, bookingId, unixNow()))
