// Requests to the networks: HTTP/1.1 alone, to hosts that rules/social names, one attempt each; the verdict follows its
// phase, its status and its body.
import { addressOf } from '../../../adapters/social-address.ts'
import { apiProof, isSuccess } from '../../../rules/http-verdicts.ts'
import { losslessJson } from '../../../rules/input/numbers.ts'
import { refusalCodeOf } from '../../../rules/social/answers.ts'
import type { SocialRequest } from '../../../rules/social/networks/request.ts'
import type { Sending, Verdict } from '../../kit/once.ts'
import { agentFor, CallFailed, type CallOptions, call } from '../call.ts'

const bodyMax = 8_388_608
const readLimitMs = 10_000

/** `body`: undefined if it broke off, null if it is whole and no JSON. */
export type SocialAnswer = { status: number; headers: Record<string, string | string[] | undefined>; body: unknown }

/** The body of a request and its type. */
function bodyOf({ form, json, bytes }: SocialRequest): { type: string; data: string | Uint8Array } | undefined {
  if (form) return { type: 'application/x-www-form-urlencoded', data: new URLSearchParams(form).toString() }
  return json === undefined ? bytes : { type: 'application/json', data: JSON.stringify(json) }
}

function jsonIn(text: string): unknown {
  try {
    return losslessJson(text)
  } catch {
    return null
  }
}

/** One request; that of an effect has `firstByteBy`. Throws CallFailed if no final status line came. */
export async function answerTo(
  request: SocialRequest,
  timing: Pick<CallOptions, 'timeoutMs' | 'firstByteBy'>,
): Promise<SocialAnswer> {
  const { method, token, scheme = 'Bearer', basic, headers = {} } = request
  const url = addressOf(request)
  const body = bodyOf(request)
  // What makes a hidden part is repeated when its answer is lost, and leaves an unused one at the network.
  const isRead = timing.firstByteBy === undefined && method === 'GET'
  const answer = await call(agentFor(isRead ? 'read' : 'effect'), url.origin, {
    ...timing,
    path: url.pathname + url.search,
    method,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(body ? { 'content-type': body.type } : {}),
      ...headers,
      ...(token === undefined ? {} : { authorization: `${scheme} ${token}` }),
      ...(basic
        ? {
            authorization: `Basic ${Buffer.from(`${encodeURIComponent(basic.client_id)}:${encodeURIComponent(basic.client_secret)}`).toString('base64')}`,
          }
        : {}),
    },
    ...(body ? { body: body.data } : {}),
    bodyMax,
  })
  const text = await answer.body().catch(() => undefined)
  return { status: answer.status, headers: answer.headers, body: text === undefined ? undefined : jsonIn(text) }
}

/**
 * Reads the network: it may repeat. Throws without an answer of 2xx with JSON; the message holds no address and no
 * token.
 */
export async function readSocial(request: SocialRequest): Promise<unknown> {
  const { status, body } = await answerTo(request, { timeoutMs: readLimitMs })
  if (isSuccess(status) && body !== undefined && body !== null) return body
  throw new Error(
    `the network answered a read with status ${status}${refusalCodeOf(body) ? ` (${refusalCodeOf(body)})` : ''}`,
  )
}

/**
 * The send of an effect. `proves`: whether a body of 2xx proves it. Of an answer only the status and the code of a
 * refusal are stored: the rest may repeat what was sent.
 */
export async function sendSocial(
  request: SocialRequest,
  { firstByteBy, endBy }: Sending,
  proves: (body: unknown) => boolean,
): Promise<{ verdict: Verdict; answer: SocialAnswer | null }> {
  let answer: SocialAnswer
  try {
    answer = await answerTo(request, { timeoutMs: Math.max(1, endBy - performance.now()), firstByteBy })
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error
    const why = { code: error.written ? 'no_answer' : 'not_sent', message: error.message }
    return {
      verdict: error.written ? { kind: 'unknown', evidence: {}, error: why } : { kind: 'not_sent', error: why },
      answer: null,
    }
  }
  const { status, body } = answer
  const evidence = { status }
  if (isSuccess(status) && proves(body)) return { verdict: { kind: 'succeeded', evidence }, answer }
  const code = refusalCodeOf(body)
  const error = {
    code: 'network_status',
    message: `the network answered with status ${status}`,
    provider_status: status,
    ...(code ? { provider_code: code } : {}),
  }
  // Some servers refuse with 200.
  const kind = apiProof(status) === 'refused' || (isSuccess(status) && code !== null) ? 'rejected' : 'unknown'
  return { verdict: { kind, evidence, error }, answer }
}
