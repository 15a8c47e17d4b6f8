// Messages of campaigns: listed, read with their content, and as the conversation with one recipient.
import { z } from 'zod'
import { Campaign } from '../../entities/campaigns/campaign.ts'
import { Enrollment } from '../../entities/campaigns/enrollment.ts'
import { contentsOf, readThread, type ThreadRow } from '../../entities/inbox/threads.ts'
import { mustExist } from '../../entities/kit/find.ts'
import { attention } from '../../entities/kit/resolutions.ts'
import { CampaignMessage } from '../../entities/sending/campaign-message.ts'
import { InboundKind, MessageKind } from '../../rules/campaigns/campaigns.ts'
import { anyCase, EffectStatus } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { flag, many, whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { CampaignMessageOut, shownMessage } from './message-shape.ts'

const evidence = (what: string) => z.looseObject({}).nullable().describe(what)
const body = (what: string) =>
  z
    .string()
    .nullable()
    .describe(
      `${what}; null without. The link to unsubscribe is a placeholder: it is put in while the message is sent.`,
    )

const WholeMessage = CampaignMessageOut.extend({
  variables: z.record(z.string(), z.unknown()).describe('What its template was rendered with.'),
  html: body('HTML'),
  text: body('Plain text'),
  attempt: z
    .int()
    .describe('Number of attempts to send it. Another attempt follows only one that provably sent nothing.'),
  evidence: evidence('What the mail server answered; null without an answer.'),
  late_evidence: evidence('What became known after the outcome was recorded; null if nothing did.'),
}).meta({ id: 'WholeCampaignMessage', description: 'A message of a campaign with its content.' })

const ThreadMessage = z
  .object({
    id: z.string().describe('Identifier of the message, or of the e-mail that came back.'),
    direction: z
      .enum(['sent', 'received'])
      .describe('`sent`: a message of the campaign, or a reply of an operator. `received`: an e-mail that came back.'),
    kind: z
      .enum([...MessageKind.options, ...InboundKind.options])
      .describe('Of a sent one `step` or `reply`; of a received one what it was recognized as.'),
    step: z.int().nullable().describe('Position of the step, from 0; null for other messages.'),
    status: EffectStatus.nullable().describe('Of a sent one, as in the list of messages; null for a received one.'),
    address: z.string().nullable().describe('Address that it was sent to, or that it came from.'),
    subject: z.string().nullable().describe('Subject; null if it could not be rendered.'),
    text: body('Plain text'),
    html: body('HTML'),
    attachments: z
      .array(
        z.object({
          media_id: z
            .string()
            .nullable()
            .describe('Identifier of the file; null for a received one, which is not kept.'),
          name: z.string().nullable().describe('Name of the file.'),
          mime_type: z.string().describe('Media type of the file.'),
          size: z.int().describe('Bytes of the file.'),
        }),
      )
      .describe('Attached files.'),
    at: z.int().describe('When it was sent, or made if it was not sent yet, or received, in Unix seconds.'),
  })
  .meta({ id: 'CampaignThreadMessage' })

type Received = {
  text: string | null
  html: string | null
  attachments: { name: string | null; mime_type: string; size: number }[]
}

function shown({
  at,
  message,
  content,
  mail,
}: ThreadRow & { content?: { text: string; html: string } | null }): z.input<typeof ThreadMessage> {
  if (message) {
    const { id, kind, step = null, status, address, subject = null, attachments } = message
    const files = attachments.map(({ media_id, name, mime_type, size }) => ({ media_id, name, mime_type, size }))
    return {
      id,
      direction: 'sent',
      kind,
      step,
      status,
      address,
      subject,
      text: content?.text ?? null,
      html: content?.html ?? null,
      attachments: files,
      at,
    }
  }
  const { id, kind, from = null, subject } = mail
  const { text, html, attachments } = JSON.parse(mail.content) as Received
  const files = attachments.map(({ name, mime_type, size }) => ({ media_id: null, name, mime_type, size }))
  return {
    id,
    direction: 'received',
    kind,
    step: null,
    status: null,
    address: from,
    subject,
    text,
    html,
    attachments: files,
    at,
  }
}

export const campaignMessages = [
  listing('GET /v1/stores/{storeId}/campaigns/{id}/messages', {
    operation: 'listCampaignMessages',
    may: 'admin',
    summary: 'List the messages of a campaign',
    description:
      'Returns one page, sorted by creation time, newest first or oldest first. A single read has the content too.',
    byCreation: true,
    entity: CampaignMessage,
    item: CampaignMessageOut,
    filters: {
      status: filter(many(anyCase(EffectStatus)), (status) => ({
        status: status.length === 1 ? status[0] : { $in: status },
      })),
      kind: filter(anyCase(MessageKind).describe('Only messages of this kind.'), (kind) => ({ kind })),
      step: filter(whole(0, 20).describe('Only messages of the step at this position, with its tests.'), (step) => ({
        step,
      })),
      needs_attention: filter(
        flag.describe('Only messages that an operator has (`true`) or does not have (`false`) to act on.'),
        attention,
      ),
      bounced: filter(flag.describe('Only messages that bounced (`true`), or did not.'), (bounced) => ({
        bounced_at: bounced ? { $ne: null } : null,
      })),
    },
    async scope({ em, path }) {
      await mustExist(em, Campaign, { id: path.id }, 'campaign')
      return { campaign_id: path.id }
    },
    load: async (_, rows: CampaignMessage[]) => rows.map(shownMessage),
  }),
  reading('GET /v1/stores/{storeId}/campaign-messages/{id}', {
    operation: 'getCampaignMessage',
    may: 'admin',
    summary: 'Read a message of a campaign with its content',
    entity: CampaignMessage,
    out: WholeMessage,
    async show(row, { em }) {
      const content = (await contentsOf(em, [row]))(row)
      await em.populate([row], ['variables'])
      const { attempt, evidence: answer = null, late_evidence = null } = row
      const variables = JSON.parse(row.variables ?? '{}') as Record<string, unknown>
      return {
        ...shownMessage(row),
        variables,
        html: content?.html ?? null,
        text: content?.text ?? null,
        attempt,
        evidence: answer,
        late_evidence,
      }
    },
  }),
  route('GET /v1/stores/{storeId}/campaign-enrollments/{id}/messages', {
    operation: 'readCampaignThread',
    may: 'admin',
    summary: 'Read the conversation with a recipient',
    description:
      'Returns what was sent to the recipient and what came back, oldest first: of a longer conversation the newest ones, 4 MiB at most.',
    query: z.object({
      limit: whole(1, 100).default(100).describe('Number of messages at most, 1 to 100; 100 by default.'),
    }),
    out: z.object({ items: z.array(ThreadMessage).describe('Messages, oldest first.') }),
    async run({ em, tenant_id, path, query }) {
      await mustExist(em, Enrollment, { id: path.id }, 'enrollment')
      return { items: (await readThread(em, tenant_id, path.id, query.limit)).map(shown) }
    },
  }),
]
