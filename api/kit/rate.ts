// Rate limits, answered with 429 and Retry-After: per process for calls of visitors, in PostgreSQL for limits that must hold across processes.
//   await limit(em, `code:${email}`, { most: 5, windowS: 900 }, now)
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { type Counted, countInWindow } from '../../entities/accounts/rate-windows.ts'
import { Refusal } from '../../rules/refusal.ts'

export const tooMany = (retryAfterS: number) =>
  new Refusal(429, 'too_many_requests', 'Too many requests. Repeat the request after the number of seconds in `Retry-After`.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))) },
  })

/** Counts one request in a window that all processes share, in the caller's transaction. 429 too_many_requests for more than `most`. */
export async function limit(em: EntityManager, key: string, { most, windowS }: { most: number; windowS: number }, now: number): Promise<void> {
  refuseAbove(most, await countInWindow(em, key, windowS, now), now)
}

/** 429 too_many_requests for more than `most`. */
export function refuseAbove(most: number, { count, ends_at }: Counted, now: number): void {
  if (count > most) throw tooMany(ends_at - now)
}

/** The network that requests are counted for: an IPv4 address, or the /64 of an IPv6 address, as one client has 2^64 of those. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(ip)?.[1]
  if (mapped) return mapped
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0')
  return [...groups, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** Stores and businesses cost nothing, and each has limits of its own. 429 too_many_requests. */
export const limitTenants = (em: EntityManager, accountId: string, now: number): Promise<void> =>
  limit(em, `tenants:${accountId}`, { most: config.rate.tenantsPerAccount, windowS: 86_400 }, now)

/** Each of these changes is a request to the payment provider. 429 too_many_requests. */
export const limitMemberChanges = (em: EntityManager, memberId: string, now: number): Promise<void> =>
  limit(em, `member:${memberId}`, { most: 30, windowS: 900 }, now)

const buckets = new Map<string, { left: number; at: number }>()
let sweptAt = 0

/** Token bucket per key in this process, with a burst of one second. 429 too_many_requests. */
export function throttle(key: string, perS: number): void {
  const at = performance.now()
  const bucket = buckets.get(key) ?? { left: perS, at }
  bucket.left = Math.min(perS, bucket.left + ((at - bucket.at) / 1000) * perS)
  bucket.at = at
  if (bucket.left < 1) throw tooMany(1)
  bucket.left -= 1
  buckets.set(key, bucket)
  // Swept once a second at most: with many active callers nothing could be evicted, and every request would scan all buckets.
  if (buckets.size < 50_000 || at - sweptAt < 1_000) return
  sweptAt = at
  for (const [old, { at: seen }] of buckets) if (at - seen > 2_000) buckets.delete(old)
}
