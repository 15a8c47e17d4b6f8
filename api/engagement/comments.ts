// Comments below publications: as the network listed them last, by publication and by thread.
import { z } from 'zod'
import { type CommentRow, commentsPage, threadPage } from '../../entities/engagement/comments.ts'
import { publicationOfThread, requestThread, threadError } from '../../entities/engagement/requesting-syncs.ts'
import { SocialComment } from '../../entities/engagement/social-comment.ts'
import { SocialSync } from '../../entities/engagement/social-sync.ts'
import { SocialSyncItem } from '../../entities/engagement/social-sync-item.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { mustExist } from '../../entities/kit/find.ts'
import { SocialPublication } from '../../entities/publications/social-publication.ts'
import { CommentLabel, SocialCommentOut, ThreadOut } from '../../rules/engagement/comments.ts'
import { threadFreshS, threadsPerMinute } from '../../rules/engagement/syncs.ts'
import { notFound, Refusal } from '../../rules/refusal.ts'
import { anyCase, type SortDirection } from '../../rules/shapes.ts'
import { type ReadError, readError } from '../../rules/social/reads.ts'
import { cursorAt, cursorOf } from '../kit/answer/cursors.ts'
import { pageOf } from '../kit/answer/listing.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { flag, whole } from '../kit/query.ts'
import { route, type Spec } from '../kit/route.ts'
import { limit as limitRate } from '../limits/rate.ts'

type Comment = z.input<typeof SocialCommentOut>
type Thread = z.input<typeof ThreadOut>

export const shownComment = (row: CommentRow): Comment => ({
  ...asRow(row),
  classification:
    row.label && row.sentiment && row.needs_reply !== null && row.needs_reply !== undefined
      ? {
          ...{ label: row.label, sentiment: row.sentiment, needs_reply: row.needs_reply },
          ...{ model: String(row.classified_model), classified_at: Number(row.classified_at) },
        }
      : null,
})

const paging = {
  cursor: z.string().max(2000).optional(),
  limit: whole(1, 100).default(20),
}

/** A page by the time of the network. */
type Place = { spec: Spec; tenant_id: string; path: Record<string, string>; sort_direction: SortDirection }
const scopeOf = (place: Place) => ({ ...place, sort_field: 'provider_created_at' })
const fromOf = (cursor: string | undefined, place: Place) => {
  const from = cursor ? cursorOf(cursor, scopeOf(place), 'number') : null
  return from && { value: from.value as number, id: from.id }
}
function cutOf(rows: CommentRow[], limit: number, place: Place): { items: Comment[]; cursor: string | null } {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return {
    items: items.map(shownComment),
    cursor: rows.length > limit && last ? cursorAt(scopeOf(place), last.provider_created_at, last.id) : null,
  }
}

const listSpec = 'GET /v1/stores/{storeId}/social-publications/{publicationId}/comments'
const threadSpec = 'GET /v1/stores/{storeId}/social-publications/{publicationId}/comments/{commentId}/thread'

/** What the answer of a thread is made of. */
type Opened = {
  sync_id: string | null
  root_id: string
  place: Place
  cursor: string | undefined
  limit: number
  error: ReadError | null
}

async function threadOf(
  em: EntityManager,
  { root_id, place, cursor, limit, error }: Opened,
  now: number,
): Promise<Thread> {
  const root = await em.findOneOrFail(SocialComment, { id: root_id }, { refresh: true })
  const page = cutOf(await threadPage(em, place.tenant_id, root_id, fromOf(cursor, place), limit), limit, place)
  const synced_at = root.thread_synced_at ?? null
  return {
    root: shownComment(root),
    ...page,
    synced_at,
    stale: synced_at === null || now - synced_at > threadFreshS,
    error,
  }
}

export const socialComments = [
  route(listSpec, {
    may: 'admin',
    operation: 'listSocialComments',
    refuses: ['bad_cursor'],
    summary: 'List the comments of a publication',
    description:
      'Returns one page of the comments at the top level, newest first, as `POST …/engagement/sync` stored them last. The network is not asked. Comments that the network does not have any ' +
      'more are left out.',
    query: z.object({
      ...paging,
      label: anyCase(CommentLabel).optional().describe('Only comments with this label.'),
      needs_reply: flag
        .optional()
        .describe('Only comments whose author expects a reply (`true`) or does not (`false`), as a model said.'),
      answered: flag
        .optional()
        .describe(
          'Only comments that the account has answered (`true`) or has not (`false`), as far as their threads were read.',
        ),
    }),
    out: pageOf(SocialCommentOut),
    async run({ em, tenant_id, path, query: { cursor, limit, ...filters } }) {
      const { publicationId: publication_id } = path
      const place: Place = { spec: listSpec, tenant_id, path, sort_direction: 'desc' }
      await mustExist(em, SocialPublication, { id: publication_id }, 'publication')
      return cutOf(
        await commentsPage(em, { tenant_id, publication_id }, filters, fromOf(cursor, place), limit),
        limit,
        place,
      )
    },
  }),
  route(threadSpec, {
    may: 'admin',
    operation: 'openSocialThread',
    refuses: ['bad_cursor'],
    summary: 'Open the thread of a comment',
    description:
      'Returns the comment that the thread begins with and a page of the replies below it, oldest first. A thread that was read more than a minute ago is read at the network first. If the ' +
      'network does not answer in time, or cannot be asked now, what is stored is returned, with `stale: true` and the reason in `error`. A page with a `cursor` is not read again.',
    transaction: true,
    query: z.object(paging),
    out: ThreadOut,
    async run({ em, tenant_id, path, query: { cursor, limit }, now }) {
      const comment = await em.findOne(SocialComment, { id: path.commentId, publication_id: path.publicationId })
      const root = comment?.root_id ? await em.findOne(SocialComment, { id: comment.root_id }) : comment
      if (!root || root.parent_provider_id) throw notFound('comment')
      const place: Place = { spec: threadSpec, tenant_id, path, sort_direction: 'asc' }
      const opened: Opened = { sync_id: null, root_id: root.id, place, cursor, limit, error: null }
      const isFresh =
        root.thread_synced_at !== null &&
        root.thread_synced_at !== undefined &&
        now - root.thread_synced_at <= threadFreshS
      if (isFresh || cursor || root.gone_at) return threadOf(em, opened, now)
      const publication = await publicationOfThread(em, tenant_id, root.publication_id)
      const hindrance = publication ? threadError(publication) : readError('publication_not_published')
      if (hindrance || !publication) return threadOf(em, { ...opened, error: hindrance }, now)
      try {
        await limitRate(em, `social-thread:${tenant_id}`, { most: threadsPerMinute, windowS: 60 }, now)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return threadOf(em, { ...opened, error: readError('rate_limited') }, now)
      }
      const sync_id = await requestThread(em, root, publication.social_connection_id, now)
      return new Reply(await threadOf(em, { ...opened, error: readError('network_unavailable') }, now), {
        pending: { ...opened, sync_id, now },
      })
    },
    wait: {
      async until({ em, pending }) {
        const sync = await em.findOne(SocialSync, { id: pending.sync_id as string }, { refresh: true })
        if (sync && (sync.status === 'queued' || sync.status === 'running'))
          return new NotYet(await threadOf(em, { ...pending, error: readError('network_unavailable') }, pending.now))
        const item = sync && (await em.findOne(SocialSyncItem, { sync_id: sync.id }))
        return threadOf(em, { ...pending, error: (item?.error as ReadError | null | undefined) ?? null }, pending.now)
      },
      poll_ms: 150,
    },
  }),
]
