// The tables of agents, chats and channels.
import { deletedWith, record, swept, type Tables } from '../kit/table.ts'
import { sweepChats, sweepDeletedAgents } from './expiring.ts'

export const agentTables = {
  agents: { rows: swept(null, sweepDeletedAgents, 'deleted agents, after their chats') },
  chats: {
    rows: swept('chats', sweepChats, 'chats of deleted agents are deleted at once'),
    contact: { contact_id: { moves: {}, counted: { as: 'chats' } } },
  },
  chat_messages: { rows: deletedWith('chats', 'deleted with their chat') },
  channels: { rows: record('one per bot; deleted after its integration, once its webhook is removed') },
} satisfies Tables
