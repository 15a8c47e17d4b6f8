// What a network's error means: for hidden parts, which may be made again, and for the reveal, which may not.
import { apiProof, isSuccess } from '../http-verdicts.ts'
import { objectIn } from './answers.ts'
import type { NetworkAnswer } from './networks/network.ts'
import type { NetworkType } from './networks/network-types.ts'
import { networks } from './networks/networks.ts'
import type { RevealAgain, RevealSubject } from './networks/publisher.ts'
import { withoutSecrets } from './networks/texts.ts'
import type { PublicationError } from './publication-errors.ts'

/** The refusal in the words of the network, with its code. */
export function inItsWords(type: NetworkType, { status, body }: NetworkAnswer): PublicationError {
  const { message, provider_code } = networks[type].refusals.says(body)
  return {
    code: 'network_refused',
    message: withoutSecrets(message ?? `The network answered with status ${status}.`),
    ...(provider_code === undefined ? {} : { provider_code: withoutSecrets(provider_code) }),
  }
}

export const refusesToken = (type: NetworkType, answer: NetworkAnswer): boolean =>
  networks[type].refusals.refusesToken(answer)

export type RevealVerdict =
  | { kind: 'succeeded' }
  /** `again`: nothing was shown, and another call may be made after what it names. */
  | { kind: 'rejected'; error: PublicationError; again?: RevealAgain }
  /** Reads decide. */
  | { kind: 'pending'; error: PublicationError }
  | { kind: 'unknown'; error: PublicationError }
const isId = (value: unknown): boolean => typeof value === 'number' || (typeof value === 'string' && value !== '')

/**
 * Whether a body of 2xx says that something was made: some servers name an error beside this status, or answer for the
 * network. Some networks name an error beside what was made.
 */
function saysMade(body: unknown): boolean {
  const whole = objectIn(body)
  return whole.success !== false && (whole.success === true || isId(whole.id) || isId(objectIn(whole.data).id))
}

/** What the answer to a reveal proves. A body that broke off is undefined, and does not take back the status. */
export function verdictOf(type: NetworkType, answer: NetworkAnswer): RevealVerdict {
  const { status, body } = answer
  const error = inItsWords(type, answer)
  if (isSuccess(status))
    return body === undefined || saysMade(body) ? { kind: 'succeeded' } : { kind: 'pending', error }
  // The body of a conflict says more.
  if (apiProof(status) === 'unknown' && status !== 409) return { kind: 'unknown', error }
  const again = (named: RevealAgain): RevealVerdict => ({
    kind: 'rejected',
    error: { ...error, code: named },
    again: named,
  })
  if (refusesToken(type, answer)) return again('token_refused')
  const meaning = networks[type].refusals.refusedReveal(answer)
  if (meaning === 'pending') return { kind: 'pending', error }
  return meaning === 'final' ? { kind: 'rejected', error } : again(meaning)
}

/** Whether the network refuses a text that the account has shown before. */
export const refusesDuplicates = (type: NetworkType): boolean => networks[type].refusals.mayBeDuplicate !== undefined

/** Whether this may be such a refusal. */
export const mayBeDuplicate = (type: NetworkType, answer: NetworkAnswer): boolean =>
  networks[type].refusals.mayBeDuplicate?.(answer) ?? false

/**
 * The verdict for a post. Another call repeats a video or a container, but at a network that refuses repeated texts it
 * makes another post: one of files alone would be shown twice if the refused call had shown it. After a call that was
 * put off, such a refusal may mean that this call had shown the text: reads decide.
 */
export function verdictFor(
  type: NetworkType,
  { text, since }: Pick<RevealSubject, 'text' | 'since'>,
  answer: NetworkAnswer,
): RevealVerdict {
  const verdict = verdictOf(type, answer)
  if (verdict.kind !== 'rejected' || !refusesDuplicates(type)) return verdict
  if (verdict.again && text === '') return { kind: 'rejected', error: inItsWords(type, answer) }
  return !verdict.again && since !== undefined && mayBeDuplicate(type, answer)
    ? { kind: 'pending', error: verdict.error }
    : verdict
}

export type PartRefusal = 'token_refused' | 'again' | 'final'

/** Whether the call that makes a part is repeated. */
export function partRefusal(type: NetworkType, answer: NetworkAnswer): PartRefusal {
  const { status, body } = answer
  if (refusesToken(type, answer)) return 'token_refused'
  if (status < 400 || status === 408 || status === 425 || status === 429 || status >= 500) return 'again'
  return networks[type].refusals.mayRepeat(body) ? 'again' : 'final'
}
