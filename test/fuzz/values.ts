// Values that a schema accepts, drawn by fast-check from the schema alone, or values of the same name from earlier
// answers where they fit.
import fc from 'fast-check'
import { resolve, type Schema } from './document.ts'

/** A value that the run has seen under this name; undefined for none. */
export type Known = (name: string, draw: number) => unknown

export type Values = (schema: Schema, name: string, depth?: number) => fc.Arbitrary<unknown>

const deepest = 5
const [longest, most] = [20_000, 1_000]
const absent = Symbol('absent')
const words: string[] = [
  ...[
    'sample',
    'USD',
    'DE',
    'Europe/Berlin',
    'en',
    '123456',
    'https://tillwright.test/x',
    '2030-01-28',
    '09:00',
    'monday',
    '2030-01',
    'image/png',
    'acct_1',
  ],
  ...[
    'nobody@tillwright.test',
    'a.b',
    '#aabbcc',
    '127.0.0.1',
    '0 9 * * *',
    '0199aaaa-0000-7000-8000-0000000000aa',
    'a'.repeat(64),
  ],
]
/** What a schema says by its format alone. */
const formats: Record<string, string> = {
  uuid: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  email: '^[a-z][a-z0-9]{0,20}@[a-z][a-z0-9]{0,20}[.][a-z]{2,10}$',
  date: '^(19[7-9][0-9]|20[0-9][0-9])-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$',
}
const regexes = new Map<string, RegExp>()
const regexOf = (pattern: string): RegExp => {
  const known = regexes.get(pattern) ?? new RegExp(pattern, 'u')
  regexes.set(pattern, known)
  return known
}

const lowest = ({ minimum, exclusiveMinimum }: Schema) =>
  Math.max(minimum ?? Number.MIN_SAFE_INTEGER, exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + 1)
const highest = ({ maximum, exclusiveMaximum }: Schema) =>
  Math.min(maximum ?? Number.MAX_SAFE_INTEGER, exclusiveMaximum === undefined ? Infinity : exclusiveMaximum - 1)
/** Of characters, as JSON Schema counts them. */
const lengthOf = (text: string) => [...text].length

/** Whether a text, number or boolean is of this schema. */
export function fits(schema: Schema, value: unknown): boolean {
  if (schema.enum && !schema.enum.includes(value)) return false
  if (typeof value === 'string') {
    const length = lengthOf(value)
    if (schema.type !== 'string' || length < (schema.minLength ?? 0) || length > (schema.maxLength ?? Infinity))
      return false
    const pattern = schema.pattern ?? formats[schema.format ?? '']
    return pattern === undefined || regexOf(pattern).test(value)
  }
  if (typeof value === 'number')
    return (
      (schema.type === 'integer' ? Number.isSafeInteger(value) : schema.type === 'number') &&
      value >= lowest(schema) &&
      value <= highest(schema)
    )
  return typeof value === 'boolean' && schema.type === 'boolean'
}

const matching = (pattern: string): fc.Arbitrary<string> | null => {
  try {
    return fc.stringMatching(regexOf(pattern), { size: '-1' })
  } catch {
    // A look-ahead or a class of characters that fast-check cannot draw from.
    return null
  }
}

function texts(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.format === 'uuid') return fc.uuid()
  const { minLength = 0, maxLength = 40, pattern = formats[schema.format ?? ''] } = schema
  const fitting = words.filter((word) => fits(schema, word))
  const drawn =
    (pattern && matching(pattern)) ||
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 24)), size: 'max' })
  const tame = fc.string({
    unit: fc.constantFrom(...'abcdefgh0123456789'),
    minLength: Math.max(minLength, 1),
    maxLength: Math.max(minLength, Math.min(maxLength, 16)),
    size: 'max',
  })
  // Of a pattern that no known word matches: one that was drawn.
  const sampled = () => fc.sample(drawn, { numRuns: 20, seed: 1 }).find((text) => fits(schema, text))
  const fallback = fitting[0] ?? sampled() ?? 'x'.repeat(minLength)
  const safe = (from: fc.Arbitrary<string>) => from.map((text) => (fits(schema, text) ? text : fallback))
  return fc.oneof(
    { weight: 20, arbitrary: safe(tame) },
    { weight: 20, arbitrary: safe(drawn) },
    { weight: 30, arbitrary: fc.constantFrom(...(fitting.length > 0 ? fitting : [fallback])) },
    // As long as it may be.
    { weight: 1, arbitrary: safe(fc.constant('ß'.repeat(Math.min(schema.maxLength ?? 40, longest)))) },
  )
}

function integers(schema: Schema): fc.Arbitrary<unknown> {
  const [min, max] = [lowest(schema), highest(schema)]
  const from = Math.max(min, Math.min(0, max))
  const near = fc.integer({ min: from, max: Math.min(max, from + 100) })
  return fc.oneof({ weight: 8, arbitrary: near }, { weight: 1, arbitrary: fc.integer({ min, max }) })
}

const numbers = (schema: Schema): fc.Arbitrary<unknown> =>
  fc
    .double({ min: Math.max(lowest(schema), -1e9), max: Math.min(highest(schema), 1e9), noNaN: true })
    .map((value) => (Object.is(value, -0) ? 0 : value))

/** The known value half the time, if it fits. */
const orKnown = (schema: Schema, name: string, known: Known, drawn: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(fc.nat(), fc.nat(9), drawn).map(([draw, turn, value]) => {
    if (turn >= (name.endsWith('_id') || name.endsWith('_ids') || name === 'ids' ? 9 : 5)) return value
    const seen = known(name, draw)
    return seen !== undefined && fits(schema, seen) ? seen : value
  })

/** A drawer of values; `depth` bounds recursive schemas. */
export function valuesOf(schemas: Record<string, Schema>, known: Known): Values {
  const made = new WeakMap<Schema, Map<string, fc.Arbitrary<unknown>>>()
  const values: Values = (schema, name, depth = 0) => {
    const of = made.get(schema) ?? new Map<string, fc.Arbitrary<unknown>>()
    made.set(schema, of)
    const key = `${depth} ${name}`
    const before = of.get(key)
    if (before) return before
    const arbitrary = make(schema, name, depth)
    of.set(key, arbitrary)
    return arbitrary
  }

  function objects(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties: more, propertyNames } = schema
    const fields = Object.entries(properties).flatMap(([field, inner]): [string, fc.Arbitrary<unknown>][] => {
      // Read-only: accepted and ignored.
      if (inner.readOnly) return []
      if (required.includes(field)) return [[field, values(inner, field, depth + 1)]]
      if (depth >= deepest) return []
      return [
        [
          field,
          fc.oneof(
            { weight: 2, arbitrary: fc.constant(absent) },
            { weight: 1, arbitrary: values(inner, field, depth + 1) },
          ),
        ],
      ]
    })
    const declared = fc.tuple(...fields.map(([, arbitrary]) => arbitrary)).map((all) => {
      const whole: Record<string, unknown> = {}
      for (const [at, value] of all.entries()) if (value !== absent) whole[fields[at]?.[0] as string] = value
      return whole
    })
    if (typeof more !== 'object' || depth >= deepest || fields.length > 0) return declared
    const keys = values(
      { type: 'string', minLength: 1, ...(propertyNames ?? {}) },
      'key',
      depth + 1,
    ) as fc.Arbitrary<string>
    return fc
      .array(fc.tuple(keys, values(more, 'value', depth + 1)), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries.filter(([name]) => name !== '__proto__')))
  }

  function make(schema: Schema, name: string, depth: number): fc.Arbitrary<unknown> {
    if (schema.$ref) return values(resolve(schema, schemas), name, depth)
    if ('const' in schema) return fc.constant(schema.const)
    if (schema.enum)
      return orKnown({ type: typeof schema.enum[0], ...schema }, name, known, fc.constantFrom(...schema.enum))
    const either = schema.anyOf ?? schema.oneOf
    if (either) {
      const shallow =
        depth >= deepest ? either.filter(({ $ref, type }) => !$ref && type !== 'object' && type !== 'array') : either
      return fc.oneof(...(shallow.length > 0 ? shallow : either).map((one) => values(one, name, depth)))
    }
    if (schema.allOf)
      return fc.tuple(...schema.allOf.map((one) => values(one, name, depth))).map((all) => Object.assign({}, ...all))
    if (Array.isArray(schema.type))
      return fc.oneof(...schema.type.map((type) => values({ ...schema, type }, name, depth)))
    switch (schema.type) {
      case 'object':
        return objects(schema, depth)
      case 'array': {
        const [min, max] = [schema.minItems ?? 0, schema.maxItems ?? 3]
        const item = values(schema.items ?? {}, name.replace(/ies$/, 'y').replace(/s$/, ''), depth + 1)
        const few = fc.array(item, {
          minLength: min,
          maxLength: depth >= deepest ? min : Math.max(min, Math.min(max, 3)),
        })
        // As many as there may be, of the same.
        const many = item.map((one) => new Array(Math.min(schema.maxItems ?? most, most)).fill(one))
        return depth > 2 ? few : fc.oneof({ weight: 40, arbitrary: few }, { weight: 1, arbitrary: many })
      }
      case 'string':
        return orKnown(schema, name, known, texts(schema))
      case 'integer':
        return orKnown(schema, name, known, integers(schema))
      case 'number':
        return orKnown(schema, name, known, numbers(schema))
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      default:
        return fc.jsonValue({ maxDepth: 2 })
    }
  }
  return values
}
