// Messages of bots that cannot be proved, and bots that are not connected.

import { type ChannelFacts, channelItem, channelMessageItem } from '../../rules/agents/attention.ts'
import type { ChannelMessageFacts } from '../../rules/agents/descriptions.ts'
import type { EffectFacts } from '../../rules/attention.ts'
import { attends, attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { channelMessageEffect } from './channel-messages.ts'

export const channelMessageAttention = attendsEffect<EffectFacts & ChannelMessageFacts>(channelMessageEffect, {
  labels: sql`
    left join chats c on c.id = x.chat_id and c.tenant_id = x.tenant_id
    left join chat_messages m on m.id = x.message_id and m.tenant_id = x.tenant_id
    left join integrations i on i.id = x.channel_id and i.tenant_id = x.tenant_id
  `,
  columns: sql`x.chat_id, c.agent_id, coalesce(m.message_id, x.message_id) as message_id, i.key as channel, x.part`,
  text: channelMessageItem,
})

/** Integrations are shown to owners alone. */
export const channelAttention = attends<ChannelFacts>('channel', {
  may: 'owner',
  from: sql`channels x join integrations i on i.id = x.id and i.tenant_id = x.tenant_id`,
  columns: sql`i.key, x.error`,
  where: sql`x.status = 'failed' and x.deleted_at is null`,
  since: sql`x.updated_at`,
  text: channelItem,
})
