// A step of a campaign as a recipient would get it: shown, or sent to an address of the operator's choice.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { renderEmail } from '../../adapters/mail-renderer.ts'
import { config } from '../../config.ts'
import { Campaign } from '../../entities/campaigns/campaign.ts'
import { previewFacts } from '../../entities/campaigns/preview.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { requestTest } from '../../entities/sending/single-messages.ts'
import { ownerOf } from '../../entities/stores/tenant-owner.ts'
import { STEPS_MAX } from '../../rules/campaigns/campaigns.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { invalidInput } from '../../rules/refusal.ts'
import { headersOf } from '../../rules/sending/headers.ts'
import { manageUrl, messageVariables, UNSUBSCRIBE_MARK, unsubscribeUrl } from '../../rules/sending/variables.ts'
import { previewWarnings } from '../../rules/sending/warnings.ts'
import { Id } from '../../rules/shapes.ts'
import { MessageId, messageWait, onceById } from '../inbox/replies.ts'
import { fingerprintOf } from '../kit/idempotency.ts'
import { route } from '../kit/route.ts'
import { withRefusals } from '../mail/email-templates.ts'
import { CampaignMessageOut } from '../sending/message-shape.ts'
import { Variables } from './campaign-shapes.ts'

const Step = z
  .int()
  .min(0)
  .max(STEPS_MAX - 1)
  .describe('Position of the step, from 0.')
const EnrollmentId = Id.describe('Identifier of an enrollment of the campaign, whose contact and variables are used.')

const Preview = z
  .object({
    subject: z.string().describe('Subject.'),
    html: z.string().describe('HTML part.'),
    text: z.string().describe('Text part.'),
    headers: z
      .array(z.object({ name: z.string().describe('Name.'), value: z.string().describe('Value.') }))
      .describe('Headers beside sender, recipient and subject.'),
    warnings: z
      .array(
        z.object({
          code: z.string().describe('Stable code.'),
          message: z.string().describe('What is wrong, and why it matters.'),
        }),
      )
      .describe('What mail programs or mailbox providers would object to.'),
  })
  .meta({ id: 'CampaignPreview', description: 'A step of a campaign as a recipient would get it.' })

type Wanted = {
  step: number
  enrollment_id?: string | null | undefined
  variables?: Record<string, unknown> | undefined
  to?: string | undefined
}

/**
 * The step, rendered. Its link has no effect. 404; 422 for a step that the campaign does not have, and for errors of
 * the template.
 */
async function rendered(
  em: EntityManager,
  campaign: Campaign,
  { step, enrollment_id, variables = {}, to = 'recipient@example.com' }: Wanted,
) {
  const facts = await previewFacts(em, campaign, step, enrollment_id ?? null)
  if (!facts)
    throw invalidInput([
      { pointer: '/step', code: 'step_unknown', detail: 'The campaign has no such step with a template.' },
    ])
  const recipient = facts.recipient ?? {
    contact_id: '00000000-0000-0000-0000-000000000000',
    address: to,
    variables,
    member: null,
  }
  const given = messageVariables({ store: facts.store, campaign, step: facts.step }, recipient)
  const content = await withRefusals(async () =>
    renderEmail(facts.step, given, await ownerOf(em, campaign.tenant_id), { impatient: true }),
  )
  return { facts, recipient, variables: given, content }
}

const linked = (text: string) => text.replaceAll(UNSUBSCRIBE_MARK, manageUrl(config.publicUrl, 'preview'))

export const campaignPreviews = [
  route('POST /v1/stores/{storeId}/campaigns/{id}/preview', {
    operation: 'previewCampaign',
    may: 'admin',
    refuses: ['too_many_requests', 'template_failed', 'template_invalid', 'template_timeout', 'template_too_large'],
    transaction: false,
    summary: 'Preview a step of a campaign',
    description:
      'Renders the step with the contact and the variables of an enrollment, or with these variables. Nothing is stored or sent. A launched campaign shows the template as it was at the ' +
      'launch. `warnings`: `too_long` (mail programs cut off HTML over 102 KB), `no_unsubscribe_url` (the body does not print `unsubscribe_url`), `freemail_sender` (bulk mail from such an ' +
      'address is refused). 422 `template_failed` if a variable is missing.',
    body: z.object({
      step: Step,
      enrollment_id: EnrollmentId.nullish().describe(
        'Enrollment whose contact and variables are used; null or left out for none.',
      ),
      variables: Variables.optional().describe(
        'Values for a recipient who is not enrolled; ignored with an `enrollment_id`.',
      ),
    }),
    out: Preview,
    async run({ em, path, body }) {
      const campaign = await findRecord(em, Campaign, { id: path.id }, 'campaign')
      const { facts, content } = await rendered(em, campaign, body)
      const { sender, mailbox_id, audience_id, thread } = facts
      const headers = headersOf({
        ...{
          id: '00000000-0000-0000-0000-000000000000',
          kind: 'step',
          campaign_id: campaign.id,
          audience_id,
          step: body.step,
          mailbox_id,
          sender,
          thread,
        },
        unsubscribe_url: unsubscribeUrl(config.publicUrl, 'preview'),
      })
      return {
        subject: content.subject,
        html: linked(content.html),
        text: linked(content.text),
        headers: headers.map(([name, value]) => ({ name, value: value.replaceAll('\r\n', '') })),
        warnings: previewWarnings(content, sender),
      }
    },
  }),
  route('POST /v1/stores/{storeId}/campaigns/{id}/test', {
    operation: 'testCampaign',
    may: 'admin',
    active: true,
    refuses: [
      'idempotency_conflict',
      'too_many_requests',
      'template_failed',
      'template_invalid',
      'template_timeout',
      'template_too_large',
    ],
    summary: 'Send a step of a campaign to an address',
    description:
      'Sends one e-mail, with `[Test]` before its subject, and returns it, with its outcome if the mail server answers in time. Its link has no effect, and it is not counted. Sending the ' +
      'same `message_id` and content again returns the same message (200) and sends nothing twice.',
    body: z.object({
      message_id: MessageId,
      step: Step,
      to: EmailAddress.describe('Address that it is sent to.'),
      enrollment_id: EnrollmentId.nullish().describe(
        'Enrollment whose contact and variables are used; null or left out for none.',
      ),
    }),
    out: CampaignMessageOut,
    status: [201, 200],
    async run({ em, path, body, now }) {
      // Not locked: rendering takes a while, and messages are stamped under the campaign's lock.
      const campaign = await findRecord(em, Campaign, { id: path.id }, 'campaign')
      const fingerprint = fingerprintOf({ campaign_id: path.id, ...body })
      return onceById(em, body.message_id, fingerprint, async () => {
        const { facts, variables, content } = await rendered(em, campaign, body)
        const test = {
          ...body,
          fingerprint,
          mailbox_id: facts.mailbox_id,
          template_id: facts.step.template_id,
          variables,
        }
        return requestTest(em, campaign, test, content, now)
      })
    },
    wait: messageWait,
  }),
]
