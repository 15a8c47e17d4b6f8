// How a store at its limits is filled: through the API, so that every request that makes something of it is measured as well.
import type { Method } from '../../../kit/shop.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Made = any
/** Asks by the path below the store or, of a visitor, below the storefront; `body` of the attempt, because a key is taken once. */
export type Maker = {
  asOperator(name: string, method: Method, path: string, body?: (attempt: number) => unknown): Promise<Made>
  asVisitor(name: string, method: Method, path: string, body?: (attempt: number) => unknown): Promise<Made>
  /** Makes what others need, without measuring it. */
  make(path: string, body: Record<string, unknown>): Promise<Made>
  unique(): string
  receiver: string
}

export const many = <T>(count: number, of: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => of(nth))
