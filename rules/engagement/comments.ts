// Comments, threads, replies and figures as the API returns them.
import { z } from 'zod'
import { anyMembers } from '../open-answers.ts'
import { CreatedAt, EffectError, EffectStatus, UpdatedAt } from '../shapes.ts'
import { metricNames } from '../social/networks/capability.ts'
import { SyncItemStatus, SyncStatus } from './syncs.ts'

export const CommentLabel = z.enum(['question', 'complaint', 'praise', 'purchase', 'spam', 'other'])
export type CommentLabel = z.infer<typeof CommentLabel>
export const Sentiment = z.enum(['positive', 'neutral', 'negative'])
export type Sentiment = z.infer<typeof Sentiment>
/** What an operator finds out about an unknown reply. */
export const ReplyOutcome = EffectStatus.extract(['succeeded', 'rejected'])
export type ReplyOutcome = z.infer<typeof ReplyOutcome>
/** `asked`: a call is open. `failed`: the last call gave no label, and the next request asks again. */
export const LabelStatus = z.enum(['asked', 'labelled', 'failed', 'unknown'])

const seconds = z.int().nullable()

export const SocialCommentOut = z
  .object({
    id: z.string().describe('Identifier of the comment, a UUIDv7 made by the server.'),
    publication_id: z.string().describe('Identifier of the publication.'),
    provider_comment_id: z.string().describe("The network's id of the comment."),
    root_id: z
      .string()
      .nullable()
      .describe('Identifier of the comment that the thread begins with; null at the top level.'),
    parent_id: z.string().nullable().describe('Identifier of the comment that it answers; null at the top level.'),
    author: z
      .object({
        provider_id: z.string().max(255).nullable().describe("The network's id of the author."),
        name: z.string().nullable().describe('Name of the author.'),
        username: z.string().nullable().describe('Name by which the network addresses the author.'),
      })
      .nullable()
      .describe('Author, as far as the network names them; null if the network names none, or the comment is gone.'),
    text: z.string().nullable().describe('Text of the comment; null if the comment is gone.'),
    like_count: z.int().nullable().describe('Number of likes; null if the network does not report it.'),
    reply_count: z.int().nullable().describe('Number of replies; null if the network does not report it.'),
    own: z.boolean().describe('Whether the account of the connection wrote it.'),
    reply_id: z.string().nullable().describe("The caller's id of the reply that made it; null for all other comments."),
    answered: z
      .boolean()
      .describe('Whether the thread has a comment by the account of the connection, as far as it was read.'),
    classification: z
      .object({
        label: CommentLabel.describe('What the comment is.'),
        sentiment: Sentiment.describe('Its tone.'),
        needs_reply: z.boolean().describe('Whether the author expects a reply.'),
        model: z.string().describe('The model that classified it.'),
        classified_at: z.int().describe('Time of the classification, in Unix seconds.'),
      })
      .nullable()
      .describe('What a model said of the text; null if none has, or the text was edited since.'),
    provider_created_at: z.int().describe('Time of the comment at the network, in Unix seconds.'),
    gone_at: seconds.describe(
      'Time at which a complete listing did not have it any more, in Unix seconds. Its text and author are erased.',
    ),
    synced_at: z.int().describe('Time at which the network listed it last, in Unix seconds.'),
  })
  .meta({ id: 'SocialComment', description: 'A comment below a publication, as the network listed it last.' })

export const SyncItemOut = z
  .object({
    publication_id: z.string().describe('Identifier of the publication.'),
    status: SyncItemStatus.describe(
      '`skipped`: it was not read; `error` says why. `failed`: it was not read to the end of what was requested.',
    ),
    new: z.int().describe('Comments that were stored for the first time.'),
    updated: z.int().describe('Comments whose text or counts changed.'),
    gone: z
      .int()
      .describe('Comments that the network does not have any more. Counted only if the listing was read to its end.'),
    more: z.boolean().describe('Whether the network has more comments than the bounds of the request allowed.'),
    error: EffectError.nullable().describe('Why it was skipped, failed or waits; null otherwise.'),
  })
  .meta({ id: 'SocialSyncItem' })

export const SyncOut = z
  .object({
    id: z.string().describe('Identifier of the sync.'),
    status: SyncStatus.describe(
      '`completed`: every publication was read or skipped. `failed`: none of those that were to be read was.',
    ),
    items: z.array(SyncItemOut).describe('Progress by publication.'),
    finished_at: seconds.describe('Time at which it ended, in Unix seconds; null until then.'),
    created_at: CreatedAt,
  })
  .meta({ id: 'SocialSync', description: 'A sync of comments and figures from the networks.' })

export const ThreadOut = z
  .object({
    root: SocialCommentOut.describe('The comment that the thread begins with.'),
    items: z.array(SocialCommentOut).describe('Replies below it, oldest first.'),
    cursor: z.string().nullable().describe('Cursor of the next page, to be sent as `cursor`; null on the last page.'),
    synced_at: seconds.describe('Time at which the network was read last, in Unix seconds; null if it never was.'),
    stale: z
      .boolean()
      .describe(
        'Whether that was more than a minute ago: the network has not answered in time, or cannot be asked now.',
      ),
    error: EffectError.nullable().describe('Why the thread could not be read again; null otherwise.'),
  })
  .meta({ id: 'SocialThread' })

const figure = (what: string) => z.int().nullable().describe(`${what}; null if the network has not reported it.`)
const figures = {
  views: figure('How often the post was shown or played'),
  reach: figure('How many accounts saw it'),
  likes: figure('Likes and other reactions'),
  comments: figure('Comments and replies'),
  shares: figure('How often it was shared or reposted'),
  saves: figure('How often it was saved or bookmarked'),
} satisfies Record<(typeof metricNames)[number], unknown>

export const MetricsOut = z
  .object({
    publication_id: z.string().describe('Identifier of the publication.'),
    values: z.object(figures).describe('Figures; null for those that the network has not reported, which is not 0.'),
    unsupported: z
      .array(z.enum(metricNames))
      .describe('Figures that the network does not report for this type of connection.'),
    synced_at: seconds.describe(
      'Time at which the network reported them, in Unix seconds; null if they were never synced.',
    ),
  })
  .meta({ id: 'SocialMetrics' })

export const ReplyOut = z
  .object({
    id: z.string().describe('Identifier of the reply, a UUIDv7 made by the server.'),
    reply_id: z.string().describe("The caller's own id of the reply."),
    publication_id: z.string().describe('Identifier of the publication.'),
    comment_id: z.string().describe('Identifier of the comment that it answers.'),
    text: z.string().describe('Text of the reply.'),
    status: EffectStatus.describe(
      '`succeeded` when the network has the reply; `rejected` if the network refused; `failed` if nothing was sent; `unknown` if the outcome cannot be proved: nothing is sent again, ' +
        'and it becomes `succeeded` when the thread shows the reply.',
    ),
    provider_comment_id: z.string().nullable().describe("The network's id of the reply; null until it is known."),
    evidence: anyMembers().nullable().describe('What the network answered; null without an answer.'),
    error: EffectError.nullable().describe('Why the reply did not succeed; null if it did or is in progress.'),
    needs_attention: z
      .boolean()
      .describe(
        'Whether an operator has to act: its outcome is `unknown`, or its thread contradicts what was resolved.',
      ),
    resolution: anyMembers()
      .nullable()
      .describe('Who resolved an `unknown` reply, when, how and why; null if none was needed.'),
    attempt: z
      .int()
      .describe('Number of attempts to send it. Another attempt follows only one that provably sent nothing.'),
    sent_at: seconds.describe(
      'Time at which the request may have left for the network, in Unix seconds; null if it has not.',
    ),
    settled_at: seconds.describe('Time at which the outcome was recorded, in Unix seconds; null until then.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'SocialReply',
    description:
      'A reply to a comment. In status `unknown` it may or may not have happened, and it is never sent again.',
  })

export const ClassificationOut = z
  .object({
    items: z.array(SocialCommentOut).describe('The comments that were looked at, newest first.'),
    classified: z.int().describe('Comments that the model labelled for this request.'),
    cached: z.int().describe('Comments whose text the model had labelled before: the model was not asked.'),
    failed: z
      .int()
      .describe(
        'Comments without a usable answer: the provider refused, its answer is lost, or it has no valid label for them.',
      ),
    left: z.int().describe('Comments of the publication that have no label yet, also those whose call is in progress.'),
    error: EffectError.nullable().describe('Why a call failed, or comments were not asked about; null otherwise.'),
  })
  .meta({ id: 'SocialClassification' })
