// Consent pages, codes, tokens and their refresh, as each network has them: RFC 6749 and 7636, Graph's trades, rotation
// with revocation on reuse.
import { createHash } from 'node:crypto'
import type { Answer, Call, Handler, Route } from './calls.ts'
import { graph, isGraph, tokenRefused } from './errors.ts'
import {
  type Account,
  accountNamed,
  accounts,
  type Code,
  codes,
  isRevoked,
  type Network,
  newToken,
  now,
  revoke,
  secret,
  type Token,
  tokens,
} from './state.ts'

const day = 86_400
const hosts: Record<string, Network> = {
  'www.facebook.com': 'a',
  'graph.facebook.com': 'a',
  'graph-video.facebook.com': 'a',
  'rupload.facebook.com': 'a',
  'www.instagram.com': 'b',
  'api.instagram.com': 'b',
  'graph.instagram.com': 'b',
  'accounts.google.com': 'c',
  'oauth2.googleapis.com': 'c',
  'www.googleapis.com': 'c',
  'x.com': 'd',
  'api.x.com': 'd',
  'threads.net': 'e',
  'graph.threads.net': 'e',
}
export const networkOf = (host: string): Network | undefined => hosts[host]

const rfc = (status: number, error: string): Answer => ({
  status,
  body: { error, error_description: `${error} (simulator)` },
})
const refused = (network: Network, error = 'invalid_grant'): Answer => {
  if (network === 'b' && error === 'invalid_grant')
    return {
      status: 400,
      body: { error_type: 'OAuthException', code: 400, error_message: 'Invalid authorization code' },
    }
  if (isGraph(network)) return graph(400, error === 'invalid_client' ? 101 : 100, error)
  return network === 'd' && error === 'invalid_grant'
    ? rfc(400, 'invalid_request')
    : rfc(error === 'invalid_client' ? 401 : 400, error)
}
/** The app's id and secret, which npm start and the tests give to the API as well. */
const app = (network: Network) => {
  const letter = network.toUpperCase()
  return { id: process.env[`SOCIAL_${letter}_CLIENT_ID`], secret: process.env[`SOCIAL_${letter}_CLIENT_SECRET`] }
}
function isApp(network: Network, { fields, basic }: Call): boolean {
  const { id, secret } = app(network)
  if (network === 'd') return basic === `${id}:${secret}`
  return fields.client_id === id && fields.client_secret === secret
}

/**
 * With `sim_account` (and `sim_pages`), the account consents at once; `sim_deny` refuses. Without, a page to choose on.
 */
const consent: Handler = (call) => {
  const { fields, network } = call
  const { client_id, redirect_uri = '', state = '', sim_account, sim_pages, sim_deny, code_challenge } = fields
  if (client_id !== app(network).id || !URL.canParse(redirect_uri) || fields.response_type !== 'code')
    return { status: 400, body: 'This app is not known here.' }
  if ((network === 'c' || network === 'd') && fields.code_challenge_method !== 'S256')
    return { status: 400, body: 'code_challenge is missing.' }
  const back = new URL(redirect_uri)
  back.searchParams.set('state', state)
  if (sim_deny !== undefined) back.searchParams.set('error', 'access_denied')
  else if (sim_account === undefined) return choice(call)
  else
    back.searchParams.set(
      'code',
      newCode(accountNamed(network, sim_account, Number(sim_pages ?? 1)), redirect_uri, code_challenge ?? null).code,
    )
  return { status: 302, headers: { location: back.href }, body: '', effect: true }
}

function choice({ url }: Call): Answer {
  const link = (text: string, name: string, value: string) => {
    const to = new URL(url)
    to.searchParams.set(name, value)
    return `<p><a href="${to.pathname}${to.search.replaceAll('"', '%22').replaceAll('&', '&amp;')}">${text}</a></p>`
  }
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><title>Consent</title><h1>May the app post for you?</h1>${link('As Corner Salon', 'sim_account', 'Corner Salon')}${link('No', 'sim_deny', '1')}`,
  }
}

export function newCode(
  { network, id }: Account,
  redirect_uri: string,
  challenge: string | null,
  code = secret('code'),
): Code {
  return codes.save({ code, network, account: id, redirect_uri, challenge, used: false, family: secret('rt') })
}

/** An access token, and a refresh token where the network has them. */
function grant(
  { network, account, family }: Pick<Code, 'network' | 'account' | 'family'>,
  rotates: boolean,
): Record<string, unknown> {
  const expires_in = network === 'c' ? 3_599 : network === 'd' ? 7_200 : 3_600
  const common = { network, account, family, page: null }
  const access = newToken({ ...common, kind: isGraph(network) ? 'short' : 'access', expires_at: now() + expires_in })
  if (network === 'b' || network === 'e')
    return {
      access_token: access.token,
      user_id: account,
      ...(network === 'b' ? { permissions: 'instagram_business_basic' } : {}),
    }
  if (network === 'a') return { access_token: access.token, token_type: 'bearer', expires_in }
  const refresh = rotates ? { refresh_token: newToken({ ...common, kind: 'refresh', expires_at: null }).token } : {}
  return { access_token: access.token, token_type: 'bearer', expires_in, scope: 'sim.read sim.write', ...refresh }
}

const exchange: Handler = (call) => {
  const { network, fields } = call
  if (!isApp(network, call)) return refused(network, 'invalid_client')
  if (fields.grant_type === 'refresh_token') return refreshed(call)
  if (fields.grant_type === 'fb_exchange_token') return extend(call)
  if (fields.grant_type !== 'authorization_code') return refused(network, 'unsupported_grant_type')
  const code = codes.get(fields.code ?? '')
  if (!code || code.network !== network) return refused(network)
  if (code.used) {
    // A code that comes twice was stolen: what it got is revoked (RFC 6749, 4.1.2).
    revoke(code.family, 'code reused')
    return refused(network)
  }
  const challenge =
    fields.code_verifier === undefined ? null : createHash('sha256').update(fields.code_verifier).digest('base64url')
  if (code.redirect_uri !== fields.redirect_uri || code.challenge !== challenge) return refused(network)
  codes.save({ ...code, used: true })
  return { status: 200, body: grant(code, true), effect: true }
}

/** Network d replaces the refresh token, and revokes the family when a replaced one comes again; c keeps it. */
function refreshed({ network, fields }: Call): Answer {
  const held = tokens.get(fields.refresh_token ?? '')
  if (held?.kind !== 'refresh' || held.network !== network || isRevoked(held.family)) return refused(network)
  if (held.used) {
    revoke(held.family, 'refresh token reused')
    return refused(network)
  }
  if (network === 'd') tokens.save({ ...held, used: true })
  return { status: 200, body: grant(held, network === 'd'), effect: true }
}

const alive = (token: Token | undefined, network: Network): token is Token =>
  token !== undefined &&
  token.network === network &&
  token.kind !== 'refresh' &&
  !isRevoked(token.family) &&
  (token.expires_at === null || token.expires_at > now())

const long = ({ network, account, family }: Token): Answer => {
  const access = newToken({ network, account, family, page: null, kind: 'access', expires_at: now() + 60 * day })
  return {
    status: 200,
    body: { access_token: access.token, token_type: 'bearer', expires_in: 60 * day - 1 },
    effect: true,
  }
}
/** The short token for one of 60 days. */
const extend: Handler = (call) => {
  const { network, fields } = call
  const held = tokens.get(fields.fb_exchange_token ?? fields.access_token ?? '')
  if (!isApp(network, call)) return refused(network, 'invalid_client')
  return alive(held, network) && held.kind === 'short' ? long(held) : tokenRefused(network)
}
/** A token of 60 days for another one. */
const renew: Handler = ({ network, fields }) => {
  const held = tokens.get(fields.access_token ?? '')
  return alive(held, network) && held.kind === 'access' ? long(held) : tokenRefused(network)
}

/** The token of a call, if the network accepts it. */
export function bearerOf({ network, bearer, fields }: Call): Token | null {
  const held = tokens.get(bearer ?? fields.access_token ?? '')
  return alive(held, network) ? held : null
}

/** The name of the account whose code or token a request has. */
export function ownerOf({ network, bearer, fields }: Call): string | undefined {
  const held =
    codes.get(fields.code ?? '') ??
    tokens.get(bearer ?? fields.refresh_token ?? fields.access_token ?? fields.fb_exchange_token ?? fields.token ?? '')
  return held && accounts.get(`${network} ${held.account}`)?.name
}

const asAccount =
  (answer: (account: Account, token: Token, call: Call) => unknown): Handler =>
  (call) => {
    const token = bearerOf(call)
    const account = token && accounts.get(`${token.network} ${token.account}`)
    return token && account ? { status: 200, body: answer(account, token, call) } : tokenRefused(call.network)
  }

/** A page's token does not expire, and is the same at every read. */
function pageToken(page: string, { network, account, family }: Token): string {
  const found = tokens.all().find((one) => one.page === page && one.family === family)
  return (found ?? newToken({ network, account, family, page, kind: 'access', expires_at: null })).token
}

const pageSize = 25
const pages = asAccount((account, token, { fields }) => {
  const from = Number(fields.after ?? 0)
  const shown = account.pages.slice(from, from + pageSize)
  const more = account.pages.length > from + pageSize
  const paging = {
    cursors: { after: String(from + pageSize) },
    ...(more ? { next: `https://graph.facebook.com/me/accounts?access_token=${token.token}` } : {}),
  }
  return { data: shown.map((page) => ({ ...page, access_token: pageToken(page.id, token) })), paging }
})

const revoking: Handler = (call) => {
  const held = tokens.get(call.fields.token ?? call.bearer ?? '')
  if (call.network === 'a' && !bearerOf(call)) return tokenRefused('a')
  if (call.network === 'd' && !isApp('d', call)) return refused('d', 'invalid_client')
  if (held) revoke(held.family, 'revoked')
  else if (call.network === 'c') return rfc(400, 'invalid_token')
  return {
    status: 200,
    body: call.network === 'a' ? { success: true } : call.network === 'd' ? { revoked: true } : {},
    effect: true,
  }
}

export const oauthRoutes: Route[] = [
  ['GET', 'www.facebook.com/:v/dialog/oauth', consent],
  ['GET', 'www.instagram.com/oauth/authorize', consent],
  ['GET', 'accounts.google.com/o/oauth2/v2/auth', consent],
  ['GET', 'x.com/i/oauth2/authorize', consent],
  ['GET', 'threads.net/oauth/authorize', consent],
  ['POST', 'graph.facebook.com/:v/oauth/access_token', exchange],
  ['GET', 'graph.facebook.com/:v/oauth/access_token', exchange],
  ['POST', 'api.instagram.com/oauth/access_token', exchange],
  ['POST', 'oauth2.googleapis.com/token', exchange],
  ['POST', 'api.x.com/2/oauth2/token', exchange],
  ['POST', 'graph.threads.net/oauth/access_token', exchange],
  ['GET', 'graph.instagram.com/access_token', extend],
  ['GET', 'graph.threads.net/access_token', extend],
  ['GET', 'graph.instagram.com/refresh_access_token', renew],
  ['GET', 'graph.threads.net/refresh_access_token', renew],
  ['GET', 'graph.facebook.com/:v/me/accounts', pages],
  ['GET', 'graph.facebook.com/:v/me', asAccount(({ id }) => ({ id }))],
  [
    'GET',
    'graph.instagram.com/:v/me',
    asAccount(({ id, username, name }) => ({ user_id: id, username, name, id: `app-${id}` })),
  ],
  [
    'GET',
    'www.googleapis.com/youtube/v3/channels',
    asAccount(({ id, name, username }) => ({ items: [{ id, snippet: { title: name, customUrl: `@${username}` } }] })),
  ],
  ['GET', 'api.x.com/2/users/me', asAccount(({ id, name, username }) => ({ data: { id, name, username } }))],
  ['GET', 'graph.threads.net/:v/me', asAccount(({ id, name, username }) => ({ id, name, username }))],
  ['DELETE', 'graph.facebook.com/:v/me/permissions', revoking],
  ['POST', 'oauth2.googleapis.com/revoke', revoking],
  ['POST', 'api.x.com/2/oauth2/revoke', revoking],
]
