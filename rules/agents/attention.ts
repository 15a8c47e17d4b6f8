// What a person does about messages of bots whose outcome cannot be proved, and about bots that are not connected.
import {
  type AttentionEvidence,
  type EffectFacts,
  type ItemText,
  mending,
  outcomeItem,
  recorded,
  wrong,
} from '../attention.ts'
import type { DescribedRow } from '../descriptions.ts'
import { isolated } from '../isolated.ts'
import type { ChannelMessageFacts } from './descriptions.ts'

export const channelMessageItem = (row: EffectFacts & ChannelMessageFacts): ItemText =>
  outcomeItem({
    row,
    whether: `the visitor of a chat got a message of the bot ${row.channel === null ? 'that was deleted' : isolated(row.channel)}`,
    subject: { type: 'chat', id: row.chat_id, label: null },
    what_to_do:
      'A bot is not shown what it has sent. Ask the visitor, or look at the chat as the visitor. If the message is not there, write it again as a person. Then record what you found.',
    mend: row.agent_id === null ? null : mending(row, 'POST', `/agents/${row.agent_id}/chats/${row.chat_id}/replies`),
    ids: { chat_id: row.chat_id, agent_id: row.agent_id, message_id: row.message_id },
    effect: 'channel_message',
    resolve: recorded(row, ['succeeded', 'rejected']),
  })

/** `key`: of its integration. */
export type ChannelFacts = DescribedRow & { key: string; error: AttentionEvidence['error'] }

export const channelItem = (row: ChannelFacts): ItemText => ({
  title: `The bot of the integration ${isolated(row.key)} is not connected: ${isolated(row.error?.message ?? 'no reason is known.')}`,
  subject: { type: 'integration', id: row.id, label: row.key },
  evidence: wrong(row.error, { integration_id: row.id }),
  what_to_do: 'Correct the integration, which connects the bot again.',
  resolve: null,
  mend: mending(row, 'PUT', `/integrations/${row.id}`, 'owner'),
  timeline: { type: 'integration', id: row.id },
  process: { kind: 'channel', id: row.id },
})
