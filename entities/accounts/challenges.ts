// A sign-in code allows five attempts and is used once, also under concurrent requests. Only a keyed digest of it is
// stored.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import type { Audience } from '../../rules/accounts/challenges.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { Challenge } from './challenge.ts'

/** Who requested a code: it is valid for them only. */
export type Asker = { audience: Audience; tenant_id: string | null; contact_session_id: string | null }

const lifetimeS = 600

/** Keys for this purpose, derived from each key of SECRETS_KEY: a code stays valid during a rotation. */
const keysOfCodes = (): Buffer[] =>
  config.secretsKeys.map((key) => createHmac('sha256', key).update('sign-in codes').digest())
const digestUnder = (key: Buffer, id: string, code: string): Buffer =>
  createHmac('sha256', key).update(`${id}:${code}`).digest()

const isCode = (id: string, code: string, digest: string): boolean => {
  const kept = Buffer.from(digest, 'hex')
  return keysOfCodes().some((key) => timingSafeEqual(digestUnder(key, id, code), kept))
}

export type Issued = { challenge_id: string; code: string; expires_at: number }

export function issueCode(em: EntityManager, asker: Asker, email: string, now: number): Issued {
  const id = newId()
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const expires_at = now + lifetimeS
  const code_digest = digestUnder(keysOfCodes()[0] as Buffer, id, code).toString('hex')
  em.create(Challenge, {
    id,
    created_at: now,
    updated_at: now,
    ...asker,
    email,
    code_digest,
    tries: 0,
    expires_at,
    consumed_at: null,
  })
  return { challenge_id: id, code, expires_at }
}

/**
 * Counts one attempt and checks the code; null if it is used, expired, out of attempts, or another requester's. Locks
 * the row until the commit.
 */
export async function tryCode(
  em: EntityManager,
  asker: Asker,
  id: string,
  code: string,
  now: number,
): Promise<{ email: string; right: boolean; tries_left: number } | null> {
  const rows: { email: string; code_digest: string; tries: number }[] = await em.execute(sql`
    update challenges
    set tries = tries + 1, updated_at = ${now}
    where id = ${id}
      and audience = ${asker.audience}
      and tenant_id is not distinct from ${asker.tenant_id}
      and contact_session_id is not distinct from ${asker.contact_session_id}
      and consumed_at is null
      and expires_at > ${now}
      and tries < 5
    returning email, code_digest, tries
  `)
  const found = rows[0]
  if (!found) return null
  return { email: found.email, right: isCode(id, code, found.code_digest), tries_left: 5 - found.tries }
}

/** Marks the code as used and forgets the failed attempts of the address. */
export async function consumeCode(em: EntityManager, id: string, triesKey: string, now: number): Promise<void> {
  await em.execute(sql`update challenges set consumed_at = ${now}, updated_at = ${now} where id = ${id}`)
  await em.execute(sql`delete from rate_windows where key = ${triesKey}`)
}
