// What a measured path is: requests for each client, what its rate is compared with, and what it has to reach.
import type { Stack } from '../../dev/stack.ts'
import type { Result } from './report.ts'
import type { Shop } from './shop.ts'

export type Ask = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  body?: string
  /** The answer names something by its id, and the request is over when the engine has closed it. */
  over?: 'execution'
  /** Ids, dates and long numbers that only this request has: a replay of its statements exchanges them for another one's. */
  own?: string[]
}

/** `clients`: at how many it is judged; eight unless said otherwise. */
export type Target = { per_s?: number; p50_ms?: number; p95_ms?: number; sql?: number; like?: string; clients?: number; of_floor?: number; of_alone?: number }

export type Path = {
  name: string
  /** What it stands beside: its own statements through `pg` alone, or a workflow with one empty activity; or nothing. */
  floor: 'statements' | 'workflow' | null
  target?: Target
  /** Each request can be made only once (a cart is checked out once), and so many are made ready. Otherwise each client repeats its own. */
  once?: number
  /** Requests for each of so many clients; of those that can be made only once, so many for each. */
  lanes(shop: Shop, clients: number, each: number): Promise<Ask[][]>
}

/** What is no request: it measures itself, on the same stack, and its floor too, if it has one. `parts`: what its results are named, where there are several. */
export type Measure = {
  name: string
  target?: Target
  parts?: { name: string; target: Target }[]
  measure(stack: Stack, shop: Shop): Promise<Result | Result[]>
}

/** Writes of the same kind by different clients: one list of requests for each of them. */
export const lanesOf = <T>(all: readonly T[], clients: number, ask: (one: T, at: number) => Ask): Ask[][] =>
  Array.from({ length: clients }, (_, lane) => all.flatMap((one, at) => (at % clients === lane ? [ask(one, at)] : [])))

export const json = (headers: Record<string, string>) => ({ ...headers, 'content-type': 'application/json' })
