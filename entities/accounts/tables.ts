// The tables of accounts of operators, their sessions, and limits of requests.
import { sql } from '../kit/database/sql.ts'
import { expired } from '../kit/expiry.ts'
import { record, swept, type Tables } from '../kit/table.ts'
import { sweepWindows } from './expiring.ts'

export const accountTables = {
  rate_windows: { rows: swept(null, sweepWindows, 'after their window') },
  challenges: {
    rows: swept(
      'challenges',
      expired(sql`expires_at`, ({ before }) => sql`expires_at < ${before}`),
      'one per requested code',
    ),
  },
  account_sessions: {
    rows: swept(
      'sessions',
      expired(
        sql`least(refresh_expires_at, revoked_at)`,
        ({ before }) => sql`least(refresh_expires_at, revoked_at) < ${before}`,
      ),
      'one per sign-in',
    ),
  },
  accounts: { rows: record('operators') },
  api_tokens: { rows: record('created and deleted by operators') },
} satisfies Tables
