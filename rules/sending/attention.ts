// What a person does about messages of campaigns whose outcome cannot be proved, and about campaigns that were paused.
import { type AttentionEvidence, type EffectFacts, type ItemText, mending, outcomeItem, wrong } from '../attention.ts'
import { type DescribedRow, root } from '../descriptions.ts'
import { isolated } from '../isolated.ts'
import type { CampaignMessageFacts } from './descriptions.ts'

/** `name`: of its campaign. */
export const campaignMessageItem = (row: EffectFacts & CampaignMessageFacts & { name: string }): ItemText =>
  outcomeItem({
    row,
    whether: `a message of the campaign “${isolated(row.name)}” reached its mail server`,
    subject: { type: 'campaign', id: row.campaign_id, label: row.name },
    what_to_do: `Look in the log of the mail server for the Message-ID that begins with ${row.id}, and record what you found. If it was carried out, the sequence of its recipient continues; otherwise it ends.`,
    ids: { message_id: row.id, campaign_id: row.campaign_id },
    effect: 'campaign_message',
    resolve: {
      path: `${root(row)}/campaign-messages/${row.id}/resolve`,
      role: 'owner',
      choices: ['succeeded', 'rejected'],
    },
  })

/** `sent`, `bounced` and `complained`: messages of the campaign so far. */
export type CampaignFacts = DescribedRow & {
  name: string
  paused_reason: NonNullable<AttentionEvidence['error']>
  sent: number
  bounced: number
  complained: number
}

/** What an operator does about each cause, by its code. */
const causes: Readonly<Record<string, (facts: CampaignFacts) => string>> = {
  too_many_bounces: ({ sent, bounced }) =>
    `${sent === 0 ? 'Messages' : `Of ${sent} messages, ${bounced}`} came back as their addresses do not exist: the messages of the campaign name them. Take these contacts out of the audience.`,
  too_many_complaints: ({ sent, complained }) =>
    `${sent === 0 ? 'Messages' : `Of ${sent} messages, ${complained}`} were reported as spam. Write only to contacts that agreed to it.`,
  rendering_failed: () => 'Correct the step: a preview of it shows what is wrong.',
  sender_refused: () => 'Ask the provider of the mailbox how many messages it may send in a day.',
  sender_reputation: () =>
    'Ask the provider of the mailbox whether its address or domain is on a block list, and is authenticated.',
  mailbox_refused: () => 'Correct the user and the password of the mailbox.',
  mailbox_unreachable: () => 'Correct the server of the mailbox, or wait until it can be reached.',
}

export const campaignItem = ({ paused_reason, ...row }: CampaignFacts): ItemText => ({
  title: `The campaign “${isolated(row.name)}” was paused: ${isolated(paused_reason.message)}`,
  subject: { type: 'campaign', id: row.id, label: row.name },
  evidence: wrong(paused_reason, { campaign_id: row.id }),
  what_to_do: `${causes[paused_reason.code]?.({ ...row, paused_reason }) ?? 'Remove the cause.'} Then resume the campaign, or cancel it.`,
  resolve: null,
  mend: mending(row, 'POST', `/campaigns/${row.id}/resume`),
  timeline: { type: 'campaign', id: row.id },
  process: null,
})
