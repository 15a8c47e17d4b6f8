// Places of a process for work that holds a slot of a queue for long: `count` in all, `each` of one tenant, and
// `eachAccount` of all tenants of one account.
import type { Owner } from '../../rules/fair-queue.ts'

/** `enter` returns a function that leaves the place, or null if there is none for the tenant now. */
export function newPlaces(count: number, each: number, eachAccount: number) {
  let occupied = 0
  const placesOf = new Map<string, number>()
  const of = (key: string) => placesOf.get(key) ?? 0
  const change = (key: string, by: number) => {
    const places = of(key) + by
    if (places > 0) placesOf.set(key, places)
    else placesOf.delete(key)
  }
  return {
    enter({ account, tenant }: Owner): (() => void) | null {
      const keys = [`account ${account}`, `tenant ${tenant}`] as const
      if (occupied >= count || of(keys[0]) >= eachAccount || of(keys[1]) >= each) return null
      occupied++
      for (const key of keys) change(key, 1)
      return () => {
        occupied--
        for (const key of keys) change(key, -1)
      }
    },
  }
}
