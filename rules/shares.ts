// The share of task slots that a tenant may use: a fifth of what the other tenants leave. The stores of one account
// together use at most half of what the other accounts leave. The slots of a queue are those of all workers.
//
// This is the dynamic threshold of shared-memory switches (Choudhury and Hahne, 1998): each user leaves a part of what
// it found free, so that a new tenant always finds free slots. Calls are not interrupted to free slots, so shares are
// reserved in advance. The unit is the store, so that a store whose calls hang does not stop the other stores of its
// account; the account's limit bounds what its stores use together.

const PARTS = 5
const PARTS_OF_ACCOUNT = 2

/** Slots in use by other tenants: by those of the same account, and by all others. */
export type Others = { by_account: number; by_others: number }

/** `capacity`: the slots of all workers. At least one if the others leave any. */
export const shareOf = (
  capacity: number,
  { by_account, by_others }: Others = { by_account: 0, by_others: 0 },
): number =>
  Math.max(
    0,
    Math.min(
      Math.ceil((capacity - by_account - by_others) / PARTS),
      Math.ceil((capacity - by_others) / PARTS_OF_ACCOUNT) - by_account,
    ),
  )

/** `shareOf` as an SQL expression of three SQL expressions. */
export const shareSql = (capacity: string, { byAccount, byOthers }: { byAccount: string; byOthers: string }): string =>
  `greatest(0, least(ceil((${capacity} - ${byAccount} - ${byOthers}) / ${PARTS}.0), ceil((${capacity} - ${byOthers}) / ${PARTS_OF_ACCOUNT}.0) - ${byAccount}))::int`

/** `account_id` null: the tenant counts as an account of its own. */
export type Holder = { tenant_id: string; account_id: string | null; held: number; waiting: number }

/**
 * The number of slots for each waiting tenant, at most `most` together. The tenant that uses the fewest slots is served
 * first.
 */
export function grants(capacity: number, holders: readonly Holder[], most = 200): Map<string, number> {
  const accountOf = ({ account_id, tenant_id }: Holder) => account_id ?? tenant_id
  const held = new Map(holders.map((one) => [one.tenant_id, one.held]))
  const heldByAccount = new Map<string, number>()
  const count = (account: string, n: number) => heldByAccount.set(account, (heldByAccount.get(account) ?? 0) + n)
  for (const one of holders) count(accountOf(one), one.held)
  let total = holders.reduce((sum, one) => sum + one.held, 0)
  const granted = new Map<string, number>()
  const open = holders.filter(({ waiting }) => waiting > 0)
  for (let n = 0; n < most; n++) {
    let next: Holder | undefined
    for (const one of open) {
      const own = held.get(one.tenant_id) ?? 0
      const account = heldByAccount.get(accountOf(one)) ?? 0
      if ((granted.get(one.tenant_id) ?? 0) >= one.waiting) continue
      if (own >= shareOf(capacity, { by_account: account - own, by_others: total - account })) continue
      if (!next || own < (held.get(next.tenant_id) ?? 0)) next = one
    }
    if (!next) break
    held.set(next.tenant_id, (held.get(next.tenant_id) ?? 0) + 1)
    granted.set(next.tenant_id, (granted.get(next.tenant_id) ?? 0) + 1)
    count(accountOf(next), 1)
    total++
  }
  return granted
}
