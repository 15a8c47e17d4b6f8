// The tables of stores, their teams and settings.

import { sql } from '../kit/database/sql.ts'
import { inFlight } from '../kit/erasure-conditions.ts'
import { expired } from '../kit/expiry.ts'
import { atOnce, bounded, noWait, ofNoTenant, record, swept, type Tables } from '../kit/table.ts'

export const storeTables = {
  counters: { rows: bounded('by stores'), erasure: atOnce },
  erasures: {
    rows: swept(
      'erasures',
      expired(sql`id`, ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status = 'succeeded'`),
      'one per deleted business',
    ),
    erasure: ofNoTenant,
  },
  invitations: {
    rows: swept(
      'invitations',
      expired(sql`expires_at`, ({ before }) => sql`expires_at < ${before}`),
      'one per invited address and week',
    ),
    erasure: atOnce,
  },
  locations: { rows: record(), erasure: atOnce },
  markets: { rows: record(), erasure: atOnce },
  payment_providers: { rows: record(), erasure: inFlight },
  team_members: { rows: record(), erasure: atOnce },
  tenants: { rows: record(), erasure: noWait('the row is deleted last') },
} satisfies Tables
