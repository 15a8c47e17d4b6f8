// The tables of accounts of operators, their sessions, and limits of requests.
import { sql } from '../kit/database/sql.ts'
import { expired } from '../kit/expiry.ts'
import { ofNoTenant, record, swept, type Tables } from '../kit/table.ts'
import { sweepRotatedPairs, sweepWindows } from './expiry.ts'

export const accountTables = {
  rate_windows: { rows: swept(null, sweepWindows, 'after their window'), erasure: ofNoTenant },
  challenges: {
    rows: swept(
      'challenges',
      expired(sql`expires_at`, ({ before }) => sql`expires_at < ${before}`),
      'one per requested code',
    ),
    erasure: ofNoTenant,
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
    clears: { rotated_pairs: { keep: null, sweep: sweepRotatedPairs } },
    erasure: ofNoTenant,
  },
  accounts: { rows: record('operators'), erasure: ofNoTenant },
  api_tokens: { rows: record('created and deleted by operators'), erasure: ofNoTenant },
} satisfies Tables
