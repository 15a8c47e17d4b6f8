// Comments as networks a, b and e list, take and remove them.
import type { Answer, Call, Route } from './calls.ts'
import { graph, graphMissing, graphParameter } from './errors.ts'
import { edge, fieldsIn, graphTime, pick, withToken } from './graph.ts'
import {
  addComment,
  type Comment,
  commentOf,
  comments,
  commentsOn,
  type Post,
  postOf,
  shortCode,
  shownComment,
} from './posts.ts'
import { settingsOf } from './settings.ts'
import { accounts, now, type Token } from './state.ts'

type Where = 'a' | 'b' | 'e'
const ownerOf = (token: Token) => token.page ?? token.account

/** Of a post that is visible, or of a comment on one. */
type Target = { post: Post; comment: Comment | null }
function targetOf(network: Where, id: string, token: Token): Target | undefined {
  const comment = commentOf(network, id)
  const given = comment?.post_id ?? id
  const post =
    postOf(network, given) ?? (network === 'a' ? postOf('a', given.replace(`${token.page}_`, '')) : undefined)
  if (!post || post.visible_at === null || (post.owner !== ownerOf(token) && comment?.author.id !== ownerOf(token)))
    return undefined
  return { post, comment: comment ?? null }
}

const listed = (network: Where, postId: string, account: string): Comment[] => {
  const { lag_s } = settingsOf(network, account)
  return commentsOn(network, postId).filter(({ created_at }) => now() - created_at >= lag_s)
}
/** Finds the answers to a comment. */
type Below = (comment: Comment) => Comment[]
const answersTo: Below = (comment) =>
  commentsOn(comment.network, comment.post_id).filter(({ parent_id }) => parent_id === comment.id)
/** The same for many comments of one post: their number squared would be most of the time of a page. */
function belowOf(all: readonly Comment[]): Below {
  const below = Map.groupBy(all, ({ parent_id }) => parent_id)
  return ({ id }) => below.get(id) ?? []
}
const oldest = (one: Comment, other: Comment) => one.created_at - other.created_at
const newest = (one: Comment, other: Comment) => other.created_at - one.created_at

const shapes: Record<Where, (one: Comment, below: Below) => Record<string, unknown>> = {
  a: (one, below) => ({
    ...{
      id: one.id,
      message: one.text,
      created_time: graphTime(one.created_at),
      from: { id: one.author.id, name: one.author.name },
    },
    ...{
      like_count: one.likes,
      comment_count: below(one).length,
      is_hidden: one.hidden,
      can_comment: true,
      can_hide: !one.own,
    },
    parent: one.parent_id === null ? undefined : { id: one.parent_id },
    permalink_url: `https://www.facebook.com/${one.post_id}?comment_id=${one.id}`,
  }),
  b: (one) => ({
    ...{
      id: one.id,
      text: one.text,
      timestamp: graphTime(one.created_at),
      username: one.author.username,
      like_count: one.likes,
      hidden: one.hidden,
    },
    ...{
      from: { id: one.author.id, username: one.author.username },
      parent_id: one.parent_id ?? undefined,
      media: { id: one.post_id },
    },
  }),
  e: (one, below) => ({
    ...{
      id: one.id,
      text: one.text,
      timestamp: graphTime(one.created_at),
      username: one.author.username,
      media_product_type: 'THREADS',
      media_type: 'TEXT_POST',
    },
    ...{
      permalink: `https://www.threads.net/@${one.author.username}/post/${shortCode(one.id)}`,
      shortcode: shortCode(one.id),
      is_reply: true,
    },
    ...{
      has_replies: below(one).length > 0,
      root_post: { id: one.post_id },
      replied_to: { id: one.parent_id ?? one.post_id },
    },
    ...{ hide_status: one.hidden ? 'HIDDEN' : 'NOT_HUSHED', is_reply_owned_by_me: one.own },
  }),
}
const defaults: Record<Where, string[]> = {
  a: ['id', 'created_time', 'from', 'message'],
  b: ['id', 'text', 'timestamp'],
  e: ['id'],
}
const show = (call: Call, one: Comment, below = answersTo): Record<string, unknown> => {
  const network = call.network as Where
  const names = fieldsIn(call, defaults[network])
  const nested = network === 'b' && names.includes('replies') && below(one).length > 0
  return {
    ...pick(shapes[network](one, below), names),
    ...(nested
      ? {
          replies: {
            data: below(one)
              .toSorted(oldest)
              .map((answer) => shapes.b(answer, below)),
          },
        }
      : {}),
  }
}

/** Those of the post, or the answers to a comment; `whole`: those at any depth. */
const list =
  (order: (one: Comment, other: Comment) => number, { whole = false, max = 100 } = {}) =>
  (call: Call, token: Token): Answer => {
    const network = call.network as Where
    const target = targetOf(network, call.params.id ?? '', token)
    if (!target) return graphMissing(call.params.id ?? '')
    const { post, comment } = target
    const isDeep = whole || call.fields.filter === 'stream'
    const all = listed(network, post.id, ownerOf(token)).filter(
      (one) => (isDeep && comment === null) || one.parent_id === (comment?.id ?? null),
    )
    const below = belowOf(commentsOn(network, post.id))
    const backwards = call.fields.order === 'reverse_chronological' || call.fields.reverse === 'true'
    const forwards = call.fields.order === 'chronological' || call.fields.reverse === 'false'
    const sorted = all.sort(backwards ? newest : forwards ? oldest : order)
    return edge(
      call,
      token,
      sorted,
      ({ id }) => id,
      (one) => show(call, one, below),
      max,
    )
  }

/** What a network refuses in a comment. */
function refusalOf(network: Where, text: string): Answer | undefined {
  const wrong = (user: string) => graph(400, 100, '(#100) Invalid parameter', { subcode: 2_207_001, user })
  if (text.trim() === '') return graphParameter('The parameter message is required')
  if (network === 'a')
    return [...text].length > 8_000 ? graphParameter('The message has more than 8000 characters.') : undefined
  if ([...text].length > 300) return wrong('The total length of the comment cannot exceed 300 characters.')
  if ((text.match(/#[\p{L}\p{N}_]+/gu) ?? []).length > 4)
    return wrong('The comment cannot contain more than 4 hashtags.')
  if ((text.match(/https?:\/\/\S+/g) ?? []).length > 1) return wrong('The comment cannot contain more than 1 URL.')
  return /\p{Lu}/u.test(text) && text === text.toUpperCase() && /\p{L}{2}/u.test(text)
    ? wrong('The comment cannot consist of all capital letters.')
    : undefined
}

function add(call: Call, token: Token): Answer {
  const network = call.network as Where
  const { id = '' } = call.params
  const target = targetOf(network, id, token)
  if (!target) return graphMissing(id, 'post')
  const text = call.fields.message ?? ''
  const refused = refusalOf(network, text)
  if (refused) return refused
  const { post, comment } = target
  const root = comment === null ? null : (comment.root_id ?? comment.id)
  const account = accounts.get(`${network} ${token.account}`)
  const page = account?.pages.find((one) => one.id === token.page)
  const made = addComment({
    // Network b puts the answer to an answer below the first comment.
    ...{ network, post_id: post.id, parent_id: network === 'b' ? root : (comment?.id ?? null), root_id: root },
    ...{
      author: {
        id: ownerOf(token),
        name: page?.name ?? account?.name ?? '',
        username: page?.username ?? account?.username ?? '',
      },
      own: post.owner === ownerOf(token),
      text,
    },
  })
  return { status: 200, body: { id: made.id }, effect: true, visible: shownComment(made) }
}

/** The node of a comment: read, edited or hidden, removed. Undefined: there is none. */
export function commentNode(call: Call, token: Token): Answer | undefined {
  const found = commentOf(call.network, call.params.id ?? '')
  const target = found && targetOf(call.network as Where, found.id, token)
  if (!found || !target) return undefined
  if (call.method === 'GET') return { status: 200, body: show(call, found) }
  const { message, is_hidden, hide } = call.fields
  const hidden = is_hidden ?? hide
  if (call.method === 'POST' && message !== undefined && !found.own)
    return graph(403, 200, '(#200) The comment is of another author.')
  if (call.method === 'DELETE') comments.save({ ...found, deleted_at: now() })
  else if (message !== undefined || hidden !== undefined)
    comments.save({
      ...found,
      ...(message === undefined ? {} : { text: message, edited_at: now() }),
      ...(hidden === undefined ? {} : { hidden: hidden === 'true' || hidden === '1' }),
    })
  return { status: 200, body: { success: true }, effect: true }
}

const hosts = { a: 'graph.facebook.com', b: 'graph.instagram.com', e: 'graph.threads.net' }
export const commentRoutes: Route[] = [
  ['GET', `${hosts.a}/:v/:id/comments`, withToken(list(oldest))],
  ['POST', `${hosts.a}/:v/:id/comments`, withToken(add)],
  ['GET', `${hosts.b}/:v/:id/comments`, withToken(list(newest, { max: 50 }))],
  ['POST', `${hosts.b}/:v/:id/comments`, withToken(add)],
  ['GET', `${hosts.b}/:v/:id/replies`, withToken(list(oldest, { max: 50 }))],
  ['POST', `${hosts.b}/:v/:id/replies`, withToken(add)],
  ['GET', `${hosts.e}/:v/:id/replies`, withToken(list(newest))],
  ['GET', `${hosts.e}/:v/:id/conversation`, withToken(list(newest, { whole: true }))],
]
