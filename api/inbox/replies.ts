// Replies of operators to enrolled contacts, and the outcomes of unknown messages.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { CampaignMessage } from '../../entities/sending/campaign-message.ts'
import { lockEnrollment, requestReply, resolveMessage } from '../../entities/sending/single-messages.ts'
import { ATTACHMENTS_MAX } from '../../rules/campaigns/campaigns.ts'
import { resolving } from '../../rules/resolutions.ts'
import { Id } from '../../rules/shapes.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { fingerprintOf, idempotencyConflict, replay } from '../kit/idempotency.ts'
import { route } from '../kit/route.ts'
import { Resolution } from '../refunds/refunds.ts'
import { CampaignMessageOut, shownMessage } from '../sending/message-shape.ts'

const isInProgress = ({ status }: CampaignMessage) => status === 'requested' || status === 'processing'

export const messageWait = {
  async until({ em, pending: id }: { em: EntityManager; pending: string }) {
    const message = await em.findOneOrFail(CampaignMessage, { id })
    return isInProgress(message) ? new NotYet(shownMessage(message)) : shownMessage(message)
  },
}

/**
 * The message with the caller's id: that of an earlier request, or the one that `write` writes. `write` returns null if
 * another request has used the id meanwhile. 409 idempotency_conflict.
 */
export async function onceById(
  em: EntityManager,
  message_id: string,
  fingerprint: string,
  write: () => Promise<CampaignMessage | null>,
): Promise<Reply<z.input<typeof CampaignMessageOut>, string>> {
  const earlier = () => em.findOne(CampaignMessage, { message_id }).then((found) => replay(found, fingerprint))
  const known = await earlier()
  const written = known ? null : await write()
  const message = known ?? written ?? (await earlier())
  if (!message) throw idempotencyConflict()
  return new Reply(shownMessage(message), {
    status: written ? 201 : 200,
    pending: isInProgress(message) ? message.id : undefined,
  })
}

export const MessageId = Id.describe(
  'UUID made by the caller. The same id and content return the same message, and nothing is sent again; another content, or the same id elsewhere, returns 409 `idempotency_conflict`.',
)

const textMax = 262_144

/** One line: it is a header. */
const Subject = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, 'Expected one line of text.')

export const campaignReplies = [
  route('POST /v1/stores/{storeId}/campaign-enrollments/{id}/reply', {
    operation: 'replyToEnrollment',
    may: 'admin',
    active: true,
    refuses: ['idempotency_conflict'],
    summary: 'Reply to an enrolled contact',
    description:
      "Sends one e-mail in the enrollment's thread, from its mailbox, and returns it, with its outcome if the mail server answers in time. An active enrollment ends as `replied`. Sending the " +
      'same `message_id` and content again returns the same message (200) and sends nothing twice. A message whose outcome cannot be proved is `unknown` and is never sent again. It is ' +
      '`failed` if nothing was sent: with `attachment_missing` if a file was deleted in between, with `no_longer_wanted` if the address bounced or reported spam.',
    body: z.object({
      message_id: MessageId,
      subject: Subject.optional().describe('Subject; left out, that of the thread with `Re:`.'),
      body: z.string().min(1).max(textMax).describe('Plain text.'),
      html: z.string().min(1).max(textMax).optional().describe('HTML; left out, the plain text is shown as it is.'),
      attachments: z
        .array(z.strictObject({ media_id: Id.describe('Identifier of a file of the {store}.') }))
        .max(ATTACHMENTS_MAX)
        .default([])
        .describe('Files of the {store}, 10 MiB in all, as they are now.'),
    }),
    out: CampaignMessageOut,
    status: [201, 200],
    async run({ em, tenant_id, path, body, now }) {
      const enrollment = await lockEnrollment(em, tenant_id, path.id)
      const fingerprint = fingerprintOf({ enrollment_id: path.id, ...body })
      return onceById(em, body.message_id, fingerprint, () =>
        requestReply(em, enrollment, { ...body, fingerprint }, now),
      )
    },
    wait: messageWait,
  }),
  route('POST /v1/stores/{storeId}/campaign-messages/{id}/resolve', {
    operation: 'resolveCampaignMessage',
    may: 'owner',
    refuses: ['message_not_unknown', 'contradicts_evidence', 'resolved_otherwise', 'resolved_too_often'],
    summary: 'Resolve a message whose outcome is unknown',
    description:
      `Records the outcome that an operator found in the mail server's log. ${resolving} After \`succeeded\` the sequence of its enrollment goes on with the next step; after \`rejected\` the ` +
      'enrollment has `failed`, unless its next step was written. A completed campaign runs again for the next step, or is `paused` if its {store} or a mailbox was archived or deleted. A reply or ' +
      'a bounce that names the message is evidence that it was accepted. 409 `message_not_unknown` for a message that is neither `unknown` nor was resolved.',
    body: Resolution.extend({
      outcome: Resolution.shape.outcome.describe(
        '`succeeded` if the mail server accepted the message, `rejected` if it did not.',
      ),
    }),
    out: CampaignMessageOut,
    run: async ({ em, path, body, caller, now }) =>
      shownMessage(await resolveMessage(em, path.id, { ...body, account_id: caller.account_id }, now)),
  }),
]
