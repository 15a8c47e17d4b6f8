// The ledger of a simulator: the requests that arrived, and what they did. A second send or a second effect shows here.
import { createHash } from 'node:crypto'
import { part } from './journal.ts'

/** `time` in Unix seconds with fractions; `digest` of the request; `status` null: no response. */
export type Arrival = {
  id: number
  time: number
  method: string
  path: string
  digest: string | null
  effect: boolean
  fault: string | null
  status: number | null
}

export function digestOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const one of parts) hash.update(one)
  return hash.digest('hex')
}

/**
 * A ledger whose entries have members of the simulator's own. `restored` is called for each entry that the journal has.
 */
export function openLedger<Own extends object>(restored?: (entry: Arrival & Own) => void) {
  const entries: (Arrival & Own)[] = []
  const write = part<Arrival & Own>('ledger', (entry) => {
    entries[entry.id] = entry
    restored?.(entry)
  })
  return {
    arrived(request: Pick<Arrival, 'method' | 'path' | 'digest'>, own: Own): Arrival & Own {
      const more = { effect: false, fault: null, status: null }
      const entry = { id: entries.length, time: Date.now() / 1000, ...request, ...own, ...more }
      entries.push(entry)
      return entry
    },
    /** Written before the response, and again when more is known. The last line of an id counts. */
    record: (entry: Arrival & Own): void => write({ ...entry }),
    entries: (isMeant: (entry: Arrival & Own) => boolean): (Arrival & Own)[] => entries.filter(isMeant),
  }
}
