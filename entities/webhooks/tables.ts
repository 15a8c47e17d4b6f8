// The tables of webhooks, events and deliveries.
import { sql } from '../kit/database/sql.ts'
import { expired, none, settled } from '../kit/expiry.ts'
import { atOnce, noWait, record, swept, type Tables } from '../kit/table.ts'

export const webhookTables = {
  webhooks: { rows: record(), erasure: atOnce },
  deliveries: {
    rows: swept('events', settled(sql`status <> 'pending'`)),
    erasure: noWait('a delivery in flight ends by itself, and its result is written to no row'),
  },
  events: {
    rows: swept(
      'events',
      expired(
        sql`id`,
        ({ floor, before }) =>
          sql`id < ${floor} and created_at < ${before} and ${none(sql`deliveries d where d.event_id = events.id`)}`,
      ),
    ),
    erasure: atOnce,
  },
} satisfies Tables
