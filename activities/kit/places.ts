// Places of a process for work that holds a slot of a queue for long: `count` in all, `each` of one tenant, and
// `eachAccount` of all tenants of one account.
import type { Owner } from '../../rules/fair-queue.ts'

/** `enter` returns a function that leaves the place, or null if there is none for the tenant now. */
export function newPlaces(count: number, each: number, eachAccount: number) {
  let taken = 0
  const held = new Map<string, number>()
  const of = (key: string) => held.get(key) ?? 0
  const change = (key: string, by: number) => {
    const left = of(key) + by
    if (left > 0) held.set(key, left)
    else held.delete(key)
  }
  return {
    enter({ account, tenant }: Owner): (() => void) | null {
      const keys = [`account ${account}`, `tenant ${tenant}`] as const
      if (taken >= count || of(keys[0]) >= eachAccount || of(keys[1]) >= each) return null
      taken++
      for (const key of keys) change(key, 1)
      return () => {
        taken--
        for (const key of keys) change(key, -1)
      }
    },
  }
}
