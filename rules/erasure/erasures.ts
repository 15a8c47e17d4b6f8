// The erasure of a tenant: its states, and the order in which its tables are emptied.
import { z } from 'zod'

/**
 * `settling`: what is pending ends at the provider. `deleting`: rows and files are deleted. `deleted`: the tenant is
 * gone. `succeeded`: so are the rows of requests that were running when the erasure began.
 */
export const ErasureStatus = z.enum(['settling', 'deleting', 'deleted', 'succeeded'])
export type ErasureStatus = z.infer<typeof ErasureStatus>

/**
 * Who let an erasure continue although outcomes are open. `plans`: also those that the platform's own account charges
 * for plans, as a platform administrator may. `at` in Unix seconds.
 */
export type Continued = { account_id: string; note: string; at: number; plans?: boolean }

/**
 * A row that was awaited when it was deleted: a request, a form, a payment or a subscription. `provider_object_id`: the
 * provider's id of the refund, the form, the invoice or the subscription.
 */
export type OpenRow = {
  table: string
  id: string
  /** The status; of a payment the code of what is wrong, if something is. */
  status: string | null
  amount: number | null
  currency: string | null
  order_id: string | null
  subscription_id: string | null
  provider_account_id: string | null
  provider_payment_id: string | null
  provider_object_id: string | null
}

/**
 * What was open when the rows were deleted: what a person had to do about money, the rows that were awaited, and what
 * buyers paid for that was cancelled or not delivered, of which the newest 1,000.
 */
export type OpenOutcomes = { items: Record<string, unknown>[]; rows: OpenRow[]; undelivered?: OpenRow[] }

/** Whether anything was open. */
export const hasOpen = (open: OpenOutcomes | null | undefined): open is OpenOutcomes =>
  Object.values(open ?? {}).some((all) => all.length > 0)

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

/**
 * Accounts at payment providers. They refer to no other table, and are deleted last: what is paid meanwhile is reported
 * to them, and refunded from them.
 */
const charging: readonly string[] = ['integrations', 'payment_providers']

/**
 * Rows are deleted before those that they refer to; tables that do not depend on each other are ordered by name. Throws
 * if foreign keys form a cycle.
 */
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
  const isLast = ({ name, refers }: ErasedTable) => charging.includes(name) && refers.length === 0
  return [...order.filter((table) => !isLast(table)), ...order.filter(isLast)]
}
