// Values that PostgreSQL can store: strings without NUL and lone surrogates, limited nesting.
import { type Fault, faultsMax } from '../refusal.ts'
import { eachLeaf } from './json-leaves.ts'
import { pointerOf } from './pointers.ts'

/** Levels of nested objects and arrays. */
const depthMax = 100

class TooDeep extends Error {}

const clean = (value: unknown, left: number): unknown => {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').toWellFormed()
  if (value === null || typeof value !== 'object') return value
  if (left === 0) throw new TooDeep()
  if (Array.isArray(value)) return value.map((inner) => clean(inner, left - 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key, left), clean(inner, left - 1)]))
}

/**
 * The value with NUL and lone surrogates replaced by U+FFFD. A value nested deeper than 100 becomes a string that says
 * so.
 */
export const storable = (value: unknown): unknown => {
  try {
    return clean(value, depthMax)
  } catch (error) {
    // RangeError: the value is too deep even for recursion up to the limit.
    if (error instanceof TooDeep || error instanceof RangeError) return 'nested deeper than 100'
    throw error
  }
}

/** Errors of strings and keys that PostgreSQL cannot store: those with NUL or a lone surrogate. */
export function textFaults(value: unknown): Fault[] {
  const faults: Fault[] = []
  const path: PropertyKey[] = []
  const look = (leaf: unknown) => {
    if (typeof leaf === 'string' && (leaf.includes('\0') || !leaf.isWellFormed()) && faults.length <= faultsMax)
      faults.push({
        pointer: pointerOf(path),
        code: 'invalid_text',
        detail: 'Expected text without NUL and lone surrogates.',
      })
  }
  eachLeaf(value, path, look, { names: true })
  return faults
}
