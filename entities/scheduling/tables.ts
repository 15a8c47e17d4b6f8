// The tables of services, their providers and booked days.
import { bounded, record, type Tables } from '../kit/table.ts'

export const schedulingTables = {
  providers: { rows: record() },
  schedule_days: { rows: bounded('by the booked days of providers') },
  service_providers: { rows: record() },
  services: { rows: record() },
} satisfies Tables
