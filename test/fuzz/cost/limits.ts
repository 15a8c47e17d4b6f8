// Bodies and queries at the limits of the API document: one field at a time, and all of them together.
import fc from 'fast-check'
import { resolve, type Schema } from '../document.ts'
import { fits, type Values } from '../values.ts'

type Step = { field: string } | { item: true } | { choice: number }
/** A list, text, map or number somewhere in a schema. */
export type Place = { path: readonly Step[]; schema: Schema; name: string }
/** `way`: `limit` is as long as it may be, `beyond` as long as a body may be. */
export type Filled = { way: 'limit' | 'beyond'; what: string; value: unknown }

/** Of a body, in bytes. */
export const bodyMax = 1024 * 1024
/** With room for the rest of the body around the field. */
const room = bodyMax - 60_000
const deepest = 8
/** Of a list or map without a bound. */
const unbounded = 20_000
/** Below the 55,000 objects and members that a body may have. */
const members = 54_900

const stepName = (step: Step) => ('field' in step ? `/${step.field}` : 'item' in step ? '[]' : `|${step.choice}`)
const nameOf = (path: readonly Step[]) => path.map(stepName).join('')
const alternativesOf = (schema: Schema) => schema.anyOf ?? schema.oneOf
const isOf = ({ type }: Schema, wanted: string) => [type].flat().includes(wanted)
const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
export const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '')

export function placesOf(given: Schema, schemas: Record<string, Schema>, path: readonly Step[] = []): Place[] {
  const schema = resolve(given, schemas)
  if (path.length > deepest || 'const' in schema || schema.enum) return []
  const either = alternativesOf(schema)
  if (either) return either.flatMap((one, choice) => placesOf(one, schemas, [...path, { choice }]))
  const own: Place = { path, schema, name: nameOf(path) }
  const inner = Object.entries(schema.properties ?? {}).flatMap(([field, one]) =>
    placesOf(one, schemas, [...path, { field }]),
  )
  if (isOf(schema, 'array')) return [own, ...placesOf(schema.items ?? {}, schemas, [...path, { item: true }])]
  if (isOf(schema, 'object')) return [...(typeof schema.additionalProperties === 'object' ? [own] : []), ...inner]
  return isOf(schema, 'boolean') || schema.type === 'null' ? [] : [own]
}

// Texts that make a backtracking validator slow, and texts that are long in units other than characters.
const pieces = ['a', '0', 'a.', '-a', 'ß', '😀', ' ', '{{a}}', '<b>', '\\', '"', '*', "'+", '/', 'A']
const repeated = (piece: string, length: number) => piece.repeat(Math.ceil(length / [...piece].length)).slice(0, length)

type Drawer = {
  /** Some values that the schema accepts, the same ones each time. */
  samples(schema: Schema): unknown[]
  /** What a place may be filled with. */
  fillings(place: Place): Filled[]
  /** The value with the place filled. */
  filled(schema: Schema, base: unknown, place: Place, value: unknown): unknown
  /** Every field at once, as far as the body has room. */
  full(schema: Schema, base: unknown): unknown
}

export function drawerOf(schemas: Record<string, Schema>, values: Values): Drawer {
  const drawn = new WeakMap<Schema, unknown[]>()
  function samples(schema: Schema): unknown[] {
    const known = drawn.get(schema) ?? fc.sample(values(schema, ''), { seed: 1, numRuns: 4 })
    drawn.set(schema, known)
    return known
  }

  /** Valid texts of the greatest length. */
  function longest(schema: Schema, length: number): string[] {
    const all = pieces.map((piece) => repeated(piece, length)).filter((text) => fits(schema, text))
    // A pattern may require another beginning or end.
    return all.length > 0
      ? all
      : ['a@', 'https://a', '/', 'https://a/?']
          .map((head) => `${head}${repeated('a', length - head.length - 4)}.com`)
          .filter((text) => fits(schema, text))
  }

  const itemsOf = (schema: Schema): Schema => resolve(schema.items ?? {}, schemas)

  /** A value like the sample that differs from every other, where its schema allows that. */
  function distinct(given: Schema, value: unknown, nth: number): unknown {
    const schema = resolve(given, schemas)
    if (typeof value === 'string') return [`${nth}`, `a${nth}`].find((text) => fits(schema, text)) ?? value
    if (!isRecord(value) || !schema.properties) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        /^(id|key|sku|name)$/.test(name) ? distinct(schema.properties?.[name] ?? {}, inner, nth) : inner,
      ]),
    )
  }

  function list(schema: Schema, length: number, each: unknown[] = samples(itemsOf(schema))): unknown[] {
    const all: unknown[] = []
    let left = room
    for (let nth = 0; nth < length; nth++) {
      const one = distinct(itemsOf(schema), each[nth % Math.max(1, each.length)] ?? null, nth)
      left -= sizeOf(one) + 1
      if (left < 0) break
      all.push(one)
    }
    return all
  }

  function map(schema: Schema, length: number): Record<string, unknown> {
    const inner = schema.additionalProperties as Schema
    const names = samples({ type: 'string', minLength: 1, ...schema.propertyNames })
    const key = (nth: number) =>
      distinct({ type: 'string', ...schema.propertyNames }, String(names[nth % names.length]), nth)
    return Object.fromEntries(list({ items: inner }, length).map((one, nth) => [key(nth), one]))
  }

  const anything = (): Filled[] => [
    { way: 'limit', what: 'a list of numbers', value: Array(room / 2 - 1).fill(1) },
    { way: 'limit', what: 'a list of empty objects', value: Array(members).fill({}) },
    {
      way: 'limit',
      what: 'a map of many keys',
      value: Object.fromEntries(Array.from({ length: members }, (_, nth) => [`k${nth}`, nth])),
    },
    { way: 'limit', what: 'one text', value: 'x'.repeat(room) },
    { way: 'limit', what: 'one text of many bytes', value: 'ß"'.repeat(room / 4) },
    {
      way: 'limit',
      what: '45 deep',
      value: Array.from({ length: 45 }).reduce((inner: unknown) => [inner, inner === 0 ? 1 : 2], 0),
    },
  ]

  function fillings({ schema }: Place): Filled[] {
    if (isOf(schema, 'string')) {
      const limit = longest(schema, Math.min(schema.maxLength ?? room, room))
      const chosen = [...new Set([limit[0], limit.find((text) => /[^a-z0-9]/i.test(text)), limit.at(-1)])].filter(
        (text) => text !== undefined,
      )
      const beyond = schema.enum
        ? []
        : [repeated('a', room), `${repeated('a.-', room - 10)}\u0001`, repeated('{{', room), repeated(' ', room)]
      return [
        ...chosen.map((value): Filled => ({ way: 'limit', what: `${value.length} × ${value.slice(0, 3)}`, value })),
        ...beyond.map((value): Filled => ({ way: 'beyond', what: `${value.length} × ${value.slice(0, 3)}`, value })),
      ]
    }
    if (isOf(schema, 'array'))
      return [
        { way: 'limit', what: 'as many items as there may be', value: list(schema, schema.maxItems ?? unbounded) },
        { way: 'beyond', what: 'far too many items', value: list(schema, Number.MAX_SAFE_INTEGER) },
        { way: 'beyond', what: 'far too many wrong items', value: Array(Math.floor(room / 3)).fill({}) },
      ]
    if (isOf(schema, 'object')) return [{ way: 'limit', what: 'a map of many keys', value: map(schema, unbounded) }]
    if (isOf(schema, 'integer') || isOf(schema, 'number'))
      return [{ way: 'limit', what: 'the greatest number', value: schema.maximum ?? Number.MAX_SAFE_INTEGER }]
    return anything()
  }

  function filled(given: Schema, base: unknown, place: Place, value: unknown): unknown {
    const put = (outer: Schema, at: unknown, path: readonly Step[]): unknown => {
      const schema = resolve(outer, schemas)
      const [step, ...rest] = path
      if (!step) return value
      if ('choice' in step) {
        const one = alternativesOf(schema)?.[step.choice] ?? {}
        return put(one, rest.length > 0 ? samples(resolve(one, schemas))[0] : at, rest)
      }
      if ('item' in step)
        return [put(schema.items ?? {}, Array.isArray(at) && at.length > 0 ? at[0] : samples(itemsOf(schema))[0], rest)]
      const record = isRecord(at) ? at : samples(schema)[0]
      const holder = isRecord(record) ? record : {}
      return { ...holder, [step.field]: put(schema.properties?.[step.field] ?? {}, holder[step.field], rest) }
    }
    return put(given, base, place.path)
  }

  function full(given: Schema, base: unknown): unknown {
    const at = (outer: Schema, scale: number, depth: number, own: unknown): unknown => {
      const schema = resolve(outer, schemas)
      const either = alternativesOf(schema)
      if ('const' in schema) return schema.const
      if (schema.enum) return own ?? schema.enum[0]
      if (either) return at(either[0] ?? {}, scale, depth, own)
      const count = (most: number) => Math.max(1, Math.floor(most * scale))
      if (isOf(schema, 'string'))
        return own ?? longest(schema, count(Math.min(schema.maxLength ?? 10_000, 10_000)))[0] ?? samples(schema)[0]
      if (isOf(schema, 'array')) {
        const one =
          depth > 3
            ? samples(itemsOf(schema))[0]
            : at(schema.items ?? {}, scale, depth + 1, Array.isArray(own) ? own[0] : undefined)
        return list(schema, count(Math.min(schema.maxItems ?? 2_000, 2_000)), [one])
      }
      if (isOf(schema, 'object') && schema.properties && depth < 5) {
        const inner = Object.entries(schema.properties).map(([name, one]) => [
          name,
          at(one, scale, depth + 1, isRecord(own) ? own[name] : undefined),
        ])
        return Object.fromEntries(inner)
      }
      if (isOf(schema, 'object') && typeof schema.additionalProperties === 'object') return map(schema, count(1_000))
      return own ?? samples(schema)[0] ?? null
    }
    for (const scale of [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005]) {
      const whole = at(given, scale, 0, base)
      if (sizeOf(whole) < room) return whole
    }
    return base
  }

  return { samples, fillings, filled, full }
}
