// Consent pages, codes, tokens and their refresh, as each network has them: RFC 6749 and 7636, Graph's trades, rotation
// with revocation on reuse.
import { createHash } from 'node:crypto'
import type { Answer, Call, Handler, Network } from './network.ts'
import {
  type Account,
  accountNamed,
  accounts,
  type Code,
  codes,
  isRevoked,
  newToken,
  now,
  revoke,
  secret,
  type Token,
  tokens,
} from './state.ts'
import { escaped } from './wall.ts'

const day = 86_400

/** The app's id and secret, which npm start and the tests give to the API as well. */
const app = ({ letter }: Network) => {
  const name = `SOCIAL_${letter.toUpperCase()}_CLIENT`
  return { id: process.env[`${name}_ID`], secret: process.env[`${name}_SECRET`] }
}
/** Whether the request has the credentials of the app. */
export function isApp({ network, fields, basic }: Call): boolean {
  const { id, secret } = app(network)
  if (network.consent.basic) return basic === `${id}:${secret}`
  return fields.client_id === id && fields.client_secret === secret
}
const refused = ({ refusals }: Network, error = 'invalid_grant'): Answer => refusals.grant(error)

/**
 * With `sim_account` (and `sim_pages`), the account consents at once; `sim_deny` refuses. Without, a page to choose on.
 */
export const consent: Handler = (call) => {
  const { fields, network } = call
  const { client_id, redirect_uri = '', state = '', sim_account, sim_pages, sim_deny, code_challenge } = fields
  if (client_id !== app(network).id || !URL.canParse(redirect_uri) || fields.response_type !== 'code')
    return { status: 400, body: 'This app is not known here.' }
  if (network.consent.pkce && fields.code_challenge_method !== 'S256')
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

const offeredMax = 20
/** Accounts that consented before, the last ones first; at first one that is made up. */
function offeredBy({ letter }: Network): string[] {
  const consented = codes.all().filter(({ network }) => network === letter)
  const ids = new Set(consented.map(({ account }) => account).reverse())
  const names = [...ids].flatMap((id) => accounts.get(`${letter} ${id}`)?.name ?? []).slice(0, offeredMax)
  return names.length > 0 ? names : ['Corner Salon']
}

function choice({ url, network }: Call): Answer {
  const link = (text: string, name: string, value: string) => {
    const to = new URL(url)
    to.searchParams.set(name, value)
    return `<p><a href="${to.pathname}${to.search.replaceAll('"', '%22').replaceAll('&', '&amp;')}">${escaped(text)}</a></p>`
  }
  const sent = [...new URL(url).searchParams].map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  const asAccounts = offeredBy(network).map((name) => link(`As ${name}`, 'sim_account', name))
  const another = `<form>${sent.join('')}<p><label>As another account: <input name="sim_account" required></label> <button>Consent</button></p></form>`
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><title>Consent</title><h1>May the app post for you?</h1>${asAccounts.join('')}${another}${link('No', 'sim_deny', '1')}`,
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

/** An access token, and with `refreshes` a refresh token where the network has them. */
function grant(
  { letter, consent: { short, expires_in, granted, refresh } }: Network,
  { account, family }: Pick<Code, 'account' | 'family'>,
  refreshes: boolean,
): object {
  const common = { network: letter, account, family, page: null }
  const access = newToken({ ...common, kind: short ? 'short' : 'access', expires_at: now() + expires_in })
  if (granted) return granted(access.token, account)
  const bearer = { access_token: access.token, token_type: 'bearer', expires_in }
  if (!refresh) return bearer
  const token = refreshes ? newToken({ ...common, kind: 'refresh', expires_at: null }).token : undefined
  return { ...bearer, scope: 'sim.read sim.write', ...(token === undefined ? {} : { refresh_token: token }) }
}

export const exchange: Handler = (call) => {
  const { network, fields } = call
  if (!isApp(call)) return refused(network, 'invalid_client')
  if (fields.grant_type === 'refresh_token') return refreshed(call)
  if (fields.grant_type === 'fb_exchange_token') return extend(call)
  if (fields.grant_type !== 'authorization_code') return refused(network, 'unsupported_grant_type')
  const code = codes.get(fields.code ?? '')
  if (!code || code.network !== network.letter) return refused(network)
  if (code.used) {
    // A code that comes twice was stolen: what it got is revoked (RFC 6749, 4.1.2).
    revoke(code.family, 'code reused')
    return refused(network)
  }
  const challenge =
    fields.code_verifier === undefined ? null : createHash('sha256').update(fields.code_verifier).digest('base64url')
  if (code.redirect_uri !== fields.redirect_uri || code.challenge !== challenge) return refused(network)
  codes.save({ ...code, used: true })
  return { status: 200, body: grant(network, code, true), effect: true }
}

function refreshed({ network, fields }: Call): Answer {
  const held = tokens.get(fields.refresh_token ?? '')
  if (held?.kind !== 'refresh' || held.network !== network.letter || isRevoked(held.family)) return refused(network)
  if (held.used) {
    revoke(held.family, 'refresh token reused')
    return refused(network)
  }
  const rotates = network.consent.refresh === 'rotated'
  if (rotates) tokens.save({ ...held, used: true })
  return { status: 200, body: grant(network, held, rotates), effect: true }
}

const alive = (token: Token | undefined, { letter }: Network): token is Token =>
  token !== undefined &&
  token.network === letter &&
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
export const extend: Handler = (call) => {
  const { network, fields } = call
  const held = tokens.get(fields.fb_exchange_token ?? fields.access_token ?? '')
  if (!isApp(call)) return refused(network, 'invalid_client')
  return alive(held, network) && held.kind === 'short' ? long(held) : network.refusals.token()
}
/** A token of 60 days for another one. */
export const renew: Handler = ({ network, fields }) => {
  const held = tokens.get(fields.access_token ?? '')
  return alive(held, network) && held.kind === 'access' ? long(held) : network.refusals.token()
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
  return held && accounts.get(`${network.letter} ${held.account}`)?.name
}

/** Answers with what the account of the token is. */
export const asAccount =
  (answer: (account: Account, token: Token, call: Call) => unknown): Handler =>
  (call) => {
    const token = bearerOf(call)
    const account = token && accounts.get(`${token.network} ${token.account}`)
    return token && account ? { status: 200, body: answer(account, token, call) } : call.network.refusals.token()
  }

/** Revokes a token and its family, unless `refusal` has one. `body`: of the answer. */
export const revoking =
  (body: object, refusal: (call: Call, held: Token | undefined) => Answer | undefined): Handler =>
  (call) => {
    const held = tokens.get(call.fields.token ?? call.bearer ?? '')
    const refused = refusal(call, held)
    if (refused) return refused
    if (held) revoke(held.family, 'revoked')
    return { status: 200, body, effect: true }
  }
