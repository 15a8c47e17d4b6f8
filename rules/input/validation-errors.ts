// What a shape finds wrong is told the same way everywhere, of a body as of a form's field or a block's value: each thing at its own place, under a stable code.
import { z } from 'zod'
import { type Fault, faultsMax } from '../refusal.ts'
import { pointerOf } from './pointers.ts'

/** Of any kind, a list too. */
export const isObject = (value: unknown): value is object => value !== null && typeof value === 'object'

/** Its own only: `constructor` is a field like any other, and missing where nobody sent it. */
const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? Reflect.get(at, part) : undefined), value)

/** Whether the value is of the type that was expected: only bounds or further checks failed. */
const ofType = (issues: readonly z.core.$ZodIssue[]) => !issues.some(({ code }) => code.startsWith('invalid_') || code === 'unrecognized_keys')

/** The message for a text that is none of the options: it lists the first twenty. */
export const notAnOption = (options: readonly unknown[]): string =>
  `Expected one of: ${options.slice(0, 20).join(', ')}${options.length > 20 ? ` and ${options.length - 20} more` : ''}.`.slice(0, 500)

/** A missing value breaks a type, a list of options or a choice of shapes. */
const untyped = new Set(['invalid_type', 'invalid_value', 'invalid_union'])

const depth = (issues: readonly z.core.$ZodIssue[]) => Math.max(0, ...issues.map(({ path }) => path.length))

// What a shape says by itself where it has no words of its own.
z.config({
  customError(issue) {
    if (issue.code === 'invalid_key') return issue.issues[0]?.message
    if (issue.code !== 'invalid_format') return undefined
    if (issue.format === 'guid' || issue.format === 'uuid') return 'Expected a UUID.'
    return issue.format === 'date' ? 'Expected a date (YYYY-MM-DD).' : undefined
  },
})

/**
 * zod's issues as faults; `at` is where the value stands, such as /fields/0/value. The code is the check's own (`params.code`), `required` where
 * nothing was sent, `unknown_field`, or zod's.
 */
export const faultsOf = (issues: readonly z.core.$ZodIssue[], value: unknown, at = ''): Fault[] =>
  issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ pointer: `${at}${pointerOf([...issue.path, key])}`, code: 'unknown_field', detail: 'There is no such field.' }))
    const pointer = `${at}${pointerOf(issue.path)}`
    if (untyped.has(issue.code) && valueAt(value, issue.path) === undefined) return [{ pointer, code: 'required', detail: 'This field is required.' }]
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      // The alternative that came furthest says best what is wrong: the deepest, or one whose type is right and whose range is not.
      const best = [...issue.errors].sort((a, b) => depth(b) - depth(a) || Number(ofType(b)) - Number(ofType(a)))[0] ?? []
      if (depth(best) > 0 || ofType(best)) {
        const placed = best.map((one) => ({ ...one, path: [...issue.path, ...one.path] }) as z.core.$ZodIssue)
        return faultsOf(placed, value, at)
      }
    }
    const own = issue.code === 'custom' ? (issue.params?.code as string | undefined) : undefined
    return [{ pointer, code: own ?? issue.code, detail: issue.message }]
  })

/**
 * As safeParse, but of what is wrong only the first hundred issues and one more are written out: a megabyte may hold half a million wrong values, and
 * the words of an issue cost more than finding it.
 */
export function parse<T extends z.ZodType>(shape: T, value: unknown): { success: true; data: z.output<T> } | { success: false; issues: z.core.$ZodIssue[] } {
  const context = { async: false }
  const { value: data, issues } = shape._zod.run({ value, issues: [] }, context) as z.core.ParsePayload<z.output<T>>
  if (issues.length === 0) return { success: true, data }
  return { success: false, issues: issues.slice(0, faultsMax + 1).map((issue) => z.core.util.finalizeIssue(issue, context, z.core.config())) }
}

/** Shapes drop a `__proto__` in silence: each that was sent and is not in the copy that a shape made. */
export function droppedKeys(sent: unknown, kept: unknown, path: PropertyKey[] = []): Fault[] {
  if (sent === kept || !isObject(sent) || !isObject(kept)) return []
  return Object.entries(sent).flatMap(([key, inner]) => {
    if (Object.hasOwn(kept, key)) return droppedKeys(inner, Reflect.get(kept, key), [...path, key])
    return key === '__proto__' ? [{ pointer: pointerOf([...path, key]), code: 'invalid_key', detail: 'No key is called __proto__.' }] : []
  })
}
