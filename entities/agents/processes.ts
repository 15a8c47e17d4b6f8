// The processes of agents: bots of channels, and the replies that bots send.
import { type ChannelMessageFacts, describeChannelMessage } from '../../rules/agents/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, effectEnded, process } from '../kit/process.ts'
import { channelAttention, channelMessageAttention } from './attention.ts'
import { lateChannels } from './channels.ts'
import { reconnectChannels } from './quarantine.ts'

export const agentProcesses = [
  process('channel', {
    late: [lateChannels],
    attention: { channel: channelAttention },
    quarantine: [
      {
        when: 'before effects',
        run: async ({ transaction, now }) =>
          `channels: ${await transaction((em) => reconnectChannels(em, now))} are connected again`,
      },
    ],
  }),
  process('channel_message', {
    late: [],
    attention: { channel_message: channelMessageAttention },
    slotEnded: effectEnded('channel_message'),
    describe: describing<ChannelMessageFacts>(
      {
        from: sql`
          channel_messages x
          left join chats c on c.id = x.chat_id and c.tenant_id = x.tenant_id
          left join chat_messages m on m.id = x.message_id and m.tenant_id = x.tenant_id
          left join integrations i on i.id = x.channel_id and i.tenant_id = x.tenant_id
        `,
        columns: sql`x.chat_id, c.agent_id, m.message_id, i.key as channel, x.part`,
      },
      describeChannelMessage,
    ),
  }),
] as const
