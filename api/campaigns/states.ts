// Launching, pausing, resuming and cancelling campaigns. Each of them may be repeated.
import { z } from 'zod'
import { CampaignStep } from '../../entities/campaigns/campaign-step.ts'
import { launchCampaign } from '../../entities/campaigns/launch.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../entities/campaigns/states.ts'
import { launchWarnings } from '../../rules/sending/warnings.ts'
import { UnixSeconds } from '../../rules/shapes.ts'
import { route } from '../kit/route.ts'
import { CampaignOut } from './campaign-shapes.ts'

const LaunchedOut = CampaignOut.extend({
  warnings: z
    .array(
      z.object({
        pointer: z.string().describe('JSON pointer to the template of the step.'),
        code: z.string().describe('Stable code.'),
        message: z.string().describe('What is wrong, and why it matters.'),
      }),
    )
    .describe(
      'What the launch does not refuse: `no_unsubscribe_url` for a template whose body does not name `unsubscribe_url`.',
    ),
}).meta({ id: 'LaunchedCampaign', description: 'A campaign that was launched, with what its operators should know.' })

export const campaignStates = [
  route('POST /v1/stores/{storeId}/campaigns/{id}/launch', {
    may: 'admin',
    request: { while: ['draft'] },
    refuses: ['campaign_not_ready', 'in_the_past'],
    summary: 'Launch a campaign',
    description:
      'Freezes the steps with their templates: later edits change nothing. The campaign is then `running`, or `scheduled` until `scheduled_at`. A campaign that was launched before is ' +
      'returned as it is. 422 `campaign_not_ready` lists every reason in `errors`: `no_steps`, `template_missing`, `template_not_active`, `template_type`, `mailbox_missing`, ' +
      '`mailbox_archived`, `store_archived`, `no_enrollments`, `import_running`. `warnings` names the templates that do not print `unsubscribe_url`.',
    body: z.object({
      scheduled_at: UnixSeconds.nullish().describe(
        'When it starts, in Unix seconds; null: at once. Left out, as the campaign says.',
      ),
    }),
    out: LaunchedOut,
    async run({ em, path, body, now }) {
      const campaign = await launchCampaign(em, path.id, body.scheduled_at, now)
      const steps = await em.find(CampaignStep, { campaign_id: campaign.id }, { orderBy: { position: 'asc' } })
      return { ...campaign, warnings: launchWarnings(steps.map((step) => step.body)) }
    },
  }),
  route('POST /v1/stores/{storeId}/campaigns/{id}/pause', {
    may: 'admin',
    request: { while: ['scheduled', 'running'] },
    refuses: ['campaign_not_running'],
    summary: 'Pause a campaign',
    description:
      'Once this is answered, no further message is handed to a mail server. One whose sending began within two seconds before, or whose body is being handed over, may still arrive. ' +
      'A paused campaign is returned as it is. 409 `campaign_not_running` with ' +
      '`campaign_status` for a draft and for a campaign that ended.',
    out: CampaignOut,
    run: ({ em, path, now }) => pauseCampaign(em, path.id, now),
  }),
  route('POST /v1/stores/{storeId}/campaigns/{id}/resume', {
    may: 'admin',
    request: { while: ['paused'] },
    refuses: ['campaign_not_paused', 'campaign_not_ready'],
    summary: 'Resume a paused campaign',
    description:
      'It is `scheduled` again if its start is ahead, otherwise `running`. Its mailboxes connect to their servers at once, and recipients whose servers refused the sender are sent to. A running or scheduled campaign is returned as it is. ' +
      '409 `campaign_not_paused` with `campaign_status` from any other state. 422 `campaign_not_ready` if a mailbox or the {store} is archived.',
    out: CampaignOut,
    run: ({ em, path, now }) => resumeCampaign(em, path.id, now),
  }),
  route('POST /v1/stores/{storeId}/campaigns/{id}/cancel', {
    may: 'admin',
    request: { while: ['scheduled', 'running', 'paused'] },
    refuses: ['campaign_not_running'],
    summary: 'Cancel a campaign',
    description:
      'Final. Once this is answered, no further message is handed to a mail server. One whose sending began within two seconds before, or whose body is being handed over, may still arrive. ' +
      'A cancelled campaign is returned as it is. 409 `campaign_not_running` with `campaign_status` for a draft, ' +
      'which is deleted instead, and for a completed campaign.',
    out: CampaignOut,
    run: ({ em, path, now }) => cancelCampaign(em, path.id, now),
  }),
]
