// The tables of lead research.
import { sql } from '../kit/database/sql.ts'
import { expired, none } from '../kit/expiry.ts'
import { atOnce, deletedWith, noWait, swept, type Tables } from '../kit/table.ts'

export const researchTables = {
  research_sources: {
    rows: swept(
      'research',
      expired(sql`id`, ({ floor, before }) => sql`id < ${floor} and updated_at < ${before}`),
      'signals keep their quote and address',
    ),
    erasure: atOnce,
  },
  research_runs: {
    rows: swept(
      'research',
      expired(
        sql`updated_at`,
        ({ before }) =>
          sql`
            updated_at < ${before}
            and ${none(sql`model_turns t where t.owner_id = research_runs.id and t.status = 'running'`)}
          `,
      ),
      'after their last turn; insights are kept',
    ),
    erasure: noWait('the model calls of their turns are awaited'),
  },
  research_members: { rows: deletedWith('research_runs', 'deleted with their run'), erasure: atOnce },
  research_messages: { rows: deletedWith('research_runs', 'deleted with their run'), erasure: atOnce },
} satisfies Tables
