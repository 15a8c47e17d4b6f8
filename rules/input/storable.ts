// What comes from outside, as PostgreSQL can keep it: a text has no NUL and no half of a character, and no value is deeper than we follow.

import { type Fault, faultsMax } from '../refusal.ts'
import { eachLeaf } from './json-leaves.ts'
import { pointerOf } from './pointers.ts'

/** Of objects and arrays in one another; PostgreSQL and our own readers go no deeper. */
const depthMax = 100

class TooDeep extends Error {}

const clean = (value: unknown, left: number): unknown => {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').toWellFormed()
  if (value === null || typeof value !== 'object') return value
  if (left === 0) throw new TooDeep()
  if (Array.isArray(value)) return value.map((inner) => clean(inner, left - 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key, left), clean(inner, left - 1)]))
}

/** The value with NUL and lone surrogates replaced by U+FFFD; one that is deeper than 100 becomes a text that says so. */
export const storable = (value: unknown): unknown => {
  try {
    return clean(value, depthMax)
  } catch (error) {
    // A value that is too deep to be walked is too deep to be printed by recursion as well: V8 says so in its own words.
    if (error instanceof TooDeep || error instanceof RangeError) return 'nested deeper than 100'
    throw error
  }
}

/** The texts of a value that PostgreSQL does not keep, keys among them: those with a NUL or half a surrogate pair. */
export function textFaults(value: unknown): Fault[] {
  const faults: Fault[] = []
  const path: PropertyKey[] = []
  const look = (leaf: unknown) => {
    if (typeof leaf === 'string' && (leaf.includes('\0') || !leaf.isWellFormed()) && faults.length <= faultsMax)
      faults.push({ pointer: pointerOf(path), code: 'invalid_text', detail: 'NUL and lone surrogates are not text.' })
  }
  eachLeaf(value, path, look, { names: true })
  return faults
}
