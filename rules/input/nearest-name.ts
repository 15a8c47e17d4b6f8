// Suggests the name that a misspelled one was probably meant to be.
import { type Fault, faultsMax } from '../refusal.ts'

/** Ignores case and separators: `sortField`, `sort_field` and `Sort-Field` are equal. */
const spelling = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Longer names are not compared: no field or parameter has one. */
const nameMax = 64

/**
 * Whether one edit turns `a` into `b`: up to two letters inserted or deleted in one place, one replaced, or two
 * adjacent ones swapped. Linear time.
 */
function oneErrorApart(a: string, b: string): boolean {
  let from = 0
  while (from < a.length && a[from] === b[from]) from++
  let end = 0
  while (end < Math.min(a.length, b.length) - from && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.slice(from, a.length - end), b.slice(from, b.length - end)]
  if (left === '' || right === '') return left.length + right.length <= 2
  return (
    left.length === right.length &&
    (left.length === 1 || (left.length === 2 && left[0] === right[1] && left[1] === right[0]))
  )
}

/** The name that differs from `name` by one edit; undefined if there is none. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  if (name.length > nameMax) return undefined
  const asked = spelling(name)
  let close: string | undefined
  for (const one of names) {
    const other = spelling(one)
    if (other === asked) return one
    if (Math.min(asked.length, other.length) > 1 && oneErrorApart(asked, other)) close ??= one
  }
  return close
}

/**
 * The detail of an error. A suggestion is searched only for errors that are listed, as a body may have 100,000 unknown
 * fields.
 */
export function noSuch(
  kind: 'field' | 'query parameter',
  name: string,
  names: Iterable<string>,
  before: readonly Fault[],
): string {
  const close = before.length < faultsMax ? nearest(name, names) : undefined
  return `There is no such ${kind}.${close === undefined ? '' : ` Did you mean \`${close}\`?`}`
}
