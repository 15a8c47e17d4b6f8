// The smallest body that a route accepts, made from its own declaration.
//   sampleOf(route)   → { key: 'sample', currency: 'USD' }
import { z } from 'zod'
import type { Route } from '../../api/kit/route.ts'
import { camel, fieldsOf, unwrapped, wordSpelling } from '../../rules/spelling.ts'

type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  $ref?: string
  default?: unknown
  format?: string
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  minLength?: number
  minItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  $defs?: Record<string, Schema>
}

/** Texts that satisfy a pattern or a further check. The first address answers at once. */
const words = [
  'sample',
  'USD',
  'DE',
  'Europe/Berlin',
  'en',
  '123456',
  `${process.env.TEST_API ?? 'http://127.0.0.1:9'}/`,
  'https://tillwright.test/',
  '2030-01-31',
  '09:00',
  'monday',
  'someone@tillwright.test',
]

/** Values that satisfy a further check: those texts, and slots. */
const values: unknown[] = [...words, [{ from: 1_900_000_000, to: 1_900_003_600 }]]

function make(schema: Schema, root: Schema): unknown {
  if (schema.$ref) return make(root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {}, root)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const either = schema.anyOf ?? schema.oneOf
  if (either) return make(either[0] as Schema, root)
  if (schema.type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, make(schema.properties?.[name] ?? {}, root)]),
    )
  if (schema.type === 'array') return Array.from({ length: schema.minItems ?? 0 }, () => make(schema.items ?? {}, root))
  if (schema.type === 'integer' || schema.type === 'number')
    return Math.max(schema.minimum ?? 0, (schema.exclusiveMinimum ?? -1) + 1, 0)
  if (schema.type === 'boolean') return true
  if (schema.type !== 'string') return null
  if (schema.format === 'uuid') return '0199aaaa-0000-7000-8000-0000000000aa'
  if (schema.format === 'email') return 'nobody@tillwright.test'
  const { pattern } = schema
  return (
    words.find((word) => word.length >= (schema.minLength ?? 0) && (!pattern || new RegExp(pattern, 'u').test(word))) ??
    'sample'
  )
}

/** A value of a shape as the business surface spells it. */
function outward(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = unwrapped(schema, 'in')
  if (inner) return outward(inner, value)
  if (schema instanceof z.ZodUnion) return outward(schema.options[0] as z.core.$ZodType, value)
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((one) => outward(schema.element, one))
  if (typeof value === 'string') return wordSpelling(schema)?.(value) ?? value
  const fields = fieldsOf(schema)
  if (!fields || value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [camel(name), fields[name] ? outward(fields[name], one) : one]),
  )
}

/** A body as clients of the route's surface send it. */
export const spelledFor = (route: Route, body: Record<string, unknown>): Record<string, unknown> =>
  route.surface === 'business' && route.body ? (outward(route.body, body) as Record<string, unknown>) : body
/** The name of a field or of a parameter on the route's surface. */
export const nameFor = ({ surface }: Route, name: string): string => (surface === 'business' ? camel(name) : name)

export const sampleOf = (route: Route): Record<string, unknown> => spelledFor(route, bodyFor(route))

/** A copy with another value at the path. */
function changed(
  body: Record<string, unknown>,
  path: readonly (string | number)[],
  value: unknown,
): Record<string, unknown> {
  const copy = structuredClone(body)
  const inner = path.slice(0, -1).reduce<unknown>((at, part) => Reflect.get(at as object, part), copy)
  Reflect.set(inner as object, path.at(-1) as string | number, value)
  return copy
}

/** A field with a check beyond its JSON schema, such as a time zone, is tried with every sample value. */
export function bodyFor(route: Route): Record<string, unknown> {
  if (!route.body) return {}
  const schema = z.toJSONSchema(route.body, { io: 'input' }) as Schema
  let body = make(schema, schema) as Record<string, unknown>
  for (let tries = 0; tries < 20; tries++) {
    const read = route.body.safeParse(body)
    if (read.success) return body
    const path = read.error.issues[0]?.path as (string | number)[]
    const at = path.join('/')
    const better = values
      .map((value) => changed(body, path, value))
      .find((one) => !route.body?.safeParse(one).error?.issues.some((issue) => issue.path.join('/') === at))
    if (better === undefined) break
    body = better
  }
  throw new Error(`${route.spec}: no sample of its body; add a sample text to test/kit/samples.ts`)
}

const wrongs: unknown[] = [{ wrong: [] }, [{ wrong: 1 }], 'wrong', -1.5, true, null]

/** The sample with one field that is certainly wrong, and that field's name; null where every field takes anything. */
export function spoiled(route: Route): { body: Record<string, unknown>; field: string } | null {
  const body = bodyFor(route)
  for (const field of Object.keys(route.body?.shape ?? {}))
    for (const wrong of wrongs)
      if (!route.body?.safeParse({ ...body, [field]: wrong }).success)
        return { body: { ...spelledFor(route, body), [nameFor(route, field)]: wrong }, field: nameFor(route, field) }
  return null
}
