// The tables of connections to social networks.

import { sql } from '../kit/database/sql.ts'
import { awaitsRevocations, inFlight } from '../kit/erasure-conditions.ts'
import { settled } from '../kit/expiry.ts'
import { noWait, record, swept, type Tables } from '../kit/table.ts'

/** The visitor did not return from the consent page: the effect is never sent. */
const neverReturned = sql`code_digest is null`

export const connectionTables = {
  social_authorizations: {
    rows: swept('social_authorizations', settled(undefined, neverReturned), 'one per visit of a consent page'),
    erasure: inFlight,
  },
  social_connections: {
    rows: record('one per account that was connected'),
    erasure: noWait('accounts are disconnected, and the requests that revoke their tokens are awaited'),
  },
  social_token_requests: {
    rows: swept('social_token_requests', settled(), 'one per refresh or revocation'),
    erasure: { awaits: awaitsRevocations },
  },
} satisfies Tables
