// Replies to comments: what is sent to each network, what an answer proves, and which comment of a thread is a reply
// whose answer was lost.
import { objectIn, unescaped } from '../social/answers.ts'
import type { NetworkAnswer } from '../social/networks/network.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'
import type { SocialRequest } from '../social/networks/request.ts'
import type { PublicationError } from '../social/publication-errors.ts'
import { verdictOf } from '../social/refusals.ts'
import type { ProviderComment } from './comment.ts'
import type { ReplyTarget } from './reply.ts'

/** The request that makes the reply visible. */
export const replyRequest = (target: ReplyTarget, text: string, token: string, version: string): SocialRequest => ({
  ...networks[target.type].replies.request(target, text, version),
  token,
})

/** The network's id of the reply in the answer to its request; null if the answer broke off. */
export const repliedId = (type: NetworkType, body: unknown): string | null =>
  networks[type].replies.idIn(objectIn(body))

/** `again`: nothing was done, and the reply may be sent again, with another token or after a pause. */
export type ReplyVerdict = { kind: 'succeeded' } | { kind: 'rejected' | 'unknown' | 'again'; error: PublicationError }

/** What an answer proves. Of a comment, what reads would have to decide is unknown until its thread shows it. */
export function replyVerdict(type: NetworkType, answer: NetworkAnswer): ReplyVerdict {
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

/** What the listing names as the comment that a reply to `comment` answers; null: the listing has one thread alone. */
export const answeredBy = (type: NetworkType, comment: string): string | null =>
  networks[type].replies.names_answered ? comment : null

/**
 * A reply whose outcome is not known. Times in Unix seconds by the database's clock: the stamp, and the end of the wait
 * for an answer. `answers`: the network's id of the comment that it answers; null: any of the thread.
 */
export type OpenReply = { id: string; text: string; sent_at: number; deadline_at: number; answers: string | null }

const inWindow = ({ created_at }: Pick<ProviderComment, 'created_at'>, { sent_at, deadline_at }: OpenReply): boolean =>
  created_at >= sent_at - 5 && created_at <= deadline_at + 60

type Found = Pick<ProviderComment, 'provider_comment_id' | 'text' | 'own' | 'created_at' | 'parent'>

const mayBe = (one: Found, reply: OpenReply): boolean =>
  isSameText(one.text, reply.text) && inWindow(one, reply) && (reply.answers === null || one.parent === reply.answers)

/**
 * The comments of one listing that prove replies. A comment proves a reply if it is the only own one of this text in
 * the reply's time that no other reply is known to have made, and if no other reply of this text is open there: of two
 * equal ones, nothing tells which was made.
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
