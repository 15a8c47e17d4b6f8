// Limits failed credentials, secrets and signatures of a network in this process, without refusing those that were
// valid lately.
import { hash } from 'node:crypto'
import { config } from '../../config.ts'
import { Refusal } from '../../rules/refusal.ts'
import { Buckets } from './buckets.ts'
import { networkOf } from './networks.ts'
import { tooMany } from './rate.ts'

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

/**
 * A failed credential counts for its network. `within`: apart from others of the network, as storefronts of many
 * tenants are rendered on the same servers.
 */
const bucketOf = (ip: string, within: string) => `${networkOf(ip)} ${within}`

/**
 * Refuses a credential before it is looked up, if too many of its network have failed. One that was valid here lately
 * is not refused: others of the network may have sent those that failed. 429 too_many_requests.
 */
export function refuseFailing(credential: string | null, ip: string, within = ''): void {
  if (!wasValid(credential) && !hasRoom(bucketOf(ip, within))) throw tooManyFailures()
}

/**
 * Runs the look-up of a credential, and counts it for its network if it fails, by what `isFailure` finds. After a 401
 * that is no failure, the credential was found.
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
/**
 * A target that does not exist costs the read of one index. Services that send for many tenants share networks, so that
 * more are taken than of credentials.
 */
const unknownTimes = 20

/**
 * Limits what services send to the paths of many tenants: events, updates of bots, mails, triggers. `target` is the id
 * or the secret of the path. Failures are counted by network and target, and targets that do not exist in a bucket of
 * their own: those of one tenant do not keep the requests of another from being taken. 429 too_many_requests.
 */
export function refuseTarget(target: string, ip: string): void {
  const network = networkOf(ip)
  const here = `${target} ${network}`
  if (targets.reached.has(here)) return
  if (!hasRoom(`target ${here}`) || (!targets.found.has(target) && !hasRoom(`unknown ${network}`, unknownTimes)))
    throw tooManyFailures()
}

/**
 * Runs the look-up of a target and the proof of its sender, and counts a refusal for which `isFailure` is true. `find`
 * calls `found` when the target exists.
 */
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
