// The five networks as data: where their APIs are, how their tokens are got, renewed and revoked, and which of their answers end a grant.
import { z } from 'zod'

export const networkTypes = [
  'network_a_page',
  'network_b_business',
  'network_c_channel',
  'network_d_account',
  'network_e_account',
] as const
export const NetworkType = z.enum(networkTypes)
export type NetworkType = (typeof networkTypes)[number]

/** The letter in the names of the settings of a network's app. */
export const networkLetters = {
  network_a_page: 'A',
  network_b_business: 'B',
  network_c_channel: 'C',
  network_d_account: 'D',
  network_e_account: 'E',
} as const satisfies Record<NetworkType, string>

/** What the owners of accounts call the networks. */
export const networkNames: Readonly<Record<NetworkType, string>> = {
  network_a_page: 'Facebook',
  network_b_business: 'Instagram',
  network_c_channel: 'YouTube',
  network_d_account: 'X',
  network_e_account: 'Threads',
}

const day = 86_400

/** A place of a network's API. `{v}` in a path is SOCIAL_GRAPH_VERSION. */
type At = { host: string; path: string }
/** Trades a token for a longer one, by a GET: with `refreshable` the new one again, when it grows old. */
type Trade = At & { grant_type: string; token: string }

type Network = {
  authorize: At & { more?: Record<string, string> }
  exchange: At
  scopes: readonly string[]
  /** Between scopes in the address of the consent page. */
  separator: ',' | ' '
  /** RFC 7636, which the others do not know. */
  pkce: boolean
  /** The client authenticates by HTTP Basic instead of by fields of the body. */
  basic?: true
  /** After the exchange: the token of an hour for one of 60 days. */
  extend?: Trade
  /** `token`: the refresh token is sent to the place of the exchange. A trade: the access token for a new one. Without: access tokens do not expire. */
  refresh?: 'token' | Trade
  /** Seconds before the end of an access token in which it is renewed. */
  ahead_s: number
  /** Where a token is revoked. The others have no such place: their users remove an app in the settings of their account. */
  revoke?: At & { method: 'POST' | 'DELETE' }
  /** A revocation ends every token of the app for this account, also those of other connections. */
  revokes_all?: true
  /** Seconds after which the account's owner has to consent again. */
  consent_s?: number
}

export const networks: Readonly<Record<NetworkType, Network>> = {
  network_a_page: {
    authorize: { host: 'www.facebook.com', path: '/{v}/dialog/oauth' },
    exchange: { host: 'graph.facebook.com', path: '/{v}/oauth/access_token' },
    scopes: [
      'pages_show_list',
      'pages_manage_posts',
      'pages_read_engagement',
      'pages_read_user_content',
      'pages_manage_engagement',
      'read_insights',
    ],
    separator: ',',
    pkce: false,
    extend: {
      host: 'graph.facebook.com',
      path: '/{v}/oauth/access_token',
      grant_type: 'fb_exchange_token',
      token: 'fb_exchange_token',
    },
    ahead_s: 0,
    revoke: { host: 'graph.facebook.com', path: '/{v}/me/permissions', method: 'DELETE' },
    revokes_all: true,
    consent_s: 90 * day,
  },
  network_b_business: {
    authorize: { host: 'www.instagram.com', path: '/oauth/authorize' },
    exchange: { host: 'api.instagram.com', path: '/oauth/access_token' },
    scopes: [
      'instagram_business_basic',
      'instagram_business_content_publish',
      'instagram_business_manage_comments',
      'instagram_business_manage_insights',
    ],
    separator: ',',
    pkce: false,
    extend: {
      host: 'graph.instagram.com',
      path: '/access_token',
      grant_type: 'ig_exchange_token',
      token: 'access_token',
    },
    refresh: {
      host: 'graph.instagram.com',
      path: '/refresh_access_token',
      grant_type: 'ig_refresh_token',
      token: 'access_token',
    },
    ahead_s: 10 * day,
  },
  network_c_channel: {
    authorize: {
      host: 'accounts.google.com',
      path: '/o/oauth2/v2/auth',
      more: { access_type: 'offline', prompt: 'consent' },
    },
    exchange: { host: 'oauth2.googleapis.com', path: '/token' },
    scopes: ['https://www.googleapis.com/auth/youtube.upload', 'https://www.googleapis.com/auth/youtube.force-ssl'],
    separator: ' ',
    pkce: true,
    refresh: 'token',
    ahead_s: 120,
    revoke: { host: 'oauth2.googleapis.com', path: '/revoke', method: 'POST' },
    revokes_all: true,
  },
  network_d_account: {
    authorize: { host: 'x.com', path: '/i/oauth2/authorize' },
    exchange: { host: 'api.x.com', path: '/2/oauth2/token' },
    scopes: ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'],
    separator: ' ',
    pkce: true,
    basic: true,
    refresh: 'token',
    ahead_s: 120,
    revoke: { host: 'api.x.com', path: '/2/oauth2/revoke', method: 'POST' },
  },
  network_e_account: {
    authorize: { host: 'threads.net', path: '/oauth/authorize' },
    exchange: { host: 'graph.threads.net', path: '/oauth/access_token' },
    scopes: [
      'threads_basic',
      'threads_content_publish',
      'threads_read_replies',
      'threads_manage_replies',
      'threads_manage_insights',
    ],
    separator: ',',
    pkce: false,
    extend: {
      host: 'graph.threads.net',
      path: '/access_token',
      grant_type: 'th_exchange_token',
      token: 'access_token',
    },
    refresh: {
      host: 'graph.threads.net',
      path: '/refresh_access_token',
      grant_type: 'th_refresh_token',
      token: 'access_token',
    },
    ahead_s: 10 * day,
  },
}

/** Graph's code of an access token that does not serve any more. */
const tokenRefused = 190

/** The code of a refusal: RFC 6749's text, or the number of Graph's APIs. */
export function refusalCodeOf(body: unknown): string | null {
  if (body === null || typeof body !== 'object') return null
  const { error, code } = body as { error?: unknown; code?: unknown }
  const found = error !== null && typeof error === 'object' ? (error as { code?: unknown }).code : (error ?? code)
  const text = typeof found === 'number' ? String(found) : found
  return typeof text === 'string' && /^[\w.-]{1,64}$/.test(text) ? text : null
}

/**
 * Whether a refused refresh says that the grant is over: its owner has to consent again. Everything else, such as a wrong secret of our app or a rate limit,
 * leaves the connection as it is. Network d answers a refresh token that it does not know with `invalid_request`.
 */
export function endsGrant(type: NetworkType, status: number, body: unknown): boolean {
  const code = refusalCodeOf(body)
  return (
    code === 'invalid_grant' ||
    code === String(tokenRefused) ||
    (type === 'network_d_account' && status === 400 && code === 'invalid_request')
  )
}
