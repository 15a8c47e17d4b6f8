// The tables of the whole installation.
import { sql } from '../kit/database/sql.ts'
import { expired } from '../kit/expiry.ts'
import { atOnce, bounded, emptied, noWait, ofNoTenant, record, swept, type Tables } from '../kit/table.ts'

export const platformTables = {
  outbox: {
    rows: emptied('by the relay; the metrics count parked rows'),
    erasure: noWait('the rows that its processes would read are deleted'),
  },
  platform_data: { rows: record(), erasure: ofNoTenant },
  script_runs: {
    rows: swept(
      'script_runs',
      expired(sql`id`, ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status <> 'running'`),
    ),
    erasure: ofNoTenant,
  },
  task_slot_counts: {
    rows: bounded('by tenants with work that needs a slot; the reconciler removes counts of zero'),
    erasure: atOnce,
  },
  task_slots: { rows: emptied('by the end of the work that needs the slot'), erasure: atOnce },
  task_workers: { rows: bounded('by workers; removed an hour after the last heartbeat'), erasure: ofNoTenant },
} satisfies Tables
