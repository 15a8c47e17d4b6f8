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
  labels: sql`
    cross join lateral (
      select coalesce(sum(s.succeeded + s.rejected), 0)::int as sent,
        coalesce(sum(s.hard_bounced), 0)::int as bounced, coalesce(sum(s.complained), 0)::int as complained
      from campaign_stats s
      where s.campaign_id = x.id and s.tenant_id = x.tenant_id
    ) sums
  `,
  columns: sql`x.name, x.paused_reason, sums.sent, sums.bounced, sums.complained`,
  where: sql`x.status = 'paused' and x.paused_reason ->> 'code' not in ('operator', 'store_archived')`,
  since: sql`x.updated_at`,
  text: campaignItem,
})
