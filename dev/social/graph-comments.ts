// Comments as APIs of Graph list, take and remove them. What differs between networks is the value that they are made
// of.
import { graph, graphMissing, graphParameter } from './errors.ts'
import { edge, fieldsIn, pick } from './graph.ts'
import type { Answer, Call } from './network.ts'
import { addComment, type Comment, commentOf, comments, commentsOn, type Post, postOf, shownComment } from './posts.ts'
import { settingsOf } from './settings.ts'
import { accounts, type Letter, now, type Token } from './state.ts'

/** Finds the answers to a comment. */
type Below = (comment: Comment) => Comment[]

export type GraphComments = {
  /** The fields of a comment. */
  shape(one: Comment, below: Below): Record<string, unknown>
  /** The fields without `fields`. */
  defaults: readonly string[]
  /** What is refused in the text of a comment. */
  refusal(text: string): Answer | undefined
  /** Two levels: the answer to an answer is below the first comment, and a comment has its answers as `replies`. */
  flat?: true
}

const ownerOf = (token: Token) => token.page ?? token.account

/** Of a post that is visible, or of a comment on one. */
type Target = { post: Post; comment: Comment | null }
function targetOf(network: Letter, id: string, token: Token): Target | undefined {
  const comment = commentOf(network, id)
  const given = comment?.post_id ?? id
  const post = postOf(network, given) ?? postOf(network, given.replace(`${token.page}_`, ''))
  if (!post || post.visible_at === null || (post.owner !== ownerOf(token) && comment?.author.id !== ownerOf(token)))
    return undefined
  return { post, comment: comment ?? null }
}

const listed = (network: Letter, postId: string, account: string): Comment[] => {
  const { lag_s } = settingsOf(network, account)
  return commentsOn(network, postId).filter(({ created_at }) => now() - created_at >= lag_s)
}
const answersTo: Below = (comment) =>
  commentsOn(comment.network, comment.post_id).filter(({ parent_id }) => parent_id === comment.id)
/** The same for many comments of one post: their number squared would be most of the time of a page. */
function belowOf(all: readonly Comment[]): Below {
  const below = Map.groupBy(all, ({ parent_id }) => parent_id)
  return ({ id }) => below.get(id) ?? []
}
type Order = (one: Comment, other: Comment) => number
export const oldest: Order = (one, other) => one.created_at - other.created_at
export const newest: Order = (one, other) => other.created_at - one.created_at

/** At most 300 characters, 4 hashtags and 1 link, not all in capital letters. */
export function shortTextRefusal(text: string): Answer | undefined {
  const wrong = (user: string) => graph(400, 100, '(#100) Invalid parameter', { subcode: 2_207_001, user })
  if ([...text].length > 300) return wrong('The total length of the comment cannot exceed 300 characters.')
  if ((text.match(/#[\p{L}\p{N}_]+/gu) ?? []).length > 4)
    return wrong('The comment cannot contain more than 4 hashtags.')
  if ((text.match(/https?:\/\/\S+/g) ?? []).length > 1) return wrong('The comment cannot contain more than 1 URL.')
  return /\p{Lu}/u.test(text) && text === text.toUpperCase() && /\p{L}{2}/u.test(text)
    ? wrong('The comment cannot consist of all capital letters.')
    : undefined
}

export function graphComments({ shape, defaults, refusal, flat }: GraphComments) {
  const show = (call: Call, one: Comment, below = answersTo): Record<string, unknown> => {
    const names = fieldsIn(call, defaults)
    const nested = flat && names.includes('replies') && below(one).length > 0
    const answers = () => ({
      replies: {
        data: below(one)
          .toSorted(oldest)
          .map((answer) => shape(answer, below)),
      },
    })
    return { ...pick(shape(one, below), names), ...(nested ? answers() : {}) }
  }

  return {
    /** Those of the post, or the answers to a comment; `whole`: those at any depth. */
    list:
      (order: Order, { whole = false, max = 100 } = {}) =>
      (call: Call, token: Token): Answer => {
        const { letter } = call.network
        const target = targetOf(letter, call.params.id ?? '', token)
        if (!target) return graphMissing(call.params.id ?? '')
        const { post, comment } = target
        const isDeep = whole || call.fields.filter === 'stream'
        const all = listed(letter, post.id, ownerOf(token)).filter(
          (one) => (isDeep && comment === null) || one.parent_id === (comment?.id ?? null),
        )
        const below = belowOf(commentsOn(letter, post.id))
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
      },

    add(call: Call, token: Token): Answer {
      const { network, params, fields } = call
      const { letter } = network
      const { id = '' } = params
      const target = targetOf(letter, id, token)
      if (!target) return graphMissing(id, 'post')
      const text = fields.message ?? ''
      if (text.trim() === '') return graphParameter('The parameter message is required')
      const refused = refusal(text)
      if (refused) return refused
      const { post, comment } = target
      const root = comment === null ? null : (comment.root_id ?? comment.id)
      const account = accounts.get(`${letter} ${token.account}`)
      const page = account?.pages.find((one) => one.id === token.page)
      const made = addComment({
        id: network.newId(),
        network: letter,
        post_id: post.id,
        parent_id: flat ? root : (comment?.id ?? null),
        root_id: root,
        author: {
          id: ownerOf(token),
          name: page?.name ?? account?.name ?? '',
          username: page?.username ?? account?.username ?? '',
        },
        own: post.owner === ownerOf(token),
        text,
      })
      return { status: 200, body: { id: made.id }, effect: true, visible: shownComment(made) }
    },

    /** The node of a comment: read, edited or hidden, removed. Undefined: there is none. */
    node(call: Call, token: Token): Answer | undefined {
      const { letter } = call.network
      const found = commentOf(letter, call.params.id ?? '')
      const target = found && targetOf(letter, found.id, token)
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
    },
  }
}
