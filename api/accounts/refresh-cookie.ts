// The refresh token of a browser application on the API's own origin, as a cookie: no script reads it, it is sent to
// the routes of sign-in alone, and requests of other origins that bring it are refused.
import { config } from '../../config.ts'
import { isLoopback } from '../../rules/input/return-url.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Headers, headerOf } from '../kit/caller.ts'

/** Where browsers reach the API. Read at a request: the document is made without settings. */
const ownAddress = () => new URL(config.publicUrl)

const isLocal = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && isLoopback(hostname)

/** With the prefix, browsers take the cookie over https alone. Development on this machine has no https. */
const secureName = '__Secure-till_refresh'
const nameAt = (own: URL) => (isLocal(own) ? 'till_refresh' : secureName)

/** The value of `Set-Cookie`. `maxAgeS`: 0 deletes the cookie. */
function setCookie(value: string, maxAgeS: number): Record<string, string> {
  const own = ownAddress()
  const path = `${own.pathname.replace(/\/$/, '')}/v1/auth`
  const secure = isLocal(own) ? '' : '; Secure'
  return {
    'Set-Cookie': `${nameAt(own)}=${value}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`,
  }
}

/** The header of an answer that gives the browser the token. Times in Unix seconds. */
export const storedInCookie = (token: string, expiresAt: number, now: number) => setCookie(token, expiresAt - now)
export const clearedCookie = () => setCookie('', 0)

/** The tokens of all cookies of the name: a neighbouring domain can set another one, and nothing says which is ours. */
export function tokensInCookies(headers: Headers): string[] {
  const prefix = `${nameAt(ownAddress())}=`
  return (headerOf(headers, 'cookie') ?? '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(prefix))
    .map((one) => one.slice(prefix.length))
}

/**
 * Whether a page of the API's own origin sent the request. On this machine, a page may name it `localhost` or
 * `127.0.0.1`, and the console's development server forwards requests with its own `Host`.
 */
function isOfOwnOrigin(headers: Headers): boolean {
  const [origin, site] = [headerOf(headers, 'origin'), headerOf(headers, 'sec-fetch-site')]
  if (origin === undefined || (site !== undefined && site !== 'same-origin')) return false
  const own = ownAddress()
  if (origin === own.origin) return true
  return (
    isLocal(own) && URL.canParse(origin) && isLocal(new URL(origin)) && origin === `http://${headerOf(headers, 'host')}`
  )
}

/** Refuses a request that gets or uses the cookie from a page of another origin. 403 foreign_origin. */
export function requireOwnOrigin(headers: Headers): void {
  if (!isOfOwnOrigin(headers))
    throw new Refusal(
      403,
      'foreign_origin',
      `The cookie of a session is used by pages of ${ownAddress().origin} alone. Programs send \`refresh_token\`.`,
    )
}
