// Rate limits, answered with 429 and Retry-After: per process for calls of visitors, in PostgreSQL for limits that must
// hold across processes.
//   await limit(em, `code:${email}`, { most: 5, windowS: 900 }, now)
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { type Counted, countInWindow } from '../../entities/accounts/rate-windows.ts'
import { digestOfAddress } from '../../entities/mail/mail-limits.ts'
import { Refusal } from '../../rules/refusal.ts'
import { Buckets } from './buckets.ts'

export const tooMany = (retryAfterS: number) =>
  new Refusal(429, 'too_many_requests', 'Too many requests. Wait a little, and repeat the request.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))) },
  })

/**
 * Counts one request in a window that all processes share, in the caller's transaction. 429 too_many_requests for more
 * than `most`.
 */
export async function limit(
  em: EntityManager,
  key: string,
  { most, windowS }: { most: number; windowS: number },
  now: number,
): Promise<void> {
  refuseAbove(most, await countInWindow(em, key, windowS, now), now)
}

/** 429 too_many_requests for more than `most`. */
export function refuseAbove(most: number, { count, ends_at }: Counted, now: number): void {
  if (count > most) throw tooMany(ends_at - now)
}

/**
 * Stores and businesses cost nothing, and each has limits of its own. By address: an account may be deleted and made
 * again. 429 too_many_requests.
 */
export const limitTenants = (em: EntityManager, { email }: { email: string }, now: number): Promise<void> =>
  limit(em, `tenants:${digestOfAddress(email)}`, { most: config.rate.tenantsPerAccount, windowS: 86_400 }, now)

/** Each of these changes is a request to the payment provider. 429 too_many_requests. */
export const limitMemberChanges = (em: EntityManager, memberId: string, now: number): Promise<void> =>
  limit(em, `member:${memberId}`, { most: 30, windowS: 900 }, now)

const calls = new Buckets()

/** Counts a call under the key in this process, with a burst of one second. 429 too_many_requests. */
export function throttle(key: string, perS: number): void {
  if (!calls.take(key, perS, perS)) throw tooMany(1)
}
