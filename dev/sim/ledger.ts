// The ledger: every mutating request that arrived, and what it did. A second send or a second effect shows here.
import { createHash } from 'node:crypto'
import { part } from './journal.ts'

/**
 * `time` in Unix seconds with fractions; `digest` of the body's bytes; `times` counts arrivals of the key; `status`
 * null: no response.
 */
export type Entry = {
  id: number
  time: number
  request: string
  method: string
  path: string
  account: string | null
  key: string | null
  metadata: object
  digest: string | null
  times: number
  effect: boolean
  replayed: boolean
  fault: string | null
  status: number | null
}

const entries: Entry[] = []
const arrivals = new Map<string, number>()

const keyOf = (account: string | null, key: string) => `${account ?? ''} ${key}`

const journal = part<Entry>('ledger', (entry) => {
  entries[entry.id] = entry
  if (entry.key) arrivals.set(keyOf(entry.account, entry.key), entry.times)
})

const digestOf = (body: string) => createHash('sha256').update(body).digest('hex')

type Arrived = {
  request: string
  method: string
  path: string
  account: string
  key: string | null
  body: string | null
}

export function arrived(call: Arrived, metadata: object = {}): Entry {
  const { request, method, path, key, body } = call
  const account = call.account || null
  const times = key ? (arrivals.get(keyOf(account, key)) ?? 0) + 1 : 1
  if (key) arrivals.set(keyOf(account, key), times)
  const entry: Entry = {
    id: entries.length,
    time: Date.now() / 1000,
    request,
    method,
    path,
    account,
    key,
    metadata,
    digest: body === null ? null : digestOf(body),
    times,
    effect: false,
    replayed: false,
    fault: null,
    status: null,
  }
  entries.push(entry)
  return entry
}

/** Written before the response, and again when more is known. The last line of an id counts. */
export const record = (entry: Entry) => journal(entry)

export function ledger(filter: {
  key?: string | undefined
  account?: string | undefined
  path?: string | undefined
  effect?: string | undefined
}): Entry[] {
  return entries.filter(
    (entry) =>
      (filter.key === undefined || entry.key === filter.key) &&
      (filter.account === undefined || (entry.account ?? '') === filter.account) &&
      (filter.path === undefined || entry.path.startsWith(filter.path)) &&
      (filter.effect === undefined || String(entry.effect) === filter.effect),
  )
}
