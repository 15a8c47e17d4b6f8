// Refuses JSON numbers that cannot round-trip, and bodies whose numbers are much longer when they are stored.
import { type Fault, faultsMax } from '../refusal.ts'
import { eachLeaf } from './json-leaves.ts'
import { pointerOf } from './pointers.ts'

/** Number of digits that jsonb stores in addition to those that JavaScript prints: 1e300 takes 300 bytes. */
export const digitsHidden = (number: number): number => (Number.isSafeInteger(number) ? 0 : Math.abs(Number(/e([+-]\d+)$/.exec(String(number))?.[1] ?? 0)))

/** Length of a number with all its digits. Short numbers are counted without printing them, as a body may have half a million. */
function lengthOf(number: number): number {
  if (!Number.isSafeInteger(number) || number < 0) return String(number).length + digitsHidden(number)
  let length = 1
  for (let least = 10; number >= least; least *= 10) length++
  return length
}

/** Whether the JSON text may have a number that is refused. False positives are possible, false negatives are not. */
export const mayHideDigits = (text: string): boolean => /(?:^|[[:,\s])-?(?:\d[\d.]*[eE]|\d{309})/.test(text)

/** Errors of numbers that would be returned as null, and of the number with which all of them exceed `bytesMax` when stored. */
export function numberFaults(value: unknown, bytesMax: number): Fault[] {
  const faults: Fault[] = []
  const path: PropertyKey[] = []
  let bytes = 0
  const fault = (code: string, detail: string) => faults.length < faultsMax && faults.push({ pointer: pointerOf(path), code, detail })
  const look = (leaf: unknown) => {
    if (typeof leaf !== 'number') return
    if (!Number.isFinite(leaf)) return void fault('invalid_number', 'The number is too large to be stored.')
    const before = bytes
    bytes += lengthOf(leaf)
    if (before <= bytesMax && bytes > bytesMax) fault('too_big', 'The numbers of the body, with all their digits, exceed 1 MiB from here on.')
  }
  eachLeaf(value, path, look)
  return faults
}
