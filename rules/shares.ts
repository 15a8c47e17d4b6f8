// How many task slots a tenant may hold while others need some: a fifth of what the other tenants leave. The slots of a queue are shared by all workers.
//
// This is the dynamic threshold of shared-memory switches (Choudhury and Hahne, 1998): each holder leaves four fifths of what it found, so that a newcomer
// always finds free slots, in whatever order the others came. No call is interrupted to make room, so a share must be kept before it is needed.

const PARTS = 5

/** `capacity`: the slots of all workers. With any slot left by the others, at least one. */
export const shareOf = (capacity: number, heldByOthers: number): number => Math.max(0, Math.ceil((capacity - heldByOthers) / PARTS))

/** The same as an expression of SQL over two other ones. */
export const shareSql = (capacity: string, heldByOthers: string): string => `greatest(0, ceil((${capacity} - ${heldByOthers}) / ${PARTS}.0))::int`

export type Holder = { tenant_id: string; held: number; waiting: number }

/** How many slots each waiting tenant gets now, at most `most` together: the tenant that holds least is served first. */
export function grants(capacity: number, holders: readonly Holder[], most = 200): Map<string, number> {
  const held = new Map(holders.map((one) => [one.tenant_id, one.held]))
  let total = holders.reduce((sum, one) => sum + one.held, 0)
  const granted = new Map<string, number>()
  const open = holders.filter(({ waiting }) => waiting > 0)
  for (let n = 0; n < most; n++) {
    let next: Holder | undefined
    for (const one of open) {
      const own = held.get(one.tenant_id) ?? 0
      if ((granted.get(one.tenant_id) ?? 0) >= one.waiting || own >= shareOf(capacity, total - own)) continue
      if (!next || own < (held.get(next.tenant_id) ?? 0)) next = one
    }
    if (!next) break
    held.set(next.tenant_id, (held.get(next.tenant_id) ?? 0) + 1)
    granted.set(next.tenant_id, (granted.get(next.tenant_id) ?? 0) + 1)
    total++
  }
  return granted
}
