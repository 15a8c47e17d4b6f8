// Messages of campaigns whose outcome cannot be proved, and campaigns that the server has paused.
import type { EffectFacts } from '../../rules/attention.ts'
import { type CampaignFacts, campaignItem, campaignMessageItem } from '../../rules/sending/attention.ts'
import type { CampaignMessageFacts } from '../../rules/sending/descriptions.ts'
import { attends, attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { campaignMessageEffect } from './campaign-messages.ts'

export const campaignMessageAttention = attendsEffect<EffectFacts & CampaignMessageFacts & { name: string }>(
  campaignMessageEffect,
  {
    labels: sql`
      join campaigns c on c.id = x.campaign_id and c.tenant_id = x.tenant_id
      left join mailboxes b on b.id = x.mailbox_id and b.tenant_id = x.tenant_id
    `,
    columns: sql`x.campaign_id, c.name, x.kind, x.step, b.key as mailbox`,
    elsewhere: true,
    text: campaignMessageItem,
  },
)

/** Those that an operator paused wait for nothing. */
export const campaignAttention = attends<CampaignFacts>('campaign', {
  from: sql`campaigns x`,
  columns: sql`x.name, x.paused_reason`,
  where: sql`x.status = 'paused' and x.paused_reason ->> 'code' not in ('operator', 'store_archived')`,
  since: sql`x.updated_at`,
  text: campaignItem,
})
