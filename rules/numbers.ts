// A number is kept with all its digits, and as what it is: one that is too large for JavaScript is refused, and so are short ones that are long where they are kept.
import { isObject } from './faults.ts'
import { pointerOf } from './pointers.ts'
import type { Fault } from './refusal.ts'

/** How many more digits a number has where it is kept than JavaScript writes: 1e300 takes 300 bytes. */
export const digitsHidden = (number: number): number => Math.abs(Number(/e([+-]\d+)$/.exec(String(number))?.[1] ?? 0))

/** Nobody reads more. */
const faultsMax = 100

/** A JSON text without any of these has no number that is refused; in a text within it they are a false alarm. */
export const mayHideDigits = (text: string): boolean => /(?:^|[[:,\s])-?(?:\d[\d.]*[eE]|\d{309})/.test(text)

/** Numbers of a JSON value that would come back as null, and the first with which all of them, written out, are longer than `bytesMax`. */
export function numberFaults(value: unknown, bytesMax: number): Fault[] {
  const faults: Fault[] = []
  const path: PropertyKey[] = []
  let bytes = 0
  const fault = (code: string, detail: string) => faults.length < faultsMax && faults.push({ pointer: pointerOf(path), code, detail })
  const walk = (at: unknown): void => {
    if (typeof at === 'number') {
      if (!Number.isFinite(at)) return void fault('invalid_number', 'The number is too large to be kept.')
      const before = bytes
      bytes += String(at).length + digitsHidden(at)
      if (before <= bytesMax && bytes > bytesMax) fault('too_big', 'With this one the numbers, written out, are longer than a body may be.')
    } else if (isObject(at)) {
      for (const [key, inner] of Object.entries(at)) {
        path.push(key)
        walk(inner)
        path.pop()
      }
    }
  }
  walk(value)
  return faults
}
