// A measured path: the requests of each client, the floor of its rate, and its targets.
import type { Stack } from '../../dev/stack.ts'
import type { Shop } from './shop.ts'
import type { BenchWorker } from './worker.ts'

export type Ask = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  body?: string
  /** The response names a workflow by its row, and the request ends when that workflow is closed. */
  over?: 'execution'
  /**
   * Ids, dates and long numbers of this request. A replay of its statements replaces them with those of another
   * request.
   */
  own?: string[]
}

/**
 * `clients`: the number of clients that the targets are for; eight by default. `like`: another path of the same run, of
 * whose rate this one must reach the share `alike`.
 */
export type Result = {
  name: string
  clients: number
  per_s: number
  p50_ms: number
  p95_ms: number
  sql: number
  floor_per_s: number | null
  /** Of a path that is measured beside a load: its p95 without the load. */
  alone_p95_ms?: number
}

export type Target = {
  per_s?: number
  p50_ms?: number
  p95_ms?: number
  sql?: number
  like?: string
  alike?: number
  clients?: number
  of_floor?: number
  of_alone?: number
}

export type Path = {
  name: string
  /**
   * The floor: the same statements through `pg` alone, a workflow with one empty activity, one with a local activity
   * before and after it (`turn`), or none.
   */
  floor: 'statements' | 'workflow' | 'turn' | null
  target?: Target
  /**
   * Each request can be made only once (a cart is checked out once); this many are prepared. Otherwise each client
   * repeats its requests.
   */
  once?: number
  /** The requests of each client; `each` is the number per client of those that can be made only once. */
  lanes(shop: Shop, clients: number, each: number): Promise<Ask[][]>
  /** Throws if fewer than `answered` requests took effect. */
  check?(shop: Shop, answered: number): Promise<void>
}

/**
 * A measurement that is not a request: it measures itself, and its floor if it has one, on the same stack. `parts`: the
 * names of its results if it has several.
 */
export type Measure = {
  name: string
  target?: Target
  parts?: { name: string; target: Target }[]
  measure(stack: Stack, shop: Shop, worker: BenchWorker): Promise<Result | Result[]>
}

/** Writes of the same kind by different clients: one list of requests per client. */
export const lanesOf = <T>(all: readonly T[], clients: number, ask: (one: T, at: number) => Ask): Ask[][] =>
  Array.from({ length: clients }, (_, lane) => all.flatMap((one, at) => (at % clients === lane ? [ask(one, at)] : [])))

export const json = (headers: Record<string, string>) => ({ ...headers, 'content-type': 'application/json' })
