// What the workflows of campaign messages are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'

/** `mailbox`: its key, null if it was deleted. */
export type CampaignMessageFacts = DescribedRow & {
  campaign_id: string
  kind: string
  step: number | null
  mailbox: string | null
}

export function describeCampaignMessage(message: CampaignMessageFacts): Description {
  const { id, campaign_id, kind, step, mailbox } = message
  const what = kind === 'step' ? `step ${step} of campaign ${campaign_id}` : `${kind} of campaign ${campaign_id}`
  const summary = `message ${id}, ${what}, ${storeOf(message)}`
  const details = [
    `A campaign message: ${what}, ${storeOf(message)}, sent by the mailbox \`${mailbox}\`.`,
    `**If it is \`unknown\`**, look it up in the log of the mailbox's server: its Message-ID begins with \`${id}\`, and so does the envelope's ENVID. Record what you found, as an ` +
      'owner of the store. The outcome is `succeeded` or `rejected`; after `succeeded` the sequence goes on:',
    call(`POST ${root(message)}/campaign-messages/${id}/resolve`, {
      outcome: 'succeeded or rejected',
      note: 'what you found',
    }),
  ]
  return { summary, details: details.join('\n\n') }
}
