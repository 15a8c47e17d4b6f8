// Types of query parameters: lists are repeated or comma-separated, booleans are `true` or `false`, numbers are decimal
// integers. Empty values are refused, so that a filter with an unset variable does not mean "all".
//   query: z.object({ ids: many(Id).optional(), verified: flag.optional(), limit })
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { ofKind } from '../../rules/input/kinds.ts'
import { noSuch } from '../../rules/input/nearest-name.ts'
import { exactnessFaults, mayHideDigits } from '../../rules/input/numbers.ts'
import { storable, textFaults } from '../../rules/input/storable.ts'
import { textForm } from '../../rules/input/texts.ts'
import { faultsOf, parse } from '../../rules/input/validation-errors.ts'
import { type Fault, invalidInput } from '../../rules/refusal.ts'
import { UnixSeconds } from '../../rules/shapes.ts'
import { encodes, inward, namesOf } from '../../rules/spelling.ts'
import type { Route } from './route.ts'

type Raw = string | string[]

/** `ids=a&ids=b` or `ids=a,b`; 1 to 100. */
export const many = <T extends z.ZodType>(item: T) =>
  z.preprocess((value: Raw) => {
    const parts = typeof value === 'string' ? value.split(',') : value
    return Array.isArray(parts) ? parts.map((part) => part.trim()) : parts
  }, z.array(item).min(1).max(100))

export const flag = z.preprocess(
  (value: Raw) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean('Expected `true` or `false`.'),
)

const numberOf = (value: Raw) => (typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value)

export const whole = (min: number, max: number) => {
  const expected = `Expected an integer from ${min} to ${max}.`
  return z.preprocess(numberOf, z.int(expected).min(min, expected).max(max, expected))
}

export const unixSeconds = z.preprocess(numberOf, UnixSeconds)

/** A search text with at least one character that is not a blank. */
export const searchText = (max = 200) =>
  ofKind('search', z.string().overwrite(textForm).trim().min(1, 'Expected text to search for.').max(max))

/**
 * The condition that a column contains each of these words, in any case. For lists of few rows in a store: it reads
 * them all.
 */
export const likeWords = (column: string, query: string) => ({
  $and: query.split(/\s+/).map((word) => ({ [column]: { $ilike: `%${word.replaceAll(/[\\%_]/g, '\\$&')}%` } })),
})

/**
 * A JSON value such as `[{"taxonomy_id":"…"}]`. The detail of an error names its place, as a query parameter has no
 * JSON pointers.
 */
export const encoded = <T extends z.ZodType>(item: T) =>
  encodes(
    z
      .string()
      .min(1)
      .transform((text, { issues }): z.output<T> => {
        const wrong = (code: string, message: string) =>
          void issues.push({ code: 'custom', input: text, params: { code }, message })
        try {
          const sent: unknown = JSON.parse(text)
          if (mayHideDigits(text))
            for (const { pointer, code, detail } of exactnessFaults(text)) wrong(code, `${pointer}: ${detail}`)
          if (!isDeepStrictEqual(storable(sent), sent))
            wrong('invalid_text', 'Expected text without NUL and lone surrogates, and at most 100 levels.')
          const read = item.safeParse(sent)
          if (read.success) return read.data
          for (const issue of read.error.issues)
            for (const { pointer, detail } of faultsOf([issue], sent))
              wrong(issue.code, pointer === '' ? detail : `${pointer}: ${detail}`)
        } catch {
          wrong('malformed_json', 'Expected JSON.')
        }
        return z.NEVER
      }),
    item,
  )

/**
 * Routes that third parties call (provider events, triggers, files, consents) ignore unknown parameters, which those
 * may add.
 */
const ignoresUnknownNames = ({ request, statuses, answers }: Route): boolean =>
  request.unparsed === true || statuses.includes(303) || answers.types !== undefined

/** The other name of `sortDirection`, in lists of bookings. */
const businessAliases: Readonly<Record<string, string>> = { sortOrder: 'sort_direction' }

/** The declared names by the names that the surface has for them. */
function parametersOf({ query, surface }: Route): ReadonlyMap<string, string> {
  if (!query) return new Map()
  if (surface === 'store') return new Map(Object.keys(query.shape).map((name) => [name, name]))
  return new Map([
    ...namesOf(query.shape),
    ...Object.entries(businessAliases).filter(([, name]) => name in query.shape),
  ])
}

/**
 * The declared query parameters. 422 for an unknown name and for an empty value; only `cursor` may be empty, for the
 * first page.
 */
export function queryOf(route: Route, search: URLSearchParams): unknown {
  const names = parametersOf(route)
  const raw: Record<string, Raw> = {}
  const faults: Fault[] = []
  const empty = new Set<string>()
  for (const sent of new Set(search.keys())) {
    const name = names.get(sent)
    if (name !== undefined) {
      // Two spellings of a name are the name twice.
      const values = [raw[name] ?? [], search.getAll(sent)].flat()
      if (!values.includes('')) raw[name] = values.length === 1 ? (values[0] as string) : values
      else if (name !== 'cursor' || values.length > 1) empty.add(name)
    } else if (!ignoresUnknownNames(route)) {
      faults.push({
        pointer: sent,
        code: 'unknown_parameter',
        detail: noSuch('query parameter', sent, names.keys(), faults),
      })
    }
  }
  for (const name of empty)
    faults.push({ pointer: name, code: 'empty', detail: 'The value is empty. Send a value, or omit the parameter.' })
  if (route.query && route.surface === 'business') {
    for (const [name, field] of Object.entries(route.query.shape)) {
      const inner: Fault[] = []
      if (name in raw) raw[name] = inward(field, raw[name], inner) as Raw
      for (const { pointer, code, detail } of inner)
        faults.push({ pointer: name, code, detail: `${pointer}: ${detail}` })
    }
  }
  const parsed = route.query && parse(route.query, raw)
  const wrong = [...textFaults(raw), ...(parsed?.success === false ? faultsOf(parsed.issues, raw) : [])]
  for (const fault of wrong) {
    const [, name = '', ...inner] = fault.pointer.split('/')
    if (empty.has(name)) continue
    const repeated = Array.isArray(raw[name]) && inner.length === 0 && fault.code.startsWith('invalid_')
    faults.push({ ...fault, pointer: name, ...(repeated ? { detail: 'Send this parameter once.' } : {}) })
  }
  if (faults.length > 0) throw invalidInput(faults)
  return parsed?.success ? parsed.data : {}
}
