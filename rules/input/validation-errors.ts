// Converts zod's issues into errors with a JSON pointer and a stable code, for bodies, form fields and block values
// alike.
import { z } from 'zod'
import { cut } from '../excerpts.ts'
import { type Fault, faultsMax, note } from '../refusal.ts'
import { pointerOf } from './pointers.ts'

/** Arrays included. */
export const isObject = (value: unknown): value is object => value !== null && typeof value === 'object'

/** Own properties only: an inherited `constructor` counts as missing. */
const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, part) => (isObject(at) && Object.hasOwn(at, part) ? Reflect.get(at, part) : undefined),
    value,
  )

/** Whether the value is missing from an object. An element of a list that is sent as one text is not missing. */
const isMissing = (value: unknown, path: readonly PropertyKey[]): boolean =>
  valueAt(value, path) === undefined && (path.length === 0 || isObject(valueAt(value, path.slice(0, -1))))

/** Whether the type was right and only bounds or further checks failed. */
const ofType = (issues: readonly z.core.$ZodIssue[]) =>
  !issues.some(({ code }) => code.startsWith('invalid_') || code === 'unrecognized_keys')

/** The message for a value that is none of the options; it lists the first twenty. */
export const notAnOption = (options: readonly unknown[]): string =>
  cut(
    `Expected one of: ${options.slice(0, 20).join(', ')}${options.length > 20 ? ` and ${options.length - 20} more` : ''}.`,
    500,
  )

/** Whether a detail lists what a value may be. Other rules about a value have the code `invalid_value`, too. */
export const isNotAnOption = (detail: string): boolean => detail.startsWith('Expected one of: ')

/** Issues that a missing value causes. */
const untyped = new Set(['invalid_type', 'invalid_value', 'invalid_union'])

/** What a value has to be, by zod's names of types. */
const nouns: Readonly<Record<string, string>> = {
  ...{ int: 'an integer', number: 'a number', string: 'a string', boolean: '`true` or `false`', array: 'an array' },
  ...{ object: 'an object', record: 'an object', null: 'null' },
}

/** What values are counted in, by zod's names of types. */
const units: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
  map: 'field',
  object: 'field',
  record: 'field',
}

/** The message for a value, or a number of parts, beyond a bound. */
function bound(relation: 'at least' | 'at most', origin: string, limit: number | bigint, inclusive = true): string {
  const unit = units[origin] ?? ''
  const beyond = relation === 'at most' ? 'less than' : 'more than'
  return `Expected ${inclusive ? relation : beyond} ${limit}${unit && ` ${unit}${Number(limit) === 1 ? '' : 's'}`}.`
}

const depth = (issues: readonly z.core.$ZodIssue[]) => Math.max(0, ...issues.map(({ path }) => path.length))

/** What a text has to be, by zod's names of formats. */
const formats: Readonly<Record<string, string>> = {
  guid: 'a UUID',
  uuid: 'a UUID',
  email: 'an e-mail address',
  url: 'an address such as `https://example.com/`',
  date: 'a date (YYYY-MM-DD)',
  time: 'a time (HH:MM)',
  datetime: 'a time such as `2027-01-31T09:00:00Z`',
}

const quoted = (text: unknown) => `\`${cut(String(text), 100)}\``

/** What a text has to be. */
function formatOf(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  if (issue.format === 'starts_with') return `Expected text that begins with ${quoted(issue.prefix)}.`
  if (issue.format === 'ends_with') return `Expected text that ends with ${quoted(issue.suffix)}.`
  if (issue.format === 'includes') return `Expected text that contains ${quoted(issue.includes)}.`
  const format = formats[issue.format]
  return format ? `Expected ${format}.` : 'The text does not have the expected form.'
}

const unexpected = 'The value is not of the expected form.'

/**
 * The message of an issue of a shape without a message of its own. It always has one: zod's wording is never answered.
 */
function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.inst instanceof z.core.$ZodNumberFormat) return 'Expected an integer.'
      return nouns[issue.expected] ? `Expected ${nouns[issue.expected]}.` : unexpected
    case 'invalid_value':
      return notAnOption(issue.values)
    case 'invalid_union':
      return Array.isArray(issue.options) && issue.options.length > 0 ? notAnOption(issue.options) : unexpected
    case 'too_big':
      return bound('at most', issue.origin, issue.maximum, issue.inclusive)
    case 'too_small':
      return bound('at least', issue.origin, issue.minimum, issue.inclusive)
    case 'not_multiple_of':
      return `Expected a multiple of ${issue.divisor}.`
    case 'unrecognized_keys':
      return 'There is no such field.'
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'The name is not of the expected form.'
    case 'invalid_format':
      return formatOf(issue)
    default:
      return unexpected
  }
}
z.config({ customError: messageOf })

/** Codes of zod that say only that a value is not one of those that are taken. */
const unnamed = new Set(['custom', 'invalid_union'])

/**
 * Converts issues; `at` is the pointer of the value, such as /fields/0/value. The code is that of the check
 * (`params.code`), `required` for a missing value, `unknown_field`, or zod's, of which `custom` and `invalid_union` are
 * `invalid_value`.
 */
export const faultsOf = (issues: readonly z.core.$ZodIssue[], value: unknown, at = ''): Fault[] =>
  issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.slice(0, faultsMax + 1).map((key) => ({
        pointer: `${at}${pointerOf([...issue.path, key])}`,
        code: 'unknown_field',
        detail: 'There is no such field.',
      }))
    const pointer = `${at}${pointerOf(issue.path)}`
    if (untyped.has(issue.code) && isMissing(value, issue.path))
      return [{ pointer, code: 'required', detail: 'This field is required.' }]
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      // The best alternative is reported: the one whose error is deepest, or whose type is right and only the range is
      // wrong.
      const best =
        [...issue.errors].sort((a, b) => depth(b) - depth(a) || Number(ofType(b)) - Number(ofType(a)))[0] ?? []
      if (depth(best) > 0 || ofType(best)) {
        const placed = best.map((one) => ({ ...one, path: [...issue.path, ...one.path] }) as z.core.$ZodIssue)
        return faultsOf(placed, value, at)
      }
    }
    const own = issue.code === 'custom' ? (issue.params?.code as string | undefined) : undefined
    return [{ pointer, code: own ?? (unnamed.has(issue.code) ? 'invalid_value' : issue.code), detail: issue.message }]
  })

/**
 * `safeParse` that finalizes only the first hundred issues and one more: a body may have half a million invalid values,
 * and creating the message of an issue costs more than finding it.
 */
export function parse<T extends z.ZodType>(
  shape: T,
  value: unknown,
): { success: true; data: z.output<T> } | { success: false; issues: z.core.$ZodIssue[] } {
  const context = { async: false }
  const { value: data, issues } = shape._zod.run({ value, issues: [] }, context) as z.core.ParsePayload<z.output<T>>
  if (issues.length === 0) return { success: true, data }
  return {
    success: false,
    issues: issues.slice(0, faultsMax + 1).map((issue) => z.core.util.finalizeIssue(issue, context, z.core.config())),
  }
}

/** Notes every `__proto__` key, which shapes drop without an issue. `copy` is the parsed value. */
export function noteDroppedKeys(faults: Fault[], sent: unknown, copy: unknown, path: PropertyKey[] = []): void {
  if (sent === copy || !isObject(sent) || !isObject(copy)) return
  for (const key of Object.keys(sent)) {
    if (Object.hasOwn(copy, key))
      noteDroppedKeys(faults, Reflect.get(sent, key), Reflect.get(copy, key), [...path, key])
    else if (key === '__proto__')
      note(faults, () => ({
        pointer: pointerOf([...path, key]),
        code: 'invalid_key',
        detail: 'The key `__proto__` is reserved.',
      }))
  }
}
