// A campaign message as the API returns it.
import { z } from 'zod'
import { asRow } from '../../entities/kit/database/row.ts'
import type { CampaignMessage } from '../../entities/sending/campaign-message.ts'
import { MessageKind } from '../../rules/campaigns/campaigns.ts'
import { RefundOutcome } from '../../rules/payments/payments.ts'
import { needsAttention } from '../../rules/resolutions.ts'
import { CreatedAt, EffectError, EffectStatus, UpdatedAt } from '../../rules/shapes.ts'
import { unixSecondsOf } from '../../rules/unix-seconds.ts'

const time = (what: string) => z.int().nullable().describe(`${what}, in Unix seconds; null: not yet.`)

export const CampaignMessageOut = z
  .object({
    id: z.string().describe('Identifier of the message, a UUIDv7 made by the server. Its Message-ID begins with it.'),
    campaign_id: z.string().describe('Identifier of the campaign.'),
    enrollment_id: z
      .string()
      .nullable()
      .describe('Identifier of the enrollment that it was sent to; null for a test message.'),
    kind: MessageKind.describe('`step` of the sequence, `reply` of an operator, or `test`.'),
    step: z.int().nullable().describe('Position of the step, from 0; null for a reply.'),
    try: z
      .int()
      .describe(
        'A message of a step that the server deferred after it was handed over is sent again as a new one, with the next number; a reply or a test is `rejected`.',
      ),
    mailbox_id: z.string().describe('Identifier of the mailbox that sends it.'),
    template_id: z.string().nullable().describe('Identifier of its template; null for a reply.'),
    message_id: z.string().nullable().describe('UUID of the caller; null for messages of steps.'),
    address: z.string().describe('Address that it is sent to.'),
    subject: z.string().nullable().describe('Subject; null if it could not be rendered.'),
    status: EffectStatus.describe(
      '`unknown`: it may or may not have been sent, and it is never sent again. `failed`: nothing was sent.',
    ),
    error: EffectError.nullable().describe('Why it was not sent, or not accepted.'),
    attachments: z
      .array(
        z.object({
          media_id: z.string().describe('Identifier of the file.'),
          name: z.string().describe('Name of the file.'),
          mime_type: z.string().describe('Media type of the file.'),
          size: z.int().describe('Bytes of the file.'),
        }),
      )
      .describe('Attached files, as they were when the message was written.'),
    provider_message_id: z
      .string()
      .nullable()
      .describe('What the mail server calls it; null if its reply does not say.'),
    sent_at: time('When it was handed to the mail server'),
    settled_at: time('When its outcome was recorded'),
    bounced_at: time('When it bounced'),
    bounce: z
      .object({
        status: z.string().nullable().describe('Enhanced status code, such as 5.1.1.'),
        diagnostic: z.string().nullable().describe('What the server said.'),
      })
      .nullable()
      .describe('Why it bounced.'),
    complained_at: time('When it was reported as spam'),
    needs_attention: z
      .boolean()
      .describe('Whether an operator has to act: its outcome is `unknown`, or differs from what was resolved.'),
    resolution: z
      .looseObject({
        outcome: RefundOutcome.describe('The outcome.'),
        note: z.string().describe('How it was established.'),
        at: z.int().describe('When, in Unix seconds.'),
      })
      .nullable()
      .describe('What an owner recorded about an unknown outcome, and in `before` what was recorded earlier.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'CampaignMessage',
    description:
      'A message of a campaign. In status `unknown` it may or may not have been sent, and it is never sent again.',
  })

export const shownMessage = (message: CampaignMessage): z.input<typeof CampaignMessageOut> => ({
  ...asRow(message),
  needs_attention: needsAttention(message),
  sent_at: unixSecondsOf(message.sent_at),
  settled_at: unixSecondsOf(message.settled_at),
})
