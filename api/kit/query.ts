// Query parameters have types: lists are repeated or comma-separated, booleans are true or false, numbers are plain integers.
//   query: z.object({ ids: many(Id).optional(), verified: flag.optional(), limit })
import { z } from 'zod'

type Raw = string | string[]

/** `ids=a&ids=b` or `ids=a,b`; at most 100. */
export const many = <T extends z.ZodType>(item: T) =>
  z.preprocess((value: Raw) => {
    const parts = typeof value === 'string' ? value.split(',') : value
    return Array.isArray(parts) ? parts.map((part) => part.trim()).filter((part) => part !== '') : parts
  }, z.array(item).max(100))

export const flag = z.preprocess((value: Raw) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean())

export const whole = (min: number, max: number) =>
  z.preprocess((value: Raw) => (typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value), z.int().min(min).max(max))

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

/** The names and texts of a request's query, each once or as a list; a name that is empty counts as not sent. */
export function rawQuery(search: URLSearchParams): Record<string, Raw> {
  const raw: Record<string, Raw> = {}
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name).filter((value) => value !== '')
    if (values.length > 0) raw[name] = values.length === 1 ? (values[0] as string) : values
  }
  return raw
}
