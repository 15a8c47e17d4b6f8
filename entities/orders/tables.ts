// The tables of carts, orders and payments.
import { expired } from '../kit/expiry.ts'
import { sql } from '../kit/sql.ts'
import { deletedWith, record, swept, type Tables } from '../kit/table.ts'
import { moveCarts } from './moving.ts'

export const orderTables = {
  carts: {
    rows: deletedWith('contacts', 'ordered carts and open carts of named contacts stay'),
    contact: { contact_id: { by: moveCarts, counted: { as: 'carts' } } },
  },
  orders: { rows: record(), contact: { contact_id: { moves: { locked: true }, counted: { as: 'orders' } } } },
  order_lines: { rows: record() },
  order_bookings: { rows: record() },
  shipments: { rows: record() },
  promo_codes: { rows: record() },
  // Those of a subscription move with its membership.
  promo_redemptions: { rows: record(), contact: { contact_id: { moves: { where: sql`order_id is not null` } } } },
  refunds: { rows: record('a refund_id may be sent again') },
  payments: { rows: record(), contact: { payer_contact_id: { stays: 'who paid' } } },
  payment_sessions: { rows: record('one per order or subscription at most: its idempotency key') },
  session_expiries: { rows: record('one per payment session at most') },
  authorization_ends: { rows: record('one decision for an authorised payment') },
  disputes: { rows: record() },
  provider_events: {
    rows: swept(
      'provider_events',
      expired('received_at', ({ before }) => sql`received_at < ${before}`),
    ),
  },
} satisfies Tables
