// When a token is renewed. A refresh token may serve once only: while it is not known whether it did, the access token
// that is there keeps serving.
import { refusalCodeOf } from '../social/answers.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'

const day = 86_400
/** A refresh token that nothing uses expires after some months: it is used once in this time. */
const idleS = 30 * day
/** Operators learn this long before that a consent ends. */
export const NOTICE_S = 7 * day

export type TokenFacts = {
  type: NetworkType
  /** Unix seconds; null: it does not expire, or the network did not say when. */
  token_expires_at: number | null
  /** When the tokens were got. */
  refreshed_at: number
  has_refresh_token: boolean
}

/**
 * The refreshes that were requested with the tokens of the current version; `last_at`: when the last one was settled.
 */
export type Tried = { open: number; unknown: number; settled: number; last_at: number | null }

export type TokenStep = 'serve' | 'refresh' | 'wait' | 'consent'

/**
 * Pause before another try with tokens that the network may have replaced, or refused to renew for another reason than
 * an ended grant.
 */
const pauseS = (tries: number): number => Math.min(3_600, 15 * 2 ** Math.min(10, tries))

export const isExpired = ({ token_expires_at }: TokenFacts, now: number): boolean =>
  token_expires_at !== null && token_expires_at <= now

const canRefresh = ({ type, has_refresh_token }: TokenFacts, refused: boolean): boolean => {
  const { refresh } = networks[type].oauth
  // A trade needs an access token that still serves.
  return refresh === 'token' ? has_refresh_token : refresh !== undefined && !refused
}

/**
 * Whether a request may follow one whose answer was lost, while the token lives: a refresh token may have been
 * replaced; a trade leaves the access token as it is.
 */
const maySend = (type: NetworkType, { unknown }: Tried): boolean =>
  unknown === 0 || networks[type].oauth.refresh !== 'token'

/** Whether it is so near its end that another one is got, while it still serves. */
const isDue = ({ type, token_expires_at }: TokenFacts, now: number): boolean => {
  const { ahead_s } = networks[type].oauth
  return ahead_s > 0 && token_expires_at !== null && token_expires_at - now < ahead_s
}

/**
 * Whether it serves without a look at its earlier refreshes: unless the network has refused it, `tokenStep` says
 * `serve`.
 */
export const isFresh = (facts: TokenFacts, now: number): boolean => !isExpired(facts, now) && !isDue(facts, now)

/** Whether the timer of a connection requests a refresh. */
export const mayRefreshByTimer = (type: NetworkType, tried: Tried): boolean => tried.open === 0 && maySend(type, tried)

/**
 * What a call does that needs an access token. `refused`: the network has refused the current one. Before that, a lost
 * answer is not followed by another try:
 * the network may have replaced the tokens, and revokes the whole family when a replaced one comes again. After that
 * nothing is left to lose.
 */
export function tokenStep(facts: TokenFacts, tried: Tried, refused: boolean, now: number): TokenStep {
  const dead = refused || isExpired(facts, now)
  if (tried.open > 0) return dead ? 'wait' : 'serve'
  if (!dead)
    return isDue(facts, now) && maySend(facts.type, tried) && canRefresh(facts, false) && rested(tried, now)
      ? 'refresh'
      : 'serve'
  if (!canRefresh(facts, true)) return 'consent'
  // The one try after a lost answer comes at once.
  return (tried.settled === 1 && tried.unknown === 1) || rested(tried, now) ? 'refresh' : 'wait'
}

const rested = ({ settled, last_at }: Tried, now: number): boolean =>
  last_at === null || now - last_at >= pauseS(settled)

/** When the tokens are renewed without a call that needs them; null: never. */
export function refreshAt({ type, token_expires_at, refreshed_at, has_refresh_token }: TokenFacts): number | null {
  const { refresh, ahead_s } = networks[type].oauth
  if (refresh === 'token') return has_refresh_token ? refreshed_at + idleS : null
  return refresh && token_expires_at !== null ? token_expires_at - ahead_s : null
}

export const noticeAt = (reconnectBy: number): number => reconnectBy - NOTICE_S
export const reconnectBy = (type: NetworkType, now: number): number | null => {
  const { consent_s } = networks[type].oauth
  return consent_s === undefined ? null : now + consent_s
}

/** Graph's code of an access token that does not serve any more. */
const tokenRefused = '190'

/**
 * Whether a refused refresh says that the grant is over: its owner has to consent again. Everything else, such as a
 * wrong secret of our app or a rate limit, leaves the connection as it is.
 */
export function endsGrant(type: NetworkType, status: number, body: unknown): boolean {
  const code = refusalCodeOf(body)
  const { ends_grant } = networks[type].oauth
  return (
    code === 'invalid_grant' ||
    code === tokenRefused ||
    (ends_grant !== undefined && status === ends_grant.status && code === ends_grant.code)
  )
}
