// The tables of bookings.
import { record, type Tables } from '../kit/table.ts'

export const bookingTables = {
  order_bookings: { rows: record() },
} satisfies Tables
