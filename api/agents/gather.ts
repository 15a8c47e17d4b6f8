// Reads that many requests repeat while they wait, as one statement for all of them: two hundred visitors who wait for
// a model cost what a few do.
//   const outcomeOf = gathered((em, keys: { tenant_id: string; id: string }[]) => outcomesOf(em, keys))
//   await outcomeOf(em, { tenant_id, id })
import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'

/** Up to so many reads in a second are made at once, each for itself. */
const fewPerS = 40
/** How long a read waits for others, if there are more. */
const windowMs = 40

/** `read` returns the values in the order of the keys; all wait for it, and get its error. */
export function gathered<K, V>(
  read: (em: EntityManager, keys: readonly K[]) => Promise<readonly V[]>,
): (em: EntityManager, key: K) => Promise<V> {
  let open: { keys: K[]; values: Promise<readonly V[]> } | null = null
  let [since, before, now] = [0, 0, 0]
  /** By the last second and this one. */
  function areMany(): boolean {
    const at = performance.now()
    if (at - since > 1_000) [since, before, now] = [at, at - since > 2_000 ? 0 : now, 0]
    now++
    return Math.max(before, now) > fewPerS
  }
  async function readLater(em: EntityManager, keys: readonly K[]): Promise<readonly V[]> {
    await pause(windowMs)
    open = null
    return read(em, keys)
  }
  return async (em, key) => {
    const isMany = areMany()
    if (!isMany) return (await read(em, [key]))[0] as V
    if (!open) {
      const keys: K[] = []
      open = { keys, values: readLater(em, keys) }
    }
    const at = open.keys.push(key) - 1
    return (await open.values)[at] as V
  }
}
