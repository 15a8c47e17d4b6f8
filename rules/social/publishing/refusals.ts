// What a network's error means: for hidden parts, which may be made again, and for the reveal, which may not.
import { apiProof, isSuccess } from '../../http-verdicts.ts'
import { type Fields, listIn, objectIn } from '../answers.ts'
import type { NetworkType } from '../networks.ts'
import { isThrottled } from '../pauses.ts'
import type { PublicationError } from '../resources.ts'
import type { PartAnswer, RevealSubject } from './publisher.ts'
import { withoutSecrets } from './texts.ts'

const graphTypes: ReadonlySet<NetworkType> = new Set<NetworkType>([
  'network_a_page',
  'network_b_business',
  'network_e_account',
])
export const isGraph = (type: NetworkType): boolean => graphTypes.has(type)

type GraphError = { code: number | null; subcode: number | null; transient: boolean; told: Fields }
function graphError(body: unknown): GraphError {
  const told = objectIn(objectIn(body).error)
  const number = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : null)
  return { code: number(told.code), subcode: number(told.error_subcode), transient: told.is_transient === true, told }
}

const firstText = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value.trim() !== '')

/** The refusal in the words of the network, with its code. */
export function inItsWords(type: NetworkType, { status, body }: Pick<PartAnswer, 'status' | 'body'>): PublicationError {
  const whole = objectIn(body)
  const error = objectIn(whole.error)
  const fallback = `The network answered with status ${status}.`
  if (isGraph(type)) {
    const { code, subcode } = graphError(body)
    const message = withoutSecrets(firstText(error.error_user_msg, error.message) ?? fallback)
    return {
      code: 'network_refused',
      message,
      ...(code === null ? {} : { provider_code: subcode === null ? String(code) : `${code}/${subcode}` }),
    }
  }
  if (type === 'network_c_channel') {
    const reason = firstText(listIn(error.errors)[0]?.reason)
    return {
      code: 'network_refused',
      message: withoutSecrets(firstText(error.message) ?? fallback),
      ...(reason ? { provider_code: withoutSecrets(reason) } : {}),
    }
  }
  const message = firstText(listIn(whole.errors)[0]?.message, whole.detail, whole.title) ?? fallback
  return {
    code: 'network_refused',
    message: withoutSecrets(message),
    ...(typeof whole.title === 'string' ? { provider_code: withoutSecrets(whole.title) } : {}),
  }
}

/** Graph's code of an access token that does not serve any more. */
const tokenCode = 190
/** Of Graph only an error of its own: a refused token there ends the connection, and a gateway answers 401, too. */
export const refusesToken = (type: NetworkType, { status, body }: Pick<PartAnswer, 'status' | 'body'>): boolean =>
  isGraph(type)
    ? status >= 400 && (graphError(body).code === tokenCode || (status === 401 && graphError(body).code !== null))
    : status === 401

/** Graph's codes that may come although the call was carried out: unknown and temporary errors, and limits. */
const isDoubtful = (code: number): boolean => code === 1 || code === 2 || isThrottled(code)

export type RevealVerdict =
  | { kind: 'succeeded' }
  /** `again`: nothing was shown, and another call may be made after what it names. */
  | { kind: 'rejected'; error: PublicationError; again?: RevealAgain }
  /** Reads decide. */
  | { kind: 'pending'; error: PublicationError }
  | { kind: 'unknown'; error: PublicationError }
export const revealAgain = ['token_refused', 'not_ready', 'rate_limited', 'part_expired'] as const
export type RevealAgain = (typeof revealAgain)[number]

/** Network b: the container is processed, or has expired. */
const notReady = 9_007
const expired = { code: -2, subcode: 2_207_020 }

const isId = (value: unknown): boolean => typeof value === 'number' || (typeof value === 'string' && value !== '')

/**
 * Whether a body of 2xx says that something was made: some servers name an error beside this status, or answer for the network. Some networks name an error beside
 * what was made.
 */
function saysMade(body: unknown): boolean {
  const whole = objectIn(body)
  return whole.success !== false && (whole.success === true || isId(whole.id) || isId(objectIn(whole.data).id))
}

/** What the answer to a reveal proves. A body that broke off is undefined, and does not take back the status. */
export function verdictOf(type: NetworkType, answer: Pick<PartAnswer, 'status' | 'body'>): RevealVerdict {
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
  if (!isGraph(type)) return status === 429 ? again('rate_limited') : { kind: 'rejected', error }
  const { code, subcode, transient } = graphError(body)
  if (type === 'network_b_business' && code === notReady) return again('not_ready')
  if (type === 'network_b_business' && (code === expired.code || subcode === expired.subcode))
    return again('part_expired')
  return code === null || transient || isDoubtful(code) ? { kind: 'pending', error } : { kind: 'rejected', error }
}

/** Network d refuses a text that it has with 403, like other calls that it does not allow (X API: `You are not allowed to create a Tweet with duplicate content`). */
export const mayBeDuplicate = (type: NetworkType, { status }: Pick<PartAnswer, 'status'>): boolean =>
  type === 'network_d_account' && status === 403

/**
 * The verdict for a post. Another call repeats a video of network c and a container of Graph, and network d refuses a text that it has: a post of files
 * alone on d would be shown twice if the refused call had shown it. After a call that was put off, such a refusal may
 * mean that this call had shown the text: reads decide.
 */
export function verdictFor(
  type: NetworkType,
  { text, since }: Pick<RevealSubject, 'text' | 'since'>,
  answer: Pick<PartAnswer, 'status' | 'body'>,
): RevealVerdict {
  const verdict = verdictOf(type, answer)
  if (verdict.kind !== 'rejected' || type !== 'network_d_account') return verdict
  if (verdict.again && text === '') return { kind: 'rejected', error: inItsWords(type, answer) }
  return !verdict.again && since !== undefined && mayBeDuplicate(type, answer)
    ? { kind: 'pending', error: verdict.error }
    : verdict
}

export type PartRefusal = 'token_refused' | 'again' | 'final'

/** Whether the call that makes a part is repeated. */
export function partRefusal(type: NetworkType, answer: Pick<PartAnswer, 'status' | 'body'>): PartRefusal {
  const { status, body } = answer
  if (refusesToken(type, answer)) return 'token_refused'
  if (status < 400 || status === 408 || status === 425 || status === 429 || status >= 500) return 'again'
  if (type === 'network_c_channel')
    return listIn(objectIn(objectIn(body).error).errors).some(
      ({ reason }) => reason === 'quotaExceeded' || reason === 'rateLimitExceeded',
    )
      ? 'again'
      : 'final'
  if (!isGraph(type)) return 'final'
  const { code, transient } = graphError(body)
  return code === null || transient || isDoubtful(code) || code === notReady ? 'again' : 'final'
}
