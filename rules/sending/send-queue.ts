// The messages of one mailbox that wait to be sent, oldest first. Half of the connections at most go to one domain, and
// a domain that defers rests by itself.

type Waiting = { id: string; domain: string; bytes: number }

/** `rest_ms` of a domain's first deferral; it doubles while the domain defers. */
const restMs = { first: 1_000, most: 60_000 }

export function newSendQueue<M extends Waiting>() {
  /** The queues by domain, in the order of the domains' turns. */
  const queues = new Map<string, M[]>()
  const ids = new Set<string>()
  const flying = new Map<string, number>()
  const resting = new Map<string, { until: number; ms: number }>()
  let size = 0
  let bytes = 0

  return {
    /** False for a message that is known: it waits or is being sent. */
    add(message: M): boolean {
      if (ids.has(message.id)) return false
      ids.add(message.id)
      const queue = queues.get(message.domain)
      if (queue) queue.push(message)
      else queues.set(message.domain, [message])
      size++
      bytes += message.bytes
      return true
    },
    /**
     * Up to `count`, the domains in turn, at most `perDomain` of one in flight. They are in flight until `done`. `now`
     * in milliseconds.
     */
    take(count: number, perDomain: number, now: number): M[] {
      const messages: M[] = []
      for (let found = true; found && messages.length < count; ) {
        found = false
        for (const [domain, queue] of [...queues]) {
          if (messages.length === count) break
          const busy = flying.get(domain) ?? 0
          if (busy >= perDomain || (resting.get(domain)?.until ?? 0) > now) continue
          const message = queue.shift() as M
          queues.delete(domain)
          // The domain's next turn comes after all others.
          if (queue.length > 0) queues.set(domain, queue)
          flying.set(domain, busy + 1)
          size--
          bytes -= message.bytes
          messages.push(message)
          found = true
        }
      }
      return messages
    },
    /** A message is no longer in flight. `deferred`: its domain rests. */
    done({ id, domain }: Pick<M, 'id' | 'domain'>, result: 'sent' | 'deferred' | 'other', now: number): void {
      ids.delete(id)
      const busy = (flying.get(domain) ?? 1) - 1
      if (busy > 0) flying.set(domain, busy)
      else flying.delete(domain)
      if (result === 'sent') resting.delete(domain)
      if (result !== 'deferred') return
      const before = resting.get(domain)
      // Those that were in flight together are one deferral.
      if (before && before.until > now) return
      const ms = before ? Math.min(restMs.most, 2 * before.ms) : restMs.first
      resting.set(domain, { until: now + ms, ms })
    },
    /** It waits or is in flight. */
    has: (id: string): boolean => ids.has(id),
    size: () => size,
    bytes: () => bytes,
  }
}
export type SendQueue<M extends Waiting> = ReturnType<typeof newSendQueue<M>>
