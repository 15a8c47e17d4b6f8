// Shows a publication: one call, sent once. The access token is read when it is sent, and is frozen nowhere.
import type { AccessToken } from '../../entities/connections/token-requests.ts'
import { socialRevealEffect } from '../../entities/publications/reveals.ts'
import type { SocialReveal } from '../../entities/publications/social-reveal.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import type { RevealSubject } from '../../rules/social/networks/publisher.ts'
import type { SocialRequest } from '../../rules/social/networks/request.ts'
import { verdictFor } from '../../rules/social/refusals.ts'
import { accessTokenOf } from '../connections/token-requests.ts'
import { NeverSent, once, type Sending, type Verdict } from '../kit/once.ts'
import { CallFailed } from '../providers/call.ts'
import { answerTo, type SocialAnswer } from '../providers/social/client.ts'
import { tryToStorePause } from '../social/pauses.ts'

/** How long a reveal waits for a token that is being refreshed. The network has the rest of the attempt's time. */
const tokenWaitMs = 2_000

/** What is frozen: the call, whose it is, and what its answer is judged by. */
type Revealed = Pick<SocialReveal, 'tenant_id' | 'type' | 'social_connection_id'> & {
  subject: RevealSubject
  call: SocialRequest
}

function judged({ type, subject }: Revealed, answer: SocialAnswer, token_version: number): Verdict {
  const verdict = verdictFor(type, subject, answer)
  const evidence = { status: answer.status }
  if (verdict.kind === 'succeeded')
    return {
      kind: 'succeeded',
      evidence,
      columns: { token_version, provider_post_id: networks[type].publisher.postIn(answer.body, subject) },
    }
  return {
    kind: verdict.kind,
    evidence,
    error: { ...verdict.error, provider_status: answer.status },
    columns: { token_version },
  }
}

async function send(reveal: Revealed, { firstByteBy, endBy }: Sending): Promise<Verdict> {
  const notSent = (code: string, message: string): Verdict => ({ kind: 'not_sent', error: { code, message } })
  let token: AccessToken
  try {
    token = await accessTokenOf(reveal.social_connection_id, null, tokenWaitMs)
  } catch {
    return notSent('no_token', 'There is no access token that serves.')
  }
  try {
    const answer = await answerTo(
      { ...reveal.call, token: token.token },
      { timeoutMs: Math.max(1, endBy - performance.now()), firstByteBy },
    )
    const { social_connection_id: id, tenant_id, type, call } = reveal
    await tryToStorePause({ id, tenant_id, type }, call.method, answer)
    return judged(reveal, answer, token.version)
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error
    if (!error.written) return notSent('not_sent', error.message)
    return {
      kind: 'unknown',
      evidence: {},
      error: { code: 'no_answer', message: error.message },
      columns: { token_version: token.version },
    }
  }
}

export const sendSocialReveal = once({
  row: socialRevealEffect,
  // Its request was frozen when it was written.
  prepare(): Promise<Revealed> {
    throw new NeverSent({ code: 'no_request', message: 'The call has no request.' })
  },
  send,
})
