// Comments of network c: threads of a video, the answers in one, and answering.

import { google } from '../errors.ts'
import type { Answer, Call, Route } from '../network.ts'
import { addComment, type Comment, commentOf, comments, commentsOn, postOf, shownComment } from '../posts.ts'
import { settingsOf } from '../settings.ts'
import { accounts, now, type Token } from '../state.ts'
import { costs } from './units-c.ts'

const time = (seconds: number) => new Date(seconds * 1_000).toISOString()
const html = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('\n', '<br>')

/** Those that are published: one held for review is not listed. */
const published = (postId: string): Comment[] => commentsOn('c', postId).filter(({ hidden }) => !hidden)
const answersTo = (one: Comment) => published(one.post_id).filter(({ root_id }) => root_id === one.id)
const named = (ids: string): Comment[] =>
  ids
    .split(',')
    .flatMap((id) => commentOf('c', id) ?? [])
    .filter(({ hidden }) => !hidden)

function resource(one: Comment, { fields }: Call, token: Token) {
  const display = fields.textFormat === 'plainText' ? one.text : html(one.text)
  return {
    kind: 'youtube#comment',
    etag: 'sim',
    id: one.id,
    snippet: {
      ...{
        channelId: postOf('c', one.post_id)?.owner,
        videoId: one.post_id,
        textDisplay: display,
        authorDisplayName: `@${one.author.username}`,
      },
      // Only the author gets the original text.
      ...(one.author.id === token.account ? { textOriginal: one.text } : {}),
      ...(one.root_id === null ? {} : { parentId: one.root_id }),
      ...{ authorChannelId: { value: one.author.id }, canRate: true, viewerRating: 'none', likeCount: one.likes },
      ...{ publishedAt: time(one.created_at), updatedAt: time(one.edited_at ?? one.created_at) },
    },
  }
}
const parts = ({ fields }: Call) => (fields.part ?? '').split(',')

/** Newest first; a token names the item that it follows. */
function paged(call: Call, kind: string, all: readonly Comment[], show: (one: Comment) => unknown): Answer {
  const size = Math.min(100, Math.max(1, Number(call.fields.maxResults ?? 20)))
  const sorted = [...all].sort((one, other) => other.created_at - one.created_at)
  const after = call.fields.pageToken ? Buffer.from(call.fields.pageToken, 'base64url').toString() : null
  const from = after === null ? 0 : sorted.findIndex(({ id }) => id === after) + 1
  const items = sorted.slice(from, from + size)
  const more =
    from + size < sorted.length ? { nextPageToken: Buffer.from(String(items.at(-1)?.id)).toString('base64url') } : {}
  return {
    status: 200,
    body: {
      kind,
      etag: 'sim',
      ...more,
      pageInfo: { totalResults: items.length, resultsPerPage: size },
      items: items.map(show),
    },
  }
}

function threads(call: Call, token: Token): Answer {
  const { videoId, id } = call.fields
  const thread = (one: Comment) => {
    const answers = answersTo(one).sort((one, other) => one.created_at - other.created_at)
    return {
      kind: 'youtube#commentThread',
      etag: 'sim',
      id: one.id,
      snippet: {
        ...{
          channelId: postOf('c', one.post_id)?.owner,
          videoId: one.post_id,
          topLevelComment: resource(one, call, token),
        },
        ...{ canReply: true, totalReplyCount: answers.length, isPublic: true },
      },
      ...(parts(call).includes('replies') && answers.length > 0
        ? { replies: { comments: answers.slice(0, 5).map((answer) => resource(answer, call, token)) } }
        : {}),
    }
  }
  if (id !== undefined) return paged(call, 'youtube#commentThreadListResponse', named(id), thread)
  const post = postOf('c', videoId ?? '')
  if (!post || (post.visible_at === null && post.owner !== token.account))
    return google(
      404,
      'videoNotFound',
      'The video identified by the videoId parameter could not be found.',
      'youtube.commentThread',
    )
  const { lag_s } = settingsOf('c', token.account)
  return paged(
    call,
    'youtube#commentThreadListResponse',
    published(post.id).filter((one) => one.root_id === null && now() - one.created_at >= lag_s),
    thread,
  )
}

function list(call: Call, token: Token): Answer {
  const { parentId, id } = call.fields
  const show = (one: Comment) => resource(one, call, token)
  if (id !== undefined) return paged(call, 'youtube#commentListResponse', named(id), show)
  const parent = commentOf('c', parentId ?? '')
  if (!parent) return google(404, 'commentNotFound', 'The specified comment could not be found.', 'youtube.comment')
  const { lag_s } = settingsOf('c', token.account)
  return paged(
    call,
    'youtube#commentListResponse',
    answersTo(parent).filter(({ created_at }) => now() - created_at >= lag_s),
    show,
  )
}

const textRefusal = (text: string): Answer | undefined => {
  if (text.trim() === '')
    return google(400, 'commentTextRequired', 'The comment resource does not include any text.', 'youtube.comment')
  return [...text].length > 10_000
    ? google(400, 'commentTextTooLong', 'The comment has too many characters.', 'youtube.comment')
    : undefined
}
const authorOf = (token: Token) => {
  const account = accounts.get(`c ${token.account}`)
  return { id: token.account, name: account?.name ?? '', username: account?.username ?? '' }
}

function answer(call: Call, token: Token): Answer {
  const { parentId, textOriginal = '' } = (call.json.snippet ?? {}) as { parentId?: string; textOriginal?: string }
  const parent = commentOf('c', parentId ?? '')
  const post = parent && postOf('c', parent.post_id)
  if (!parent || !post)
    return google(404, 'parentCommentNotFound', 'The specified parent comment could not be found.', 'youtube.comment')
  const refused = textRefusal(textOriginal)
  if (refused) return refused
  // Network c has two levels.
  const root = parent.root_id ?? parent.id
  const made = addComment({
    id: call.network.newId(),
    network: 'c',
    post_id: post.id,
    parent_id: root,
    root_id: root,
    author: authorOf(token),
    own: post.owner === token.account,
    text: textOriginal,
  })
  return { status: 200, body: resource(made, call, token), effect: true, visible: shownComment(made) }
}

function remove(call: Call, token: Token): Answer {
  const found = commentOf('c', call.fields.id ?? '')
  if (!found) return google(404, 'commentNotFound', 'The specified comment could not be found.', 'youtube.comment')
  if (found.author.id !== token.account && postOf('c', found.post_id)?.owner !== token.account)
    return google(403, 'forbidden', 'The comment is of another author.', 'youtube.comment')
  comments.save({ ...found, deleted_at: now() })
  return { status: 204, body: undefined, effect: true }
}

const base = 'www.googleapis.com/youtube/v3'
export const commentRoutesOfC: Route[] = [
  ['GET', `${base}/commentThreads`, costs(1, threads)],
  ['GET', `${base}/comments`, costs(1, list)],
  ['POST', `${base}/comments`, costs(50, answer)],
  ['DELETE', `${base}/comments`, costs(50, remove)],
]
