// The tables of the whole installation.
import { sql } from '../kit/database/sql.ts'
import { expired } from '../kit/expiry.ts'
import { bounded, emptied, record, swept, type Tables } from '../kit/table.ts'

export const platformTables = {
  outbox: { rows: emptied('by the relay; the metrics count parked rows') },
  platform_data: { rows: record() },
  script_runs: {
    rows: swept(
      'script_runs',
      expired(sql`id`, ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status <> 'running'`),
    ),
  },
  task_slot_counts: { rows: bounded('by tenants with work that needs a slot; the reconciler removes counts of zero') },
  task_slots: { rows: emptied('by the end of the work that needs the slot') },
  task_workers: { rows: bounded('by workers; removed an hour after the last heartbeat') },
} satisfies Tables
