// Query parameters have types: lists are repeated or comma-separated, booleans are true or false, numbers are plain integers.
// An empty value is refused before it gets here (input.ts), and an empty element by the type of its list: a filter that was given never means "all".
//   query: z.object({ ids: many(Id).optional(), verified: flag.optional(), limit })
import { z } from 'zod'
import { UnixSeconds } from '../../rules/shapes.ts'

export type Raw = string | string[]

/** `ids=a&ids=b` or `ids=a,b`; 1 to 100. */
export const many = <T extends z.ZodType>(item: T) =>
  z.preprocess((value: Raw) => {
    const parts = typeof value === 'string' ? value.split(',') : value
    return Array.isArray(parts) ? parts.map((part) => part.trim()) : parts
  }, z.array(item).min(1).max(100))

export const flag = z.preprocess((value: Raw) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean('Expected `true` or `false`.'))

const numberOf = (value: Raw) => (typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value)

export const whole = (min: number, max: number) => {
  const expected = `Expected an integer from ${min} to ${max}.`
  return z.preprocess(numberOf, z.int(expected).min(min, expected).max(max, expected))
}

export const unixSeconds = z.preprocess(numberOf, UnixSeconds)

/** The words of a search: at least one character beside blanks. */
export const searchText = (max = 200) => z.string().trim().min(1, 'Expected text to search for.').max(max)

/** One value of JSON: `[{"taxonomy_id":"…"}]`. What is wrong within it is told in words, because a query parameter has no pointers. */
export const encoded = <T extends z.ZodType>(item: T) =>
  z.string().transform((text, { issues }): z.output<T> => {
    const wrong = (code: string, message: string) => void issues.push({ code: 'custom', input: text, params: { code }, message })
    try {
      const read = item.safeParse(JSON.parse(text))
      if (read.success) return read.data
      for (const { code, path, message } of read.error.issues) wrong(code, [...path, message].join(': '))
    } catch {
      wrong('malformed_json', 'This is not JSON.')
    }
    return z.NEVER
  })
