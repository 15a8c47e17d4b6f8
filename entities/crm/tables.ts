// The tables of contacts and lead research.
import { expired, none } from '../kit/expiry.ts'
import { sql } from '../kit/sql.ts'
import { deletedWith, record, swept, type Tables } from '../kit/table.ts'
import { sweepVisitors } from './expiring.ts'

export const crmTables = {
  research_sources: {
    rows: swept(
      'research',
      expired('id', ({ floor, before }) => sql`id < ${floor} and updated_at < ${before}`),
      'signals keep their quote and address',
    ),
  },
  research_runs: {
    rows: swept(
      'research',
      expired(
        'updated_at',
        ({ before }) =>
          sql`updated_at < ${before} and ${none(sql`model_turns t where t.owner_id = research_runs.id and t.status = 'running'`)}`,
      ),
      'after their last turn; insights stay',
    ),
  },
  research_members: { rows: deletedWith('research_runs', 'deleted with their run') },
  research_messages: { rows: deletedWith('research_runs', 'deleted with their run') },
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
