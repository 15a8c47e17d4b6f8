// The erasure of a tenant: its states, and the order in which its tables are emptied.
import { z } from 'zod'

/**
 * `settling`: what is pending ends at the provider. `deleting`: rows and files are deleted. `deleted`: the tenant is gone. `succeeded`: so are the rows of requests that
 * were running when the erasure began.
 */
export const ErasureStatus = z.enum(['settling', 'deleting', 'deleted', 'succeeded'])
export type ErasureStatus = z.infer<typeof ErasureStatus>

/** Seconds after which no request is running that was allowed before: an upload may take a quarter of an hour. */
export const LATE_REQUESTS_S = 1_200

/** `wait`: an outcome of the provider, or a locked row, is awaited. */
export type ErasureStep = 'more' | 'wait' | 'over'

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
