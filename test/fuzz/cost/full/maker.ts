// Fills a store to its limits through the API, so that every request that creates a part of it is measured as well.
import type { Method } from '../../../kit/shop.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Made = any
/**
 * Sends a request by its path below the store or, of a visitor, below the storefront; `body` of the attempt, because
 * keys are unique.
 */
export type Maker = {
  asOperator(name: string, method: Method, path: string, body?: (attempt: number) => unknown): Promise<Made>
  asVisitor(name: string, method: Method, path: string, body?: (attempt: number) => unknown): Promise<Made>
  /** Creates what others need, without measuring it. */
  make(path: string, body: Record<string, unknown>): Promise<Made>
  unique(): string
  receiver: string
}

export const many = <T>(count: number, of: (nth: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => of(nth))
