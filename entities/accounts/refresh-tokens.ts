// A refresh token names its session and the rotation that issued it, and carries a MAC: only a genuine one of an
// earlier rotation revokes the session.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { config } from '../../config.ts'
import { randomOf } from '../kit/random.ts'

/** Keys for this purpose, derived from each key of SECRETS_KEY: a token stays genuine during a rotation of the keys. */
const keysOfTokens = (): Buffer[] =>
  config.secretsKeys.map((key) => createHmac('sha256', key).update('refresh tokens').digest())
const macUnder = (key: Buffer, body: string): Buffer => createHmac('sha256', key).update(body).digest().subarray(0, 16)

export function newRefreshToken(sessionId: string, generation: number): string {
  const body = `till_rt_${randomOf(32).toString('base64url')}.${sessionId.replaceAll('-', '')}.${generation}`
  return `${body}.${macUnder(keysOfTokens()[0] as Buffer, body).toString('base64url')}`
}

/**
 * `generation`: of a genuine token; null for one of version 0.2.0, which has no MAC, and for one whose MAC is of no
 * present key: its digest decides alone.
 */
export type ReadToken = { session_id: string; generation: number | null }

/** Reads a refresh token. Null for a text that is no refresh token. */
export function readRefreshToken(token: string): ReadToken | null {
  const [, body, session, generation, mac] =
    /^([\w-]{40,60}\.([0-9a-f]{32})(?:\.(\d{1,9}))?)(?:\.([\w-]{22}))?$/.exec(token) ?? []
  if (!body || !session || (generation === undefined) !== (mac === undefined)) return null
  const session_id = session.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  if (mac === undefined) return { session_id, generation: null }
  const given = Buffer.from(mac, 'base64url')
  const isGenuine = keysOfTokens().some((key) => timingSafeEqual(macUnder(key, body), given))
  return { session_id, generation: isGenuine ? Number(generation) : null }
}
