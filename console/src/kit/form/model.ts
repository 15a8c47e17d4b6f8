// What a form sends: values by the schema of a body, what changed in them, and where the API's faults belong.
import type { Fault } from '../../../../client/client.ts'
import {
  describe,
  type Option,
  plainText,
  propertiesOf,
  resolved,
  type Schema,
  type Schemas,
  type Shape,
} from '../document/schema.ts'
import type { Item } from '../document/tree.ts'

export const isObject = (value: unknown): value is Item =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
/** What an answer has in place of a secret. */
export const redacted = '__redacted__'

/**
 * A UUID that makes a repeated request the same one: the form makes it, and keeps it until the request was answered.
 */
const isCallersId = (name: string, schema: Schema) =>
  /uuid made by the caller/i.test(schema.description ?? '') && /_?id$/i.test(name)

/** Fields that records have and requests may repeat: what is sent of them changes nothing. */
export function isWritable(given: Schema, schemas: Schemas): boolean {
  const { readOnly, description = '' } = resolved(given, schemas)
  return !readOnly && !/^(Ignored|Must equal)\b/.test(description)
}

export type Body = {
  schema: Schema
  /** The fields that a person fills in, the required ones first. */
  fields: readonly [name: string, schema: Schema][]
  required: readonly string[]
  callersIds: readonly string[]
  /** Whether the body takes the version that the change is based on. */
  takesVersion: boolean
}

export function bodyOf(given: Schema, schemas: Schemas): Body {
  const schema = resolved(given, schemas)
  const required = schema.required ?? []
  const writable = Object.entries(schema.properties ?? {}).filter(([, property]) => isWritable(property, schemas))
  const callersIds = writable.filter(([name, property]) => isCallersId(name, property)).map(([name]) => name)
  const isShown = ([name]: [string, Schema]) => !callersIds.includes(name) && name !== 'version'
  const shown = writable.filter(isShown)
  return {
    schema,
    fields: [
      ...shown.filter(([name]) => required.includes(name)),
      ...shown.filter(([name]) => !required.includes(name)),
    ],
    required,
    callersIds,
    takesVersion: writable.some(([name]) => name === 'version'),
  }
}

/** What a field begins with where a value is required and there is no choice. */
export function beginning(name: string, schema: Schema, schemas: Schemas, depth = 0): unknown {
  const { shape, schema: known } = describe(name, schema, schemas)
  if (known.default !== undefined) return structuredClone(known.default)
  switch (shape.kind) {
    case 'choice':
      return shape.values.length === 1 ? shape.values[0] : undefined
    case 'list':
      return (known.minItems ?? 0) > 0 &&
        depth < 3 &&
        !['text', 'id', 'choice'].includes(describe(name, shape.item, schemas).shape.kind)
        ? [beginning(name, shape.item, schemas, depth + 1)]
        : []
    case 'map':
    case 'free':
      return {}
    case 'object': {
      const begun = shape.required.map((one) => [one, beginning(one, shape.properties[one] ?? {}, schemas, depth + 1)])
      return Object.fromEntries(begun.filter(([, value]) => value !== undefined))
    }
    default:
      return undefined
  }
}

/** The fields of an alternative: its constant, and what begins by itself. */
export function beginningOf(option: Option, by: string | undefined, schemas: Schemas): unknown {
  const begun = beginning('', option.schema, schemas)
  return isObject(begun) && by !== undefined && option.constant !== undefined
    ? { ...begun, [by]: option.constant }
    : begun
}

export function startOf({ fields, required }: Body, schemas: Schemas): Item {
  const begun = fields
    .filter(([name]) => required.includes(name))
    .map(([name, schema]) => [name, beginning(name, schema, schemas)])
  return Object.fromEntries(begun.filter(([, value]) => value !== undefined))
}

/** Secrets come back redacted: left out, the stored ones stay. */
function withoutRedacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRedacted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== redacted)
      .map(([name, one]) => [name, withoutRedacted(one)]),
  )
}

/** The properties that an object has by its shape; undefined where the shape does not say. */
function propertiesBy(value: Item, shape: Shape, schemas: Schemas): Readonly<Record<string, Schema>> | undefined {
  if (shape.kind === 'object') return shape.properties
  if (shape.kind !== 'union') return undefined
  const chosen = shape.options.find((one) => one.constant !== undefined && one.constant === value[shape.by ?? ''])
  return chosen && resolved(chosen.schema, schemas).properties
}

/** The same; of alternatives that look alike, the properties of all. */
export const propertiesIn = (value: Item, shape: Shape, schemas: Schemas): Readonly<Record<string, Schema>> =>
  propertiesBy(value, shape, schemas) ??
  (shape.kind === 'union' ? Object.assign({}, ...shape.options.map((one) => propertiesOf(one.schema, schemas))) : {})

/**
 * Without the fields of answers that a request must not have, such as the files of blocks. A map replaces the stored
 * one: the names of its secrets stay.
 */
function writableOnly(name: string, value: unknown, schema: Schema, schemas: Schemas): unknown {
  const { shape } = describe(name, schema, schemas)
  if (Array.isArray(value) && shape.kind === 'list')
    return value.map((one) => writableOnly(name, one, shape.item, schemas))
  if (!isObject(value)) return value
  if (shape.kind === 'map')
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, writableOnly(key, one, shape.value, schemas)]),
    )
  const properties = propertiesBy(value, shape, schemas)
  if (!properties || Object.keys(properties).length === 0) return withoutRedacted(value)
  const isOpen = shape.kind === 'object' && shape.isOpen
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => one !== redacted && (properties[key] ? isWritable(properties[key], schemas) : isOpen))
      .map(([key, one]) => [key, writableOnly(key, one, properties[key] ?? {}, schemas)]),
  )
}

/** What a record holds of the fields of a body. */
export function valuesOf({ fields }: Body, record: Item, schemas: Schemas): Item {
  const held = fields
    .filter(([name]) => record[name] !== undefined && record[name] !== redacted)
    .filter(([name, schema]) => record[name] !== null || describe(name, schema, schemas).isNullable)
  return Object.fromEntries(held.map(([name, schema]) => [name, writableOnly(name, record[name], schema, schemas)]))
}

/** Without what was left empty. */
export function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => [name, cleaned(one)]),
  )
}

export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => isSame(one, b[at]))
  if (!isObject(a) || !isObject(b)) return false
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) => isSame(a[name], b[name]))
}

/** The names of the fields that differ. */
export const changesOf = (before: Item, after: Item): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !isSame(before[name], after[name]))

/** A JSON pointer (RFC 6901). */
export const pointerTo = (pointer: string, key: string | number): string =>
  `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Where a value has the mark of a secret that the API does not return. The API refuses it. */
export function redactedIn(value: unknown, pointer = ''): string[] {
  if (value === redacted) return [pointer]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, one]) => redactedIn(one, pointerTo(pointer, key)))
}

const expectedName = /^if_?available$/i

/** Whether a change is relative: done twice, it counts twice. `unlessExpected`: what is expected makes it safe. */
export function holdsDelta(value: unknown, unlessExpected: boolean): boolean {
  if (Array.isArray(value)) return value.some((one) => holdsDelta(one, unlessExpected))
  if (!isObject(value)) return false
  const isExpected = Object.entries(value).some(([name, one]) => expectedName.test(name) && one !== undefined)
  if (value.delta !== undefined && !(unlessExpected && isExpected)) return true
  return Object.values(value).some((one) => holdsDelta(one, unlessExpected))
}

/**
 * Levels of stock are written under the number that was read: what is sold meanwhile is not overwritten, and nothing
 * counts twice. `rows`: what was read; a level that is not among them does not exist.
 */
export function withExpected(value: Item, { fields }: Body, rows: readonly Item[], schemas: Schemas): Item {
  const written = fields.map(([name, schema]): [string, unknown] => {
    const { shape } = describe(name, schema, schemas)
    const properties = shape.kind === 'list' ? Object.keys(propertiesOf(shape.item, schemas)) : []
    const expected = properties.find((one) => expectedName.test(one))
    const entries = value[name]
    if (!expected || !Array.isArray(entries)) return [name, entries]
    const ids = properties.filter((one) => /_?id$/i.test(one))
    const levelOf = (entry: Item) => rows.find((row) => ids.every((id) => row[id] === entry[id]))?.available ?? null
    return [name, entries.map((entry) => ({ [expected]: levelOf(entry), ...(cleaned(entry) as Item) }))]
  })
  return Object.fromEntries(written)
}

export type Faults = ReadonlyMap<string, string>
export const faultsOf = (faults: readonly Fault[]): Faults =>
  new Map(faults.map(({ pointer, detail }) => [pointer.startsWith('/') ? pointer : `/${pointer}`, plainText(detail)]))

/** Whether a fault is at a value or within it. */
export const hasFault = (faults: Faults, pointer: string): boolean =>
  [...faults.keys()].some((at) => at === pointer || at.startsWith(`${pointer}/`))
