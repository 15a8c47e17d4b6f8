// The tables of agents, chats and channels.
import { atOnce, deletedWith, noWait, record, swept, type Tables } from '../kit/table.ts'
import { sweepChats, sweepDeletedAgents } from './expiry.ts'

export const agentTables = {
  agents: { rows: swept(null, sweepDeletedAgents, 'deleted agents, after their chats'), erasure: atOnce },
  chats: {
    rows: swept('chats', sweepChats, 'chats of deleted agents are deleted at once'),
    contact: { contact_id: { moves: {}, counted: { as: 'chats' } } },
    erasure: atOnce,
  },
  chat_messages: { rows: deletedWith('chats', 'deleted with their chat'), erasure: atOnce },
  channels: {
    rows: record('one per bot; deleted after its integration, once its webhook is removed'),
    erasure: noWait('its bot is disconnected before its row is deleted'),
  },
} satisfies Tables
