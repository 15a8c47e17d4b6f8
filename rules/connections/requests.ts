// What is sent to a network about tokens, and where.
import { z } from 'zod'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'
import { type App, type At, type SocialRequest, versioned } from '../social/networks/request.ts'

/** What is asked with the tokens of a connection. */
export const TokenRequestKind = z.enum(['refresh', 'revoke'])
export type TokenRequestKind = z.infer<typeof TokenRequestKind>

/** The address of the consent page. `state` and `challenge` are those of one request. */
export function consentUrl(
  type: NetworkType,
  {
    client_id,
    redirect_uri,
    state,
    challenge,
    version,
  }: { client_id: string; redirect_uri: string; state: string; challenge: string | null; version: string },
): { host: string; path: string; query: Record<string, string> } {
  const { authorize, scopes, separator } = networks[type].oauth
  const pkce: Record<string, string> =
    challenge === null ? {} : { code_challenge: challenge, code_challenge_method: 'S256' }
  const query = {
    client_id,
    redirect_uri,
    response_type: 'code',
    scope: scopes.join(separator),
    state,
    ...pkce,
    ...authorize.more,
  }
  return { host: authorize.host, path: versioned(authorize.path, version), query }
}

const posted = (
  type: NetworkType,
  at: At,
  fields: Record<string, string>,
  app: App,
  version: string,
): SocialRequest => ({
  ...{ method: 'POST', host: at.host, path: versioned(at.path, version) },
  ...(networks[type].oauth.basic
    ? { form: { ...fields, client_id: app.client_id }, basic: app }
    : { form: { ...fields, ...app } }),
})

/** What an exchange sends but for the app's secret. */
export type Grant = { code: string; redirect_uri: string; code_verifier: string | null }

export const exchangeRequest = (
  type: NetworkType,
  { code, redirect_uri, code_verifier }: Grant,
  app: App,
  version: string,
): SocialRequest =>
  posted(
    type,
    networks[type].oauth.exchange,
    { grant_type: 'authorization_code', code, redirect_uri, ...(code_verifier === null ? {} : { code_verifier }) },
    app,
    version,
  )

/** The request that trades a token for one that lives longer. Null: access tokens of the network are not traded. */
export function extendRequest(type: NetworkType, token: string, app: App, version: string): SocialRequest | null {
  const { extend } = networks[type].oauth
  if (!extend) return null
  const query = { grant_type: extend.grant_type, [extend.token]: token, ...app }
  return { method: 'GET', host: extend.host, path: versioned(extend.path, version), query }
}

/** The tokens that a refresh or a revocation is about. */
export type Held = { access_token: string | null; refresh_token: string | null }

/** The request that refreshes tokens. Null: the network knows no refresh, or there is no token for it. */
export function refreshRequest(
  type: NetworkType,
  { access_token, refresh_token }: Held,
  app: App,
  version: string,
): SocialRequest | null {
  const { refresh, exchange } = networks[type].oauth
  if (refresh === 'token')
    return refresh_token ? posted(type, exchange, { grant_type: 'refresh_token', refresh_token }, app, version) : null
  if (!refresh || !access_token) return null
  return {
    method: 'GET',
    host: refresh.host,
    path: refresh.path,
    query: { grant_type: refresh.grant_type, [refresh.token]: access_token },
  }
}

/** RFC 7009: revoking a refresh token ends its access tokens. Null: the network has no place for it. */
export function revokeRequest(
  type: NetworkType,
  { access_token, refresh_token }: Held,
  app: App,
  version: string,
): SocialRequest | null {
  const { revoke, basic } = networks[type].oauth
  const token = refresh_token ?? access_token
  if (!revoke || !token) return null
  const at = { host: revoke.host, path: versioned(revoke.path, version), method: revoke.method }
  if (revoke.method === 'DELETE') return { ...at, token }
  return { ...at, form: { token, ...(basic ? { client_id: app.client_id } : {}) }, ...(basic ? { basic: app } : {}) }
}
