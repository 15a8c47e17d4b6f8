// The tables of bookings.
import { atOnce, record, type Tables } from '../kit/table.ts'

export const bookingTables = {
  order_bookings: { rows: record(), erasure: atOnce },
} satisfies Tables
