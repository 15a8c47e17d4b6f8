// One POST to an authorization server through the egress client; the verdict follows its phase, its status and its
// body.

import { type OauthRequestKind, refusalOf, type Tokens, tokensOf } from '../../rules/automation/oauth.ts'
import { apiProof, isSuccess } from '../../rules/http-verdicts.ts'
import type { Sending, Verdict } from '../kit/once.ts'
import { egress, type HttpAnswer, type HttpRequest } from './http.ts'

/** Judges an answer. Only the status and the code of a refusal are stored: the rest may repeat what was sent. */
function decided(kind: OauthRequestKind, status: number, answer: HttpAnswer | null): Verdict {
  const evidence = { status }
  const code = refusalOf(answer?.body)
  const isProved = isSuccess(status) && (kind === 'revoke' || tokensOf(answer?.body) !== null)
  if (isProved) return { kind: 'succeeded', evidence }
  const message = `the authorization server answered with status ${status}`
  const error = { code: 'oauth_status', message, provider_status: status, ...(code ? { provider_code: code } : {}) }
  // Some servers refuse with 200.
  return {
    kind: apiProof(status) === 'refused' || (isSuccess(status) && code !== null) ? 'rejected' : 'unknown',
    evidence,
    error,
  }
}

/** Failures are verdicts; `tokens` only of an exchange that succeeded. */
export async function postForm(
  kind: OauthRequestKind,
  post: HttpRequest,
  sending: Sending,
): Promise<{ verdict: Verdict; tokens: Tokens | null }> {
  const { verdict, answer } = await egress().send(post, sending)
  if (verdict.kind === 'not_sent') return { verdict, tokens: null }
  const status = answer?.status ?? verdict.error?.provider_status
  if (status === undefined) return { verdict, tokens: null }
  return {
    verdict: decided(kind, status, answer),
    tokens: kind === 'exchange' && answer ? tokensOf(answer.body) : null,
  }
}
