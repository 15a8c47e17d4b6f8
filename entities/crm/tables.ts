// The tables of contacts.
import { expired } from '../kit/expiry.ts'
import { sql } from '../kit/sql.ts'
import { record, swept, type Tables } from '../kit/table.ts'
import { sweepVisitors } from './expiring.ts'

export const crmTables = {
  contact_sessions: {
    rows: swept(
      'sessions',
      expired('revoked_at', ({ before }) => sql`revoked_at < ${before}`),
      'deleted with their contact',
    ),
  },
  contact_channels: { rows: record() },
  contact_merges: { rows: record('repeating a merge returns the same answer') },
  contacts: {
    rows: swept('carts', sweepVisitors, 'one per visitor; contacts with a name, an order or a submission stay'),
  },
} satisfies Tables
