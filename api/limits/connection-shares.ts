// Shares of the connections to PostgreSQL: the requests of one tenant, which may all wait for the lock of one row,
// leave connections for those of others.
import { config } from '../../config.ts'
import { unavailable } from '../../rules/refusal.ts'

/** The most milliseconds that a request waits for a connection of its share; it holds none meanwhile. */
const waitMs = 10_000

const busy = () => unavailable('database_unavailable', 'Too many requests are running at once. Repeat the request.')

/**
 * `count` connections: the requests of a share use at most half of those that the other shares leave free, and one at
 * least.
 */
export function newShares(count: () => number, limitMs = waitMs) {
  let occupied = 0
  const used = new Map<string, number>()
  /** Requests that wait, the first one first, by share. */
  const waiting = new Map<string, Set<() => void>>()
  const usedBy = (share: string) => used.get(share) ?? 0
  const hasRoom = (share: string) => {
    const own = usedBy(share)
    return own < Math.max(1, Math.ceil((count() - (occupied - own)) / 2))
  }
  const change = (share: string, by: number) => {
    occupied += by
    const now = usedBy(share) + by
    if (now > 0) used.set(share, now)
    else used.delete(share)
  }
  const admitFirst = (share: string) => {
    const begin = hasRoom(share) ? waiting.get(share)?.values().next().value : undefined
    begin?.()
    return begin !== undefined
  }
  function leave(share: string): void {
    change(share, -1)
    // Its own first, then those of the others, whose shares have grown.
    for (const one of [share, ...waiting.keys()]) while (admitFirst(one));
  }
  const enter = (share: string): Promise<void> =>
    new Promise((begin, refuse) => {
      const queue = waiting.get(share) ?? new Set()
      waiting.set(share, queue)
      const end = () => {
        clearTimeout(timer)
        queue.delete(admit)
        if (queue.size === 0) waiting.delete(share)
      }
      const admit = () => {
        end()
        change(share, 1)
        begin()
      }
      const timer = setTimeout(() => {
        end()
        refuse(busy())
      }, limitMs)
      queue.add(admit)
    })

  /** Runs `work` when the share has a connection for it. 503 database_unavailable. */
  return async <T>(share: string, work: () => Promise<T>): Promise<T> => {
    if (hasRoom(share)) change(share, 1)
    else await enter(share)
    try {
      return await work()
    } finally {
      leave(share)
    }
  }
}

export const inShare = newShares(() => config.databasePool)
