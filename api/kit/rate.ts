// Rate limits, answered with 429 and Retry-After: per process for calls of visitors, in PostgreSQL for limits that must hold across processes.
//   await limit(em, `code:${email}`, { most: 5, windowS: 900 }, now)
import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { type Counted, countInWindow } from '../../entities/accounts/rate-windows.ts'
import { digestOfAddress } from '../../entities/mail/mail-limits.ts'
import { Refusal } from '../../rules/refusal.ts'

export const tooMany = (retryAfterS: number) =>
  new Refusal(
    429,
    'too_many_requests',
    'Too many requests. Repeat the request after the number of seconds in `Retry-After`.',
    {
      headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))) },
    },
  )

/** Counts one request in a window that all processes share, in the caller's transaction. 429 too_many_requests for more than `most`. */
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

/** The groups of four digits of an IPv6 address. */
function groupsOf(ip: string): string[] {
  // The last four bytes may be written as an IPv4 address.
  const plain = ip.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail] = plain.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0')
  return [...groups, ...after].map((group) => Number.parseInt(group, 16).toString(16))
}

/** The address without what proxies write around it: brackets, a port, a zone. Text that is no address is returned as it is. */
function addressOf(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text
  return bare.replace(/%.*$/, '')
}

function prefixOf(text: string, length: number): string {
  const ip = addressOf(text)
  if (isIP(ip) !== 6) return ip
  const groups = groupsOf(ip)
  // An IPv4 address in the form of IPv6, `::ffff:192.0.2.7` or `::ffff:c000:207`.
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff')
    return groups
      .slice(6)
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
      .join('.')
  return groups.slice(0, length).join(':')
}

/** The network that requests are counted for: an IPv4 address, or the /64 of an IPv6 address, as one client has 2^64 of those. */
export const networkOf = (ip: string): string => prefixOf(ip, 4)

/** The network that may hold bytes: the /48 of an IPv6 address, as a customer of a provider has up to 2^16 networks. */
export const siteOf = (ip: string): string => prefixOf(ip, 3)

/** Stores and businesses cost nothing, and each has limits of its own. By address: an account may be deleted and made again. 429 too_many_requests. */
export const limitTenants = (em: EntityManager, { email }: { email: string }, now: number): Promise<void> =>
  limit(em, `tenants:${digestOfAddress(email)}`, { most: config.rate.tenantsPerAccount, windowS: 86_400 }, now)

/** Each of these changes is a request to the payment provider. 429 too_many_requests. */
export const limitMemberChanges = (em: EntityManager, memberId: string, now: number): Promise<void> =>
  limit(em, `member:${memberId}`, { most: 30, windowS: 900 }, now)

/** Buckets of tokens by key: each is filled at `perS` a second up to `burst`. */
class Buckets {
  readonly #buckets = new Map<string, { left: number; at: number; fullAt: number }>()
  #sweptAt = 0

  #bucket(key: string, perS: number, burst: number, at: number): { left: number; at: number; fullAt: number } {
    const bucket = this.#buckets.get(key) ?? { left: burst, at, fullAt: at }
    bucket.left = Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perS)
    bucket.at = at
    return bucket
  }

  /** Whether the bucket has a token, which is not taken. */
  has(key: string, perS: number, burst: number): boolean {
    return !this.#buckets.has(key) || this.#bucket(key, perS, burst, performance.now()).left >= 1
  }

  /** Takes a token. False if there is none. */
  take(key: string, perS: number, burst: number): boolean {
    const at = performance.now()
    const bucket = this.#bucket(key, perS, burst, at)
    const isThere = bucket.left >= 1
    if (isThere) bucket.left -= 1
    bucket.fullAt = at + ((burst - bucket.left) / perS) * 1000
    this.#buckets.set(key, bucket)
    this.#sweep(at)
    return isThere
  }

  /** Full buckets are forgotten, once a second at most: with many active callers nothing could be evicted, and every request would scan all buckets. */
  #sweep(at: number): void {
    if (this.#buckets.size < 50_000 || at - this.#sweptAt < 1_000) return
    this.#sweptAt = at
    for (const [old, { fullAt }] of this.#buckets) if (fullAt < at) this.#buckets.delete(old)
  }
}

const calls = new Buckets()

/** Counts a call under the key in this process, with a burst of one second. 429 too_many_requests. */
export function throttle(key: string, perS: number): void {
  if (!calls.take(key, perS, perS)) throw tooMany(1)
}

const failures = new Buckets()
const validForMs = 10 * 60_000

/** What was valid in this process in the last minutes, by digest; the oldest are forgotten first. */
class Remembered {
  readonly #at = new Map<string, number>()

  has(name: string): boolean {
    return performance.now() - (this.#at.get(hash('sha256', name)) ?? Number.NEGATIVE_INFINITY) < validForMs
  }

  add(name: string): void {
    const key = hash('sha256', name)
    this.#at.delete(key)
    this.#at.set(key, performance.now())
    if (this.#at.size > 50_000) this.#at.delete(this.#at.keys().next().value as string)
  }

  delete(name: string): void {
    this.#at.delete(hash('sha256', name))
  }
}

/** Whether a failure may be counted in the bucket; `times` as many as of one network. */
const hasRoom = (bucket: string, times = 1): boolean =>
  failures.has(bucket, (times * config.rate.failuresPerMinute) / 60, times * config.rate.failuresPerMinute)
const countFailure = (bucket: string, times = 1): boolean =>
  failures.take(bucket, (times * config.rate.failuresPerMinute) / 60, times * config.rate.failuresPerMinute)
const tooManyFailures = () => tooMany(60 / config.rate.failuresPerMinute)

const credentials = new Remembered()

/** Whether the credential was valid in this process in the last minutes. */
export const wasValid = (credential: string | null): boolean => credential !== null && credentials.has(credential)

/** A failed credential counts for its network. `within`: apart from others of the network, as storefronts of many tenants are rendered on the same servers. */
const bucketOf = (ip: string, within: string) => `${networkOf(ip)} ${within}`

/**
 * Refuses a credential before it is looked up, if too many of its network have failed. One that was valid here lately is not refused: others of the network may
 * have sent those that failed. 429 too_many_requests.
 */
export function refuseFailing(credential: string | null, ip: string, within = ''): void {
  if (!wasValid(credential) && !hasRoom(bucketOf(ip, within))) throw tooManyFailures()
}

/**
 * Runs the look-up of a credential, and counts it for its network if it fails, by what `isFailure` finds. After a 401 that is no failure, the credential was found.
 */
export async function countingFailures<T>(
  credential: string,
  ip: string,
  work: () => Promise<T>,
  {
    within = '',
    isFailure = ({ status }) => status === 401,
  }: { within?: string; isFailure?: (refusal: Refusal) => boolean } = {},
): Promise<T> {
  try {
    const result = await work()
    credentials.add(credential)
    return result
  } catch (error) {
    if (error instanceof Refusal && isFailure(error)) {
      credentials.delete(credential)
      countFailure(bucketOf(ip, within))
    } else if (error instanceof Refusal && error.status === 401) credentials.add(credential)
    throw error
  }
}

/** Targets that were found, and those that a network reached with a valid proof. */
const targets = { found: new Remembered(), reached: new Remembered() }
/** A target that does not exist costs the read of one index. Services that send for many tenants share networks, so that more are taken than of credentials. */
const unknownTimes = 20

/**
 * Limits what services send to the paths of many tenants: events, updates of bots, mails, triggers. `target` is the id or the secret of the path. Failures are counted
 * by network and target, and targets that do not exist in a bucket of their own: those of one tenant do not keep the requests of another from being taken. 429
 * too_many_requests.
 */
export function refuseTarget(target: string, ip: string): void {
  const network = networkOf(ip)
  const here = `${target} ${network}`
  if (targets.reached.has(here)) return
  if (!hasRoom(`target ${here}`) || (!targets.found.has(target) && !hasRoom(`unknown ${network}`, unknownTimes)))
    throw tooManyFailures()
}

/** Runs the look-up of a target and the proof of its sender, and counts a refusal for which `isFailure` is true. `find` calls `found` when the target exists. */
export async function countingTarget<T>(
  target: string,
  ip: string,
  find: (found: () => void) => Promise<T>,
  isFailure: (refusal: Refusal) => boolean,
): Promise<T> {
  const network = networkOf(ip)
  let isFound = false
  const found = () => {
    isFound = true
    targets.found.add(target)
  }
  try {
    const result = await find(found)
    found()
    targets.reached.add(`${target} ${network}`)
    return result
  } catch (error) {
    if (error instanceof Refusal && isFailure(error)) {
      countFailure(`target ${target} ${network}`)
      if (!isFound) countFailure(`unknown ${network}`, unknownTimes)
    }
    throw error
  }
}

/** A secret of a path is the target and its proof. */
export const countingSecret = <T>(secret: string, ip: string, find: () => Promise<T>): Promise<T> =>
  countingTarget(secret, ip, find, ({ status }) => status === 404)
