// Replies to comments. The caller makes the `reply_id`; sending it again returns the same reply and sends nothing
// twice.
import { z } from 'zod'
import { requestReply, resolveReply } from '../../entities/engagement/replies.ts'
import { publicationOfThread } from '../../entities/engagement/requesting-syncs.ts'
import { SocialComment } from '../../entities/engagement/social-comment.ts'
import { SocialReply } from '../../entities/engagement/social-reply.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { attention } from '../../entities/kit/resolutions.ts'
import { ReplyOut, ReplyOutcome } from '../../rules/engagement/comments.ts'
import { replyIssueCodes } from '../../rules/engagement/reply.ts'
import { replyIssue } from '../../rules/engagement/reply-limits.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import { Force, Note, needsAttention, replacing, resolving } from '../../rules/resolutions.ts'
import { anyCase, EffectStatus, Id } from '../../rules/shapes.ts'
import { unixSecondsOf } from '../../rules/unix-seconds.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { fingerprintOf, idempotencyConflict, replay } from '../kit/idempotency.ts'
import { flag, many } from '../kit/query.ts'
import { route } from '../kit/route.ts'

type Shown = z.input<typeof ReplyOut>
export const shownReply = (reply: SocialReply): Shown => ({
  ...asRow(reply),
  id: reply.id,
  needs_attention: needsAttention(reply),
  sent_at: unixSecondsOf(reply.sent_at),
  settled_at: unixSecondsOf(reply.settled_at),
})

/** A reply whose answer was lost is looked for once before the request is answered. */
const isInProgress = ({ status, looked_at }: SocialReply) =>
  status === 'requested' || status === 'processing' || (status === 'unknown' && !looked_at)

const answered = (reply: SocialReply, isReplay: boolean) =>
  new Reply(shownReply(reply), {
    status: isReplay ? 200 : 201,
    pending: isInProgress(reply) ? { id: reply.id } : undefined,
  })

const at = '/v1/stores/{storeId}/social-publications/{publicationId}/comments/{commentId}/replies'

export const socialReplies = [
  route(`POST ${at}`, {
    may: 'admin',
    active: true,
    operation: 'replyToSocialComment',
    refuses: [
      ...(['idempotency_conflict', 'comment_gone', 'publication_not_published', 'connection_needs_reconnect'] as const),
      ...replyIssueCodes,
    ],
    summary: 'Reply to a comment',
    description:
      'Sends one reply to the network and returns it, with its outcome if the network answers in time. Sending the same `reply_id` and text again returns the same reply (200) and sends ' +
      'nothing twice; another text or comment is 409 `idempotency_conflict`. A reply whose outcome cannot be proved is `unknown` and is never sent again: it becomes `succeeded` when its ' +
      'thread shows it. 409 `comment_gone` if the network does not have the comment any more, `publication_not_published`, `connection_needs_reconnect` if the account has to be connected again.',
    body: z.object({
      reply_id: Id.describe(
        'UUID made by the caller. The same id and text return the same reply; another text returns 409 `idempotency_conflict`.',
      ),
      text: z
        .string()
        .trim()
        .min(1)
        .max(10_000)
        .describe(
          'Text of the reply. Its limit is that of the network: 8,000 characters on a, 300 on b, 10,000 on c, 280 weighted on d, 500 on e.',
        ),
    }),
    out: ReplyOut,
    status: [201, 200],
    async run({ em, tenant_id, path, body: { reply_id, text }, now }) {
      const { publicationId: publication_id, commentId: comment_id } = path
      const fingerprint = fingerprintOf({ publication_id, comment_id, reply_id, text })
      const earlier = replay(await em.findOne(SocialReply, { reply_id }), fingerprint)
      if (earlier) return answered(earlier, true)
      const comment = await findRecord(em, SocialComment, { id: comment_id, publication_id }, 'comment')
      const publication = await publicationOfThread(em, tenant_id, publication_id)
      if (!publication) throw notFound('comment')
      const { type, social_connection_id } = publication
      if (comment.gone_at) throw conflict('comment_gone', 'The network does not have the comment any more.')
      if (publication.status !== 'published')
        throw conflict('publication_not_published', `The publication is ${publication.status}.`)
      if (publication.connection_status !== 'active')
        throw conflict('connection_needs_reconnect', 'The account has to be connected again.')
      const issue = replyIssue(type, text)
      if (issue) throw invalid('/text', issue.code, issue.detail)
      const given = {
        reply_id,
        publication_id,
        comment_id,
        root_id: String(comment.root_id ?? comment.id),
        social_connection_id,
        type,
        text,
        fingerprint,
      }
      const id = await requestReply(em, tenant_id, given, now)
      const reply = await em.findOneOrFail(SocialReply, id === null ? { reply_id } : { id })
      if (id === null && reply.fingerprint !== fingerprint) throw idempotencyConflict()
      return answered(reply, id === null)
    },
    wait: {
      async until({ em, pending }) {
        const reply = await em.findOneOrFail(SocialReply, { id: pending.id })
        return isInProgress(reply) ? new NotYet(shownReply(reply)) : shownReply(reply)
      },
    },
  }),
  reading(`GET ${at}/{replyId}`, {
    may: 'admin',
    operation: 'getSocialReply',
    summary: 'Read a reply by its `reply_id`',
    entity: SocialReply,
    out: ReplyOut,
    where: ({ path }) => ({ reply_id: path.replyId, comment_id: path.commentId, publication_id: path.publicationId }),
    show: shownReply,
  }),
  route(`POST ${at}/{replyId}/resolve`, {
    may: 'owner',
    operation: 'resolveSocialReply',
    refuses: ['reply_not_unknown', 'comment_taken', 'contradicts_evidence', 'resolved_otherwise', 'resolved_too_often'],
    summary: 'Resolve a reply whose outcome is unknown',
    description:
      `Records the outcome that an operator found at the network. ${resolving} 409 \`reply_not_unknown\` for a reply that is neither \`unknown\` nor was resolved, \`comment_taken\` if ` +
      'another reply has the comment.',
    body: z.object({
      outcome: ReplyOutcome.describe('`succeeded` if the network has the reply, `rejected` if it does not.'),
      provider_comment_id: z
        .string()
        .trim()
        .min(1)
        .max(255)
        .optional()
        .describe("The network's id of the reply, if it is known."),
      note: Note,
      force: Force,
      replaces: replacing(ReplyOutcome),
    }),
    out: ReplyOut,
    async run({ em, path, body, caller, now }) {
      const { publicationId: publication_id, commentId: comment_id, replyId: reply_id } = path
      const decision = { ...body, account_id: caller.account_id, provider_comment_id: body.provider_comment_id ?? null }
      return shownReply(await resolveReply(em, { publication_id, comment_id, reply_id }, decision, now))
    },
  }),
  listing('GET /v1/stores/{storeId}/social-replies', {
    may: 'admin',
    summary: 'List the replies of a {store}',
    description:
      'Returns one page, newest first, unless another order is requested. With `status=unknown`, the replies whose outcome an operator may have to find out.',
    entity: SocialReply,
    item: ReplyOut,
    filters: {
      ...byIds,
      status: filter(
        many(anyCase(EffectStatus)).describe('Only replies with these statuses: repeated, or separated by commas.'),
        (status) => ({
          status: { $in: status },
        }),
      ),
      needs_attention: filter(
        flag.describe('Only replies that an operator has (`true`) or does not have (`false`) to act on.'),
        attention,
      ),
      publication_id: filter(Id.describe('Only replies below this publication.'), (publication_id) => ({
        publication_id,
      })),
    },
    load: async (_, rows: SocialReply[]) => rows.map(shownReply),
  }),
]
