// The tables of services, their providers and booked days.
import { atOnce, bounded, record, type Tables } from '../kit/table.ts'

export const schedulingTables = {
  providers: { rows: record(), erasure: atOnce },
  schedule_days: { rows: bounded('by the booked days of providers'), erasure: atOnce },
  service_providers: { rows: record(), erasure: atOnce },
  services: { rows: record(), erasure: atOnce },
} satisfies Tables
