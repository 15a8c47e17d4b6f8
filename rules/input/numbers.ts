// A number is kept with all its digits, and as what it is: one that is too large for JavaScript is refused, and so are short ones that are long where they are kept.

import { type Fault, faultsMax } from '../refusal.ts'
import { eachLeaf } from './json-leaves.ts'
import { pointerOf } from './pointers.ts'

/** How many more digits a number has where it is kept than JavaScript writes: 1e300 takes 300 bytes. */
export const digitsHidden = (number: number): number => (Number.isSafeInteger(number) ? 0 : Math.abs(Number(/e([+-]\d+)$/.exec(String(number))?.[1] ?? 0)))

/** Characters of a number with all its digits. A body may hold half a million, most of them short: those are not written out to be counted. */
function lengthOf(number: number): number {
  if (!Number.isSafeInteger(number) || number < 0) return String(number).length + digitsHidden(number)
  let length = 1
  for (let least = 10; number >= least; least *= 10) length++
  return length
}

/** A JSON text without any of these has no number that is refused; in a text within it they are a false alarm. */
export const mayHideDigits = (text: string): boolean => /(?:^|[[:,\s])-?(?:\d[\d.]*[eE]|\d{309})/.test(text)

/** Numbers of a JSON value that would come back as null, and the first with which all of them, written out, are longer than `bytesMax`. */
export function numberFaults(value: unknown, bytesMax: number): Fault[] {
  const faults: Fault[] = []
  const path: PropertyKey[] = []
  let bytes = 0
  const fault = (code: string, detail: string) => faults.length < faultsMax && faults.push({ pointer: pointerOf(path), code, detail })
  const look = (leaf: unknown) => {
    if (typeof leaf !== 'number') return
    if (!Number.isFinite(leaf)) return void fault('invalid_number', 'The number is too large to be kept.')
    const before = bytes
    bytes += lengthOf(leaf)
    if (before <= bytesMax && bytes > bytesMax) fault('too_big', 'With this one the numbers, written out, are longer than a body may be.')
  }
  eachLeaf(value, path, look)
  return faults
}
