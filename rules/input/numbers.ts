// Numbers of JSON texts from outside. A number that JavaScript would change, such as an identifier beyond 2^53, is
// refused in bodies, and read as a text of its digits from those who cannot be refused: rounded, it would name another
// record.
import { type Fault, faultsMax } from '../refusal.ts'
import { eachLeaf } from './json-leaves.ts'
import { pointerOf } from './pointers.ts'

/** Number of digits that jsonb stores in addition to those that JavaScript prints: 1e300 takes 300 bytes. */
export const digitsHidden = (number: number): number =>
  Number.isSafeInteger(number) ? 0 : Math.abs(Number(/e([+-]\d+)$/.exec(String(number))?.[1] ?? 0))

/**
 * Length of a number with all its digits. Short numbers are counted without printing them, as a body may have half a
 * million.
 */
function lengthOf(number: number): number {
  if (!Number.isSafeInteger(number) || number < 0) return String(number).length + digitsHidden(number)
  let length = 1
  for (let least = 10; number >= least; least *= 10) length++
  return length
}

/**
 * Whether the JSON text may have a number that is not exact, or longer when it is stored. False positives are possible,
 * false negatives are not.
 */
export const mayHideDigits = (text: string): boolean => /(?:^|[[:,\s])-?(?:\d[\d.]*[eE]|[\d.]{16})/.test(text)

const grammar = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The significant digits of a decimal number and its exponent; equal numbers have equal ones. */
function digitsOf(number: string): { digits: string; exponent: number } {
  const [, whole = '', fraction = '', power = '0'] = grammar.exec(number) ?? []
  const all = (whole + fraction).replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  return { digits, exponent: Number(power) - fraction.length + all.length - digits.length }
}

/** Digits that Number.prototype.toPrecision prints at most. */
const precisionMax = 100

/** Number of digits from the first one that is not 0, of a number without an exponent. */
function precisionOf(number: string): number {
  let digits = 0
  for (let at = 0; at < number.length; at++) {
    const code = number.charCodeAt(at)
    if (code >= 48 && code <= 57 && (digits > 0 || code !== 48)) digits++
  }
  return digits
}

/**
 * Whether JavaScript keeps the number of a JSON text: printed with as many digits, it is the same number.
 * `0.10000000000000001`, as some languages print 0.1, is kept, 9007199254740993 is not.
 */
export function isExact(number: string): boolean {
  // Fifteen digits always are, unless the number is beyond the range of numbers.
  const hasExponent = number.includes('e') || number.includes('E')
  if (number.length <= 15 && (!hasExponent || !/\d{3}$/.test(number))) return true
  const value = Number(number)
  if (String(value) === number) return true
  if (!Number.isFinite(value)) return false
  const precision = precisionOf(number)
  if (!hasExponent && !number.endsWith('0') && Math.abs(value) >= 1e-6 && precision <= precisionMax)
    return value.toPrecision(precision) === number
  const { digits, exponent } = digitsOf(number)
  if (digits === '') return true
  if (digits.length > precisionMax) return false
  const printed = digitsOf(value.toPrecision(digits.length))
  return printed.digits === digits && printed.exponent === exponent
}

/** The end of the text in quotes that begins at `at`, behind its closing quote. */
function endOfText(json: string, at: number): number {
  for (let end = at + 1; end < json.length; end++) {
    const code = json.charCodeAt(end)
    if (code === 34) return end + 1
    if (code === 92) end++
  }
  return json.length
}

/** Whether a character may stand in a number: a digit, `+`, `-`, `.` or `e`. */
const isNumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46 || code === 69 || code === 101

/**
 * Calls `look` with the place of every number of a JSON text that `isKept` denies, in their order, until it returns
 * false.
 */
function eachOther(
  json: string,
  isKept: (number: string) => boolean,
  look: (from: number, to: number) => boolean,
): void {
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === 34) at = endOfText(json, at) - 1
    else if (code === 45 || (code >= 48 && code <= 57)) {
      const from = at
      while (isNumeric(json.charCodeAt(at + 1))) at++
      if (at - from < 3) continue
      const found = json.slice(from, at + 1)
      if (!isKept(found) && grammar.test(found) && !look(from, at + 1)) return
    }
  }
}

/** All identifiers beyond 2^53 are texts, not only those that are not exact: of one kind, they have one type. */
const isIdentifier = (number: string): boolean =>
  number.length > 15 && /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))

/**
 * The value of a JSON text, in which a number that is not exact, or a whole one beyond 2^53, is a text of its digits.
 * Throws SyntaxError.
 */
export function losslessJson(json: string): unknown {
  if (!mayHideDigits(json)) return JSON.parse(json)
  const parts: string[] = []
  let end = 0
  eachOther(
    json,
    (number) => !isIdentifier(number) && isExact(number),
    (from, to) => {
      parts.push(json.slice(end, from), '"', json.slice(from, to), '"')
      end = to
      return true
    },
  )
  return JSON.parse(parts.length === 0 ? json : parts.join('') + json.slice(end))
}

/** Whether a text in quotes that ends at `at` is the name of a member: a colon follows. */
function isName(json: string, at: number): boolean {
  let next = at
  while (' \t\n\r'.includes(json[next] ?? '.')) next++
  return json[next] === ':'
}

/** The pointers of values of a JSON text; `places`: where they begin, ascending. */
function pointersOf(json: string, places: readonly number[]): string[] {
  const pointers: string[] = []
  const path: PropertyKey[] = []
  for (let at = 0; pointers.length < places.length && at < json.length; at++) {
    const char = json[at]
    if (at === places[pointers.length]) pointers.push(pointerOf(path))
    if (char === '"') {
      const end = endOfText(json, at)
      if (isName(json, end)) path[path.length - 1] = JSON.parse(json.slice(at, end)) as string
      at = end - 1
    } else if (char === '{') path.push('')
    else if (char === '[') path.push(0)
    else if (char === '}' || char === ']') path.pop()
    else if (char === ',' && typeof path.at(-1) === 'number') path[path.length - 1] = (path.at(-1) as number) + 1
  }
  return pointers
}

/** Errors of the numbers of a JSON text that are not exact. */
export function exactnessFaults(json: string): Fault[] {
  const places: [from: number, to: number][] = []
  eachOther(json, isExact, (from, to) => {
    return places.push([from, to]) <= faultsMax
  })
  const pointers = pointersOf(
    json,
    places.map(([from]) => from),
  )
  return places.map(([from, to], at) => ({
    pointer: pointers[at] ?? '',
    code: 'invalid_number',
    detail: Number.isFinite(Number(json.slice(from, to)))
      ? 'The number has more digits than can be kept. Send fewer digits, or a string where the field takes text.'
      : 'The number is too large to be stored.',
  }))
}

/** The error of the number with which all of them exceed `bytesMax` when stored; empty without one. */
export function numberFaults(value: unknown, bytesMax: number): Fault[] {
  const faults: Fault[] = []
  const path: PropertyKey[] = []
  let bytes = 0
  const look = (leaf: unknown) => {
    if (typeof leaf !== 'number') return
    const before = bytes
    bytes += lengthOf(leaf)
    if (before <= bytesMax && bytes > bytesMax)
      faults.push({
        pointer: pointerOf(path),
        code: 'too_big',
        detail: 'The numbers of the body, with all their digits, exceed 1 MiB from here on.',
      })
  }
  eachLeaf(value, path, look)
  return faults
}
