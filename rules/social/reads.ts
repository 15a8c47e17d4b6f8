// What the answer to a read of the network means, and the message for operators if the read failed.
import { isSuccess } from '../http-verdicts.ts'
import { refusalCodeOf } from './answers.ts'
import type { NetworkAnswer } from './networks/network.ts'
import type { NetworkType } from './networks/network-types.ts'
import { networks } from './networks/networks.ts'
import { isLimited } from './pauses.ts'
import { refusesToken } from './refusals.ts'

export type ReadVerdict =
  | 'read'
  | 'token_refused'
  | 'limited'
  | 'gone'
  | 'comments_disabled'
  | 'refused'
  | 'unavailable'
export type ReadError = { code: string; message: string; provider_status?: number; provider_code?: string }

export function readVerdict(type: NetworkType, answer: NetworkAnswer): ReadVerdict {
  const { status, body } = answer
  const { isGone, isCommentsDisabled } = networks[type].refusals
  if (isSuccess(status)) return body === undefined || body === null ? 'unavailable' : isGone(answer) ? 'gone' : 'read'
  if (refusesToken(type, answer)) return 'token_refused'
  if (isLimited(type, answer)) return 'limited'
  if (status === 404 || isGone(answer)) return 'gone'
  if (isCommentsDisabled?.(body)) return 'comments_disabled'
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'unavailable'
}

const messages = {
  comments_disabled: 'Comments are switched off for this post.',
  comments_unsupported: 'A story has no comments.',
  connection_needs_reconnect: 'The account has to be connected again.',
  gone: 'The network does not have the post any more.',
  network_refused: 'The network refused the read.',
  network_unavailable: 'The network did not answer.',
  not_read: 'The read failed repeatedly; the log of the workers says why.',
  post_unknown: "The network's id of the post is not known.",
  publication_not_published: 'The publication is not published.',
  quota_exhausted: 'The quota of the network’s API is used up for today.',
  rate_limited: 'The network accepts no more calls for now.',
  reads_billed: 'The network bills reads: name the publication in `publication_ids`.',
} as const
export type ReadErrorCode = keyof typeof messages

export const readError = (code: ReadErrorCode, answer?: NetworkAnswer): ReadError => {
  const theirs = answer ? refusalCodeOf(answer.body) : null
  return {
    code,
    message: messages[code],
    ...(answer ? { provider_status: answer.status } : {}),
    ...(theirs ? { provider_code: theirs } : {}),
  }
}
