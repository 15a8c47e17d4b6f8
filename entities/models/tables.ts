// The tables of models: turns, and what was used.
import { sql } from '../kit/database/sql.ts'
import { expired, none } from '../kit/expiry.ts'
import { atOnce, noWait, record, swept, type Tables } from '../kit/table.ts'

export const modelTables = {
  model_turns: {
    rows: swept(
      'chats',
      expired(
        sql`id`,
        ({ floor }) =>
          sql`
            id < ${floor}
            and status <> 'running'
            and ${none(sql`model_calls f where f.tenant_id = model_turns.tenant_id and f.turn_id = model_turns.id`)}
          `,
      ),
      'turns without a call; unknown calls are kept, with their turns',
    ),
    contact: { owner_id: { stays: 'a chat or a run of lead research' } },
    erasure: noWait('their calls in flight are awaited'),
  },
  model_usage: { rows: record('one per agent and day, and one per tenant and day'), erasure: atOnce },
} satisfies Tables
