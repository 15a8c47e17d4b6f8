// The processes of campaign messages: the drain of each mailbox, and messages sent one at a time.
import { type CampaignMessageFacts, describeCampaignMessage } from '../../rules/sending/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, effectEnded, process, type QuarantineRun } from '../kit/process.ts'
import { isForgotten } from '../platform/task-slots.ts'
import { campaignAttention, campaignMessageAttention } from './attention.ts'
import { completeIdleCampaigns } from './completion.ts'
import { lateMailboxes } from './dispatch.ts'
import { quarantineCampaign, toQuarantineCampaigns } from './quarantine.ts'

async function quarantineCampaigns({ statement, transaction, now, failed }: QuarantineRun): Promise<string> {
  let [paused, ended] = [0, 0]
  for (const id of (await statement((em) => toQuarantineCampaigns(em)).catch(failed('campaigns'))) ?? []) {
    const enrollments = await transaction((em) => quarantineCampaign(em, id, now)).catch(failed(`campaigns ${id}`))
    if (enrollments === undefined) continue
    paused++
    ended += enrollments
  }
  return `campaigns: ${paused} paused, ${ended} enrollments made unknown`
}

export const sendingProcesses = [
  process('dispatch', {
    late: [lateMailboxes],
    attention: { campaign: campaignAttention },
    beforeLook: (em, { idleS }) => completeIdleCampaigns(em, idleS),
    slotEnded: sql`
      (
        ${isForgotten}
        or not exists (
          select 1
          from mailboxes b
          where b.id = t.row_id and b.tenant_id = t.tenant_id and b.status = 'active'
        )
      )
    `,
    quarantine: [{ when: 'before effects', run: quarantineCampaigns }],
  }),
  process('campaign_message', {
    late: [],
    attention: { campaign_message: campaignMessageAttention },
    slotEnded: effectEnded('campaign_message'),
    describe: describing<CampaignMessageFacts>(
      {
        from: sql`
          campaign_messages x
          left join mailboxes b on b.id = x.mailbox_id and b.tenant_id = x.tenant_id
        `,
        columns: sql`x.campaign_id, x.kind, x.step, b.key as mailbox`,
      },
      describeCampaignMessage,
    ),
  }),
] as const
