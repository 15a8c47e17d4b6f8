// Looks at rows once more before they are sent, for the sessions that come within a moment with one statement.
import { setTimeout as pause } from 'node:timers/promises'

const togetherMs = 10

/** `read`: of these ids, those that are still wanted. Rejects for all of them if it does. */
export function newLastLooks(
  read: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): (id: string) => Promise<boolean> {
  let waiting: { ids: string[]; wanted: Promise<ReadonlySet<string>> } | undefined
  return async (id) => {
    if (waiting) waiting.ids.push(id)
    else {
      const ids = [id]
      const look = async () => {
        await pause(togetherMs)
        waiting = undefined
        return read(ids)
      }
      waiting = { ids, wanted: look() }
    }
    return (await waiting.wanted).has(id)
  }
}
