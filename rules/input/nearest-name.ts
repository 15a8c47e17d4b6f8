// The name that a misspelled one was probably meant to be.
import { type Fault, faultsMax } from '../refusal.ts'

/** Spellings that differ in case and word separators only are the same name: `sortField`, `sort_field`, `Sort-Field`. */
const spelling = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** No field or parameter has a longer name. */
const nameMax = 64

/** Whether one error turns `a` into `b`: up to two letters inserted or left out in one place, a letter replaced, or two neighbours swapped. In linear time. */
function oneErrorApart(a: string, b: string): boolean {
  let from = 0
  while (from < a.length && a[from] === b[from]) from++
  let end = 0
  while (end < Math.min(a.length, b.length) - from && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.slice(from, a.length - end), b.slice(from, b.length - end)]
  if (left === '' || right === '') return left.length + right.length <= 2
  return left.length === right.length && (left.length === 1 || (left.length === 2 && left[0] === right[1] && left[1] === right[0]))
}

/** The one of `names` that differs from `name` by a single error; undefined where none does. */
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

/** The detail of a fault. A near name is looked for only while the fault is listed: a body may have 100,000 unknown fields. */
export function noSuch(kind: 'field' | 'query parameter', name: string, names: Iterable<string>, before: readonly Fault[]): string {
  const close = before.length < faultsMax ? nearest(name, names) : undefined
  return `There is no such ${kind}.${close === undefined ? '' : ` Did you mean \`${close}\`?`}`
}
