// The erasure of a tenant: its states, and the order in which its tables are emptied.
import { z } from 'zod'

/**
 * `settling`: what is pending ends at the provider. `deleting`: rows and files are deleted. `deleted`: the tenant is gone. `succeeded`: so are the rows of requests that
 * were running when the erasure began.
 */
export const ErasureStatus = z.enum(['settling', 'deleting', 'deleted', 'succeeded'])
export type ErasureStatus = z.infer<typeof ErasureStatus>

/** Who let an erasure go on although outcomes are open. `at` in Unix seconds. */
export type Continued = { account_id: string; note: string; at: number }

/** What was open when the rows were deleted: what a person had to do about money, what was awaited at the provider, by table, and the subscriptions that it charges. */
export type OpenOutcomes = {
  items: Record<string, unknown>[]
  awaited: Record<string, number>
  subscriptions: { id: string; provider_account_id: string | null; provider_subscription_id: string }[]
}

/** Seconds after which an erasure that still waits needs a person. */
export const WAITS_MAX_S = 3_600

/** Seconds that a payment form has to be closed, or its event to arrive, before a person has to look at it. */
export const FORMS_MAX_S = 600

/** Seconds until an erasure that needs a person looks again. */
export const LOOKS_EVERY_S = 600

/** Seconds after which no request is running that was allowed before: an upload may take a quarter of an hour. */
export const LATE_REQUESTS_S = 1_200

/** `wait`: an outcome of the provider, or a locked row, is awaited. `attention`: a person has to act first. */
export type ErasureStep = 'more' | 'wait' | 'attention' | 'over'

export type ErasedTable = {
  name: string
  /** The rows have an `id`, by which the table is walked. */
  has_id: boolean
  /** An index finds the rows of a tenant. */
  by_tenant: boolean
  /** The other tables that its foreign keys name. */
  refers: readonly string[]
}

/** Rows are deleted before those that they refer to; tables that do not depend on each other are ordered by name. Throws if foreign keys form a cycle. */
export function deletionOrder(tables: readonly ErasedTable[]): ErasedTable[] {
  const left = new Map([...tables].sort((a, b) => (a.name < b.name ? -1 : 1)).map((table) => [table.name, table]))
  const order: ErasedTable[] = []
  while (left.size > 0) {
    const referred = new Set([...left.values()].flatMap(({ refers }) => refers))
    const free = [...left.values()].filter(({ name }) => !referred.has(name))
    if (free.length === 0) throw new Error(`foreign keys form a cycle: ${[...left.keys()].join(', ')}`)
    for (const table of free) left.delete(table.name)
    order.push(...free)
  }
  return order
}
