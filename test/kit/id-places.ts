// The places of a body or a query where an id can stand, read from the declaration, so that tests cover new fields
// automatically.
//   idPlaces(route.body)  → ['/items/*/line_id']
//   placesOf(body, ids)   → [['items', 0, 'line_id']], wherever one of these ids stands
import { z } from 'zod'
import type { Shape } from '../../api/kit/route.ts'

type Schema = {
  $ref?: string
  $defs?: Record<string, Schema>
  format?: string
  description?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
}

type Visit = (place: string, schema: Schema) => void

function walk(schema: Schema, root: Schema, place: string, above: readonly string[], visit: Visit): void {
  const name = schema.$ref?.replace('#/$defs/', '')
  if (name !== undefined) {
    // A recursive shape adds no places.
    if (!above.includes(name))
      walk(name === '#' ? root : (root.$defs?.[name] as Schema), root, place, [...above, name], visit)
    return
  }
  visit(place, schema)
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    walk(part, root, place, above, visit)
  for (const [key, part] of Object.entries(schema.properties ?? {})) walk(part, root, `${place}/${key}`, above, visit)
  if (schema.items) walk(schema.items, root, `${place}/*`, above, visit)
  if (typeof schema.additionalProperties === 'object')
    walk(schema.additionalProperties, root, `${place}/*`, above, visit)
}

/**
 * Recognised by name or format; a list of ids gives the places in it. A field that takes any value (a block's, a node)
 * is listed apart, for a reference may stand there.
 */
export function idPlaces(shape: Shape): { ids: string[]; anything: string[] } {
  const root = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Schema
  const ids = new Set<string>()
  const anything = new Set<string>()
  walk(root, root, '', [], (place, schema) => {
    if (/(^|[/_])(id|ids\/\*)$/.test(place) || schema.format === 'uuid') ids.add(place)
    else if (/\/(blocks\/\*\/value|nodes\/\*)$/.test(place)) anything.add(place)
  })
  return { ids: [...ids], anything: [...anything] }
}

/** Places that are named like a secret or declared to be one. */
export function secretPlaces(shape: Shape): string[] {
  const root = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Schema
  const found = new Set<string>()
  walk(root, root, '', [], (place, { description = '' }) => {
    if (/(password|secret|token|credentials?|signature|private\w*)$/i.test(place) || /write-only/i.test(description))
      found.add(place)
  })
  return [...found]
}

export type Place = readonly (string | number)[]

/** Every place of a value at which one of these ids stands. */
export function placesOf(value: unknown, ids: ReadonlySet<string>, at: Place = []): Place[] {
  if (typeof value === 'string') return ids.has(value) ? [at] : []
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) =>
    placesOf(inner, ids, [...at, Array.isArray(value) ? Number(key) : key]),
  )
}

export const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce((inner, key) => (inner as Record<string | number, unknown>)[key], value)

/** A copy with another value there. */
export function withAt<T>(value: T, place: Place, other: unknown): T {
  const copy = structuredClone(value)
  Object.assign(valueAt(copy, place.slice(0, -1)) as object, { [place.at(-1) as string | number]: other })
  return copy
}

/** `/items/*\/line_id`, as `idPlaces` says it. */
export const patternOf = (place: Place): string =>
  place.map((key) => (typeof key === 'number' ? '/*' : `/${key}`)).join('')
