// The tables of payments, and of what the payment provider reports.
import { sql } from '../kit/database/sql.ts'
import { expired } from '../kit/expiry.ts'
import { noWait, ofNoTenant, record, swept, type Tables } from '../kit/table.ts'
import { authorizationEndWait, paymentSessionWait, paymentWait, sessionExpiryWait } from './erasure.ts'

export const paymentTables = {
  payments: { rows: record(), contact: { payer_contact_id: { stays: 'who paid' } }, erasure: paymentWait },
  payment_sessions: {
    rows: record('one per order or subscription at most: its idempotency key'),
    erasure: paymentSessionWait,
  },
  session_expiries: { rows: record('one per payment session at most'), erasure: sessionExpiryWait },
  authorization_ends: {
    rows: record('one per request to capture or cancel an authorised payment'),
    erasure: authorizationEndWait,
  },
  disputes: { rows: record(), erasure: noWait('the provider decides them, whether or not we have their rows') },
  provider_events: {
    rows: swept(
      'provider_events',
      expired(sql`received_at`, ({ before }) => sql`received_at < ${before}`),
    ),
    erasure: ofNoTenant,
  },
} satisfies Tables
