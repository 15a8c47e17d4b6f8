// The tables of agents, chats and channels.
import { expired, none } from '../kit/expiry.ts'
import { sql } from '../kit/sql.ts'
import { deletedWith, record, swept, type Tables } from '../kit/table.ts'
import { sweepChats, sweepDeletedAgents } from './expiring.ts'

export const agentTables = {
  agents: { rows: swept(null, sweepDeletedAgents, 'deleted agents, after their chats') },
  chats: { rows: swept('chats', sweepChats, 'chats of deleted agents are deleted at once') },
  chat_messages: { rows: deletedWith('chats', 'deleted with their chat') },
  model_turns: {
    rows: swept(
      'chats',
      expired(
        'id',
        ({ floor }) =>
          sql`id < ${floor} and status <> 'running' and ${none(sql`model_calls f where f.tenant_id = model_turns.tenant_id and f.turn_id = model_turns.id`)}`,
      ),
      'those with an unknown call stay',
    ),
  },
  model_usage: { rows: record('one per agent and day, and one per tenant and day') },
  channels: { rows: record('one per bot; deleted after its integration, when its webhook is taken away') },
} satisfies Tables
