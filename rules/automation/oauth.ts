// OAuth: what the answer of an authorization server proves (RFC 6749, RFC 7009).

import { z } from 'zod'

/** What is asked of an authorization server. */
export const OauthRequestKind = z.enum(['exchange', 'revoke'])
export type OauthRequestKind = z.infer<typeof OauthRequestKind>

export type Tokens = {
  access_token: string
  refresh_token: string | null
  expires_in: number | null
  scopes: string[] | null
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 16_384 && !value.includes('\0') && value.isWellFormed()
    ? value
    : null

/** The tokens of an answer to an exchange; null if it has no access token (RFC 6749, 5.1). */
export function tokensOf(body: unknown): Tokens | null {
  if (body === null || typeof body !== 'object') return null
  const { access_token, refresh_token, expires_in, scope } = body as Record<string, unknown>
  const token = text(access_token)
  if (token === null) return null
  const seconds = Number(expires_in)
  return {
    access_token: token,
    refresh_token: text(refresh_token),
    expires_in: Number.isSafeInteger(seconds) && seconds > 0 && seconds < 1e9 ? seconds : null,
    scopes:
      text(scope)
        ?.split(/\s+/)
        .filter((one) => one !== '') ?? null,
  }
}

/** The code of a refusal (RFC 6749, 5.2); null for an answer that is none. */
export function refusalOf(body: unknown): string | null {
  if (body === null || typeof body !== 'object') return null
  const { error } = body as Record<string, unknown>
  return typeof error === 'string' && /^[\w.-]{1,64}$/.test(error) ? error : null
}
