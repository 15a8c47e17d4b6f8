// Sign-in codes, read from the emails that the worker sent to the mail catcher.
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, http, newEmail, type Visitor } from './shop.ts'

type Mail = { from: string; to: string[]; subject: string; text: string; html: string; headers: Record<string, string> }

/** The newest email to the address, once there are `count` of them. */
export async function mailTo(address: string, count = 1, within_ms = 20_000): Promise<Mail> {
  const answer = await fetch(
    `${process.env.TEST_MAIL}/messages/wait?to=${encodeURIComponent(address)}&after=${count - 1}&timeout_ms=${within_ms}`,
  )
  if (!answer.ok) throw new Error(`no email to ${address}: ${answer.status}`)
  const [newest] = (await answer.json()) as Mail[]
  return newest as Mail
}

export async function codeFor(address: string, count = 1): Promise<string> {
  const code = /\b\d{6}\b/.exec((await mailTo(address, count)).text)?.[0]
  if (!code) throw new Error(`no code in the email to ${address}`)
  return code
}

/** A code that is certainly wrong. */
export const another = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

export type Session = {
  id: string
  access_token: string
  refresh_token: string
  access_expires_at: number
  refresh_expires_at: number
  created_at: number
  is_verified: boolean
}

export const bearer = ({ access_token }: { access_token: string }) => ({ authorization: `Bearer ${access_token}` })

export async function signIn(email = newEmail(), count = 1): Promise<Session> {
  const asked = await http('POST', '/v1/auth/code', { body: { email } })
  const code = await codeFor(email, count)
  const answer = await http('POST', '/v1/auth/verify', { body: { challenge_id: asked.body.challenge_id, code } })
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** A visitor verifies an address. */
export async function prove(visitor: Pick<Visitor, 'call'>, email: string, count = 1): Promise<Answer> {
  const asked = await visitor.call('POST', '/account/code', { email })
  const code = await codeFor(email, count)
  return visitor.call('POST', '/account/verify', { challenge_id: asked.body.challenge_id, code })
}

/** Milliseconds between two looks: a tenth of the time waited so far, so that waiting for seconds costs little. */
const looksEvery = { min: 20, max: 100 }

/**
 * Polls until the value is truthy. `everyMs` is a constant interval, for a test that acts at the moment of a change.
 */
export async function until<T>(
  look: () => Promise<T | undefined | false | null>,
  withinMs = 20_000,
  everyMs?: number,
): Promise<T> {
  const began = Date.now()
  for (;;) {
    const found = await look()
    if (found) return found
    const waited = Date.now() - began
    if (waited > withinMs) throw new Error('timed out: the condition did not become true')
    await pause(everyMs ?? Math.min(looksEvery.max, Math.max(looksEvery.min, waited / 10)))
  }
}

/** Signs a visitor in who is known by headers, which have the new token afterwards. */
export async function proveWith(headers: Record<string, string>, email = newEmail(), count = 1): Promise<void> {
  const call: Visitor['call'] = async (method, path, body) => {
    const answer = await http(method, `/v1/storefront${path}`, { body, headers })
    headers['x-service-visitor-token'] =
      answer.headers.get('x-service-visitor-token') ?? (headers['x-service-visitor-token'] as string)
    return answer
  }
  const { status, body } = await prove({ call }, email, count)
  if (status !== 200) throw new Error(`not signed in: ${status} ${JSON.stringify(body)}`)
}
