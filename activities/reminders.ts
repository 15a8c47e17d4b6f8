// What a booking's reminders read and write in our own rows: however often it runs, a slot is reminded of once.
import { remind } from '../entities/orders/reminders.ts'
import { transaction } from './database.ts'

export const applyReminders = (bookingId: string) => transaction((em) => remind(em, bookingId, Math.floor(Date.now() / 1000)))
