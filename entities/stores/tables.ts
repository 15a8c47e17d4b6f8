// The tables of stores, their teams and settings.
import { sql } from '../kit/database/sql.ts'
import { expired } from '../kit/expiry.ts'
import { bounded, record, swept, type Tables } from '../kit/table.ts'

export const storeTables = {
  counters: { rows: bounded('by stores') },
  erasures: {
    rows: swept(
      'erasures',
      expired(sql`id`, ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status = 'succeeded'`),
      'one per deleted business',
    ),
  },
  invitations: {
    rows: swept(
      'invitations',
      expired(sql`expires_at`, ({ before }) => sql`expires_at < ${before}`),
      'one per invited address and week',
    ),
  },
  locations: { rows: record() },
  markets: { rows: record() },
  payment_providers: { rows: record() },
  team_members: { rows: record() },
  tenants: { rows: record() },
} satisfies Tables
