// The ledger of a simulator whose requests have idempotency keys.
import { type Arrival, digestOf, openLedger } from './ledger.ts'

/** `times` counts arrivals of the key. */
type Keyed = {
  request: string
  account: string | null
  key: string | null
  metadata: object
  times: number
  replayed: boolean
}
export type Entry = Arrival & Keyed

const arrivals = new Map<string, number>()
const keyOf = (account: string | null, key: string) => `${account ?? ''} ${key}`

const {
  arrived: add,
  record,
  entries,
} = openLedger<Keyed>(({ account, key, times }) => {
  if (key) arrivals.set(keyOf(account, key), times)
})

export { record }

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
  const digest = body === null ? null : digestOf(body)
  return add({ method, path, digest }, { request, account, key, metadata, times, replayed: false })
}

type Filter = {
  key?: string | undefined
  account?: string | undefined
  path?: string | undefined
  effect?: string | undefined
}
export const ledger = ({ key, account, path, effect }: Filter): Entry[] =>
  entries(
    (entry) =>
      (key === undefined || entry.key === key) &&
      (account === undefined || (entry.account ?? '') === account) &&
      (path === undefined || entry.path.startsWith(path)) &&
      (effect === undefined || String(entry.effect) === effect),
  )
