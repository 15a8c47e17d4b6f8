// Replies to comments: what is sent to each network, what an answer proves, and which comment of a thread is a reply whose answer was lost.
import { type SocialRequest, versioned } from '../connections/requests.ts'
import { idIn, objectIn, unescaped } from '../social/answers.ts'
import type { NetworkType } from '../social/networks.ts'
import type { Answered } from '../social/pauses.ts'
import { verdictOf } from '../social/publishing/refusals.ts'
import type { PublicationError } from '../social/resources.ts'
import type { ProviderComment } from './comment-pages.ts'

/** `comment`: the network's id of the comment that is answered; `root`: of the comment that its thread begins with. `container`: of network e. */
export type ReplyTarget = {
  type: NetworkType
  account: string
  comment: string
  root: string
  container: string | null
}

/** Networks with one level of replies: an answer to a reply is written below the first comment. */
const flat: ReadonlySet<NetworkType> = new Set(['network_b_business', 'network_c_channel'])

/** Creates the reply that `replyRequest` makes visible; null for networks without such a step. It may be repeated: nobody sees what it makes. */
export const containerRequest = (
  { type, account, comment }: ReplyTarget,
  text: string,
  token: string,
): SocialRequest | null =>
  type === 'network_e_account'
    ? {
        ...{ method: 'POST', host: 'graph.threads.net', path: `/v1.0/${encodeURIComponent(account)}/threads`, token },
        form: { media_type: 'TEXT', text, reply_to_id: comment },
      }
    : null

/** Reads whether a container was published. */
export const containerStatusRequest = (container: string, token: string): SocialRequest => ({
  ...{ method: 'GET', host: 'graph.threads.net', path: `/v1.0/${encodeURIComponent(container)}`, token },
  query: { fields: 'status,error_message' },
})
export const containerStatus = (body: unknown): string | null => {
  const { status } = objectIn(body)
  return typeof status === 'string' ? status : null
}

/** The request that makes the reply visible. */
export function replyRequest(
  { type, account, comment, root, container }: ReplyTarget,
  text: string,
  token: string,
  version: string,
): SocialRequest {
  const target = encodeURIComponent(flat.has(type) ? root : comment)
  switch (type) {
    case 'network_a_page':
      return {
        method: 'POST',
        host: 'graph.facebook.com',
        path: versioned(`/{v}/${target}/comments`, version),
        form: { message: text },
        token,
      }
    case 'network_b_business':
      return {
        method: 'POST',
        host: 'graph.instagram.com',
        path: versioned(`/{v}/${target}/replies`, version),
        form: { message: text },
        token,
      }
    case 'network_c_channel':
      return {
        ...{
          method: 'POST',
          host: 'www.googleapis.com',
          path: '/youtube/v3/comments',
          query: { part: 'snippet' },
          token,
        },
        json: { snippet: { parentId: root, textOriginal: text } },
      }
    case 'network_d_account':
      return {
        method: 'POST',
        host: 'api.x.com',
        path: '/2/tweets',
        json: { text, reply: { in_reply_to_tweet_id: comment } },
        token,
      }
    case 'network_e_account':
      return {
        ...{
          method: 'POST',
          host: 'graph.threads.net',
          path: `/v1.0/${encodeURIComponent(account)}/threads_publish`,
          token,
        },
        form: { creation_id: container ?? '' },
      }
  }
}

/** The network's id of the reply in the answer to its request; null if the answer broke off. */
export function repliedId(type: NetworkType, body: unknown): string | null {
  const whole = objectIn(body)
  return idIn(type === 'network_d_account' ? objectIn(whole.data).id : whole.id)
}

/** `again`: nothing was done, and the reply may be sent again, with another token or after a pause. */
export type ReplyVerdict = { kind: 'succeeded' } | { kind: 'rejected' | 'unknown' | 'again'; error: PublicationError }

/** What an answer proves. Of a comment, what reads would have to decide is unknown until its thread shows it. */
export function replyVerdict(type: NetworkType, answer: Pick<Answered, 'status' | 'body'>): ReplyVerdict {
  const verdict = verdictOf(type, answer)
  if (verdict.kind === 'succeeded') return verdict
  const { error } = verdict
  if (verdict.kind !== 'rejected') return { kind: 'unknown', error: { ...error, code: 'outcome_unknown' } }
  return { kind: verdict.again === 'token_refused' || verdict.again === 'rate_limited' ? 'again' : 'rejected', error }
}

/** A text as networks return it: escaped, trimmed, and with links that they replaced by their own. */
const comparable = (text: string): string =>
  unescaped(text)
    .normalize('NFC')
    .replace(/https?:\/\/\S+/g, 'https://')
    .replaceAll(/\s+/g, ' ')
    .trim()
export const isSameText = (one: string, other: string): boolean => comparable(one) === comparable(other)

/** Networks whose listing of a thread also has other threads of the post, and names of each comment the one that it answers. */
const namesAnswered: ReadonlySet<NetworkType> = new Set(['network_d_account', 'network_e_account'])

/** What the listing names as the comment that a reply to `comment` answers; null: the listing has one thread alone. */
export const answeredBy = (type: NetworkType, comment: string): string | null =>
  namesAnswered.has(type) ? comment : null

/**
 * A reply whose outcome is not known. Times in Unix seconds by the database's clock: the stamp, and the end of the wait for an answer. `answers`: the network's id of the
 * comment that it answers; null: any of the thread.
 */
export type OpenReply = { id: string; text: string; sent_at: number; deadline_at: number; answers: string | null }

const inWindow = ({ created_at }: Pick<ProviderComment, 'created_at'>, { sent_at, deadline_at }: OpenReply): boolean =>
  created_at >= sent_at - 5 && created_at <= deadline_at + 60

type Found = Pick<ProviderComment, 'provider_comment_id' | 'text' | 'own' | 'created_at' | 'parent'>

const mayBe = (one: Found, reply: OpenReply): boolean =>
  isSameText(one.text, reply.text) && inWindow(one, reply) && (reply.answers === null || one.parent === reply.answers)

/**
 * The comments of one listing that prove replies. A comment proves a reply if it is the only own one of this text in the reply's time that no other reply is known to
 * have made, and if no other reply of this text is open there: of two equal ones, nothing tells which was made.
 */
export function provenReplies(
  open: readonly OpenReply[],
  found: readonly Found[],
  taken: ReadonlySet<string>,
): { id: string; provider_comment_id: string }[] {
  const candidates = found.filter(({ own, provider_comment_id }) => own && !taken.has(provider_comment_id))
  return open.flatMap((reply) => {
    const matches = candidates.filter((one) => mayBe(one, reply))
    const [match] = matches
    const rivals = match ? open.filter((other) => other.id !== reply.id && mayBe(match, other)) : []
    return match && matches.length === 1 && rivals.length === 0
      ? [{ id: reply.id, provider_comment_id: match.provider_comment_id }]
      : []
  })
}
