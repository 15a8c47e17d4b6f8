// The tables of webhooks, events and deliveries.
import { sql } from '../kit/database/sql.ts'
import { expired, none, settled } from '../kit/expiry.ts'
import { record, swept, type Tables } from '../kit/table.ts'

export const webhookTables = {
  webhooks: { rows: record() },
  deliveries: { rows: swept('events', settled(sql`status <> 'pending'`)) },
  events: {
    rows: swept(
      'events',
      expired(
        sql`id`,
        ({ floor, before }) =>
          sql`id < ${floor} and created_at < ${before} and ${none(sql`deliveries d where d.event_id = events.id`)}`,
      ),
    ),
  },
} satisfies Tables
