// Too many is told as 429 with Retry-After: per process for visitors' calls, in PostgreSQL where a guess must not be repeated elsewhere.
//   await limit(em, `code:${email}`, { most: 5, windowS: 900 }, now)
import type { EntityManager } from '@mikro-orm/postgresql'
import { Refusal } from '../../rules/refusal.ts'

export const tooMany = (retryAfterS: number) =>
  new Refusal(429, 'too_many_requests', 'Too many requests. Try again after the number of seconds in `Retry-After`.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))) },
  })

/** Counts one more within a window that all processes share, in the caller's transaction; throws when there were more than `most`. */
export async function limit(em: EntityManager, key: string, { most, windowS }: { most: number; windowS: number }, now: number): Promise<void> {
  const startedAt = now - (now % windowS)
  const rows: { count: number }[] = await em.execute(
    `insert into rate_windows (key, started_at, count, expires_at) values (?, ?, 1, ?)
     on conflict (key, started_at) do update set count = rate_windows.count + 1 returning count`,
    [key, startedAt, startedAt + windowS],
  )
  if ((rows[0]?.count ?? 0) > most) throw tooMany(startedAt + windowS - now)
}

const buckets = new Map<string, { left: number; at: number }>()
let sweptAt = 0

/** A bucket of one second's worth for each key, in this process. */
export function throttle(key: string, perS: number): void {
  const at = performance.now()
  const bucket = buckets.get(key) ?? { left: perS, at }
  bucket.left = Math.min(perS, bucket.left + ((at - bucket.at) / 1000) * perS)
  bucket.at = at
  if (bucket.left < 1) throw tooMany(1)
  bucket.left -= 1
  buckets.set(key, bucket)
  // At most once a second: with many callers at once none of them is old, and every request would look at all.
  if (buckets.size < 50_000 || at - sweptAt < 1_000) return
  sweptAt = at
  for (const [old, { at: seen }] of buckets) if (at - seen > 2_000) buckets.delete(old)
}
