// A sign-in code can be guessed five times in all and used once, whatever runs at the same time; only a keyed digest of it is kept.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import type { Audience } from '../../rules/accounts/challenges.ts'
import { newId } from '../kit/ids.ts'
import { sql } from '../kit/sql.ts'
import { Challenge } from './challenge.ts'

/** Who asks: a code is good only where it was asked for. */
export type Asker = { audience: Audience; tenant_id: string | null; contact_session_id: string | null }

const lifetimeS = 600

/** A key of its own for this purpose, from each of SECRETS_KEY: a code outlives a rotation. */
const keysOfCodes = (): Buffer[] => config.secretsKeys.map((key) => createHmac('sha256', key).update('sign-in codes').digest())
const digestUnder = (key: Buffer, id: string, code: string): Buffer => createHmac('sha256', key).update(`${id}:${code}`).digest()

export type Issued = { challenge_id: string; code: string; expires_at: number }

export function issueCode(em: EntityManager, asker: Asker, email: string, now: number): Issued {
  const id = newId()
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const expires_at = now + lifetimeS
  const code_digest = digestUnder(keysOfCodes()[0] as Buffer, id, code).toString('hex')
  em.create(Challenge, { id, created_at: now, updated_at: now, ...asker, email, code_digest, tries: 0, expires_at, consumed_at: null })
  return { challenge_id: id, code, expires_at }
}

/** Counts one try and says whether it was right; null if the code is used, too old, tried too often, or somebody else's. Holds the row until the commit. */
export async function tryCode(
  em: EntityManager,
  asker: Asker,
  id: string,
  code: string,
  now: number,
): Promise<{ email: string; right: boolean; tries_left: number } | null> {
  const rows: { email: string; code_digest: string; tries: number }[] = await em.execute(
    sql`update challenges set tries = tries + 1, updated_at = ${now}
     where id = ${id} and audience = ${asker.audience} and tenant_id is not distinct from ${asker.tenant_id} and contact_session_id is not distinct from ${asker.contact_session_id}
       and consumed_at is null and expires_at > ${now} and tries < 5
     returning email, code_digest, tries`,
  )
  const found = rows[0]
  if (!found) return null
  const kept = Buffer.from(found.code_digest, 'hex')
  const right = keysOfCodes().some((key) => timingSafeEqual(digestUnder(key, id, code), kept))
  return { email: found.email, right, tries_left: 5 - found.tries }
}

/** Whoever proved the address is its owner: what was guessed wrong before counts no longer. */
export async function consumeCode(em: EntityManager, id: string, triesKey: string, now: number): Promise<void> {
  await em.execute(sql`update challenges set consumed_at = ${now}, updated_at = ${now} where id = ${id}`)
  await em.execute(sql`delete from rate_windows where key = ${triesKey}`)
}
