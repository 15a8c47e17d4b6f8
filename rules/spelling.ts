// How the business surface (/v1/businesses, /v1/networks) spells what the store surface says: fields in camelCase, and
// some enums in other letters. Directed by the shapes: keys that callers choose (settings, headers, form values,
// locales) are never changed.
//   inward(z.object({ service_id: Id }), { serviceId: '…' }, faults)   → { service_id: '…' }
import { z } from 'zod'
import { BookingState, DirectState } from './bookings/bookings.ts'
import { noSuch } from './input/nearest-name.ts'
import { losslessJson } from './input/numbers.ts'
import { pointerOf } from './input/pointers.ts'
import { type Fault, faultsMax, note } from './refusal.ts'
import { Weekday } from './scheduling/calendars.ts'
import { RecordStatus } from './shapes.ts'
import { TaxMode } from './stores/markets.ts'
import { ResolverRole, StoreRole } from './stores/roles.ts'
import type { TenantKind } from './stores/tenant-kinds.ts'
import { BusinessEventName, EventName, eventNameForBusiness } from './webhooks/events.ts'

/** The surface that a request calls: each serves the tenants of one kind. */
export type Surface = TenantKind

/** `slot_interval` → `slotInterval` */
export const camel = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const upper = (word: string) => word.toUpperCase()
const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)

type Spelling = (word: string) => string

/** The enums that the business surface spells in other letters; all others are spelled as they are. */
export const spelledEnums: readonly (readonly [z.ZodEnum, Spelling])[] = [
  [RecordStatus, upper],
  [BookingState, upper],
  [DirectState, upper],
  [Weekday, upper],
  [StoreRole, capital],
  [ResolverRole, capital],
  [TaxMode, capital],
  [EventName, eventNameForBusiness],
  [BusinessEventName, eventNameForBusiness],
]
const spellings = new WeakMap<z.core.$ZodType, Spelling>(spelledEnums)

/** An enum of names of fields, such as those that a list is sorted by. */
export function fieldNamesOf<T extends z.ZodEnum>(names: T): T {
  spellings.set(names, camel)
  return names
}

const encodings = new WeakMap<z.core.$ZodType, z.ZodType>()
/** A text that holds the JSON of a shape. */
export function encodes<T extends z.ZodType>(text: T, inner: z.ZodType): T {
  encodings.set(text, inner)
  return text
}

/** What is registered for a shape, or for the one that it is a copy of with another description. */
const registeredFor = <T>(registry: WeakMap<z.core.$ZodType, T>, schema: z.core.$ZodType | undefined): T | undefined =>
  schema && (registry.get(schema) ?? registeredFor(registry, schema._zod.parent))

export const encodedIn = (schema: z.core.$ZodType | undefined): z.ZodType | undefined =>
  registeredFor(encodings, schema)

/** How the words of an enum are spelled; undefined if they are spelled as they are. */
export const wordSpelling = (schema: z.core.$ZodType): Spelling | undefined =>
  schema instanceof z.ZodEnum ? registeredFor(spellings, schema) : undefined

/** A text with the words of an enum, where they stand in backticks, as the business surface spells them. */
export function outwardWords(text: string, schema: z.ZodEnum): string {
  const spell = wordSpelling(schema)
  return spell
    ? schema.options.reduce<string>((said, word) => said.replaceAll(`\`${word}\``, `\`${spell(String(word))}\``), text)
    : text
}

/** The members of an object whose names are declared; undefined for an object that keeps names of its caller. */
export function fieldsOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined
  return schema.def.catchall && !(schema.def.catchall instanceof z.ZodNever) ? undefined : schema.shape
}

const sides = ['in', 'out'] as const
type Side = (typeof sides)[number]

/**
 * The shape inside a wrapper: of what is sent, or of what is answered, for a shape that changes its value. Undefined
 * for a shape that is no wrapper.
 */
export function unwrapped(schema: z.core.$ZodType, side: Side): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return schema.unwrap()
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodReadonly || schema instanceof z.ZodLazy)
    return schema.unwrap()
  if (!(schema instanceof z.ZodPipe)) return undefined
  // A preprocess takes anything: what follows has the shape.
  return side === 'out' || schema.in instanceof z.ZodTransform ? schema.out : schema.in
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The alternative of a union that an object is meant to be: its discriminator says so. */
function meant(union: z.ZodUnion, value: Record<string, unknown>): z.core.$ZodType | undefined {
  if (!(union instanceof z.ZodDiscriminatedUnion)) return union.options.find((option) => objectIn(option))
  const { discriminator } = union.def
  const type = value[camel(discriminator)] as z.core.util.Primitive
  return union.options.find((option) => option._zod.propValues?.[discriminator]?.has(type)) ?? union.options[0]
}
function objectIn(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const inner = unwrapped(schema, 'in')
  return inner ? objectIn(inner) : fieldsOf(schema)
}

/** Where a value is: the key of it, and where what holds it is. */
type Place = { key: PropertyKey; of: Place | null }
function keysTo(place: Place | null): PropertyKey[] {
  const keys: PropertyKey[] = []
  for (let at = place; at; at = at.of) keys.unshift(at.key)
  return keys
}

const leaves = new WeakMap<z.core.$ZodType, boolean>()
/** Whether values of the shape are always spelled as they are. */
function isLeaf(schema: z.core.$ZodType): boolean {
  let known = leaves.get(schema)
  if (known === undefined) {
    const hasParts =
      schema instanceof z.ZodUnion ||
      schema instanceof z.ZodArray ||
      schema instanceof z.ZodRecord ||
      fieldsOf(schema) !== undefined
    known = !hasParts && !unwrapped(schema, 'in') && !wordSpelling(schema) && !encodedIn(schema)
    leaves.set(schema, known)
  }
  return known
}

/** The largest number of items that a list may have; Infinity without a limit. */
export const itemsMaxOf = ({ def }: z.ZodArray): number =>
  Math.min(
    ...(def.checks ?? []).map((check) =>
      check instanceof z.core.$ZodCheckMaxLength ? check._zod.def.maximum : Infinity,
    ),
  )

/**
 * How many names that an object does not declare are kept. More than a refusal lists: some may be fields of the record
 * that are ignored.
 */
const unknownMax = 4 * faultsMax

/**
 * A value that was sent, with the names and words that its shape has. A declared name in snake_case is reported in
 * `faults`: it is no name of the business surface.
 */
export function inward(schema: z.core.$ZodType, value: unknown, faults: Fault[], at: Place | null = null): unknown {
  if (isLeaf(schema)) return value
  if (typeof value === 'string') {
    const encoded = encodedIn(schema)
    if (encoded) return recoded(encoded, value, faults)
  }
  const inner = unwrapped(schema, 'in')
  if (inner) return inward(inner, value, faults, at)
  if (schema instanceof z.ZodUnion) {
    const words =
      typeof value === 'string' ? schema.options.find((option) => inward(option, value, []) !== value) : undefined
    const option = isPlain(value)
      ? meant(schema, value)
      : Array.isArray(value)
        ? schema.options.find((one) => one instanceof z.ZodArray)
        : words
    return option ? inward(option, value, faults, at) : value
  }
  const spell = wordSpelling(schema)
  if (spell && typeof value === 'string') {
    const lower = value.toLowerCase()
    const { options } = schema as z.ZodEnum
    // A word of the store surface only is none of this one, and is refused as any other.
    return options.find((word) => spell(String(word)).toLowerCase() === lower) ?? (options.includes(value) ? '' : value)
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    if (isLeaf(schema.element)) return value
    // One item more than fits is enough to refuse a list that is too long.
    return value
      .slice(0, itemsMaxOf(schema) + 1)
      .map((one, index) => inward(schema.element, one, faults, { key: index, of: at }))
  }
  if (!isPlain(value)) return value
  if (schema instanceof z.ZodRecord && isLeaf(schema.valueType)) return value
  if (schema instanceof z.ZodRecord)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, inward(schema.valueType, one, faults, { key, of: at })]),
    )
  const fields = fieldsOf(schema)
  if (!fields) return value
  const names = namesOf(fields)
  const named: Record<string, unknown> = Object.create(null)
  let unknown = 0
  for (const key of Object.keys(value)) {
    const one = value[key]
    const name = names.get(key)
    if (name !== undefined) named[name] = inward(fields[name] as z.core.$ZodType, one, faults, { key, of: at })
    else if (Object.hasOwn(fields, key))
      note(faults, () => ({
        pointer: pointerOf(keysTo({ key, of: at })),
        code: 'unknown_field',
        detail: noSuch('field', key, names.keys(), faults),
      }))
    else if (unknown++ < unknownMax) named[key] = one
  }
  return { ...named }
}

/** The names of fields by their spelling. */
const namesByFields = new WeakMap<object, ReadonlyMap<string, string>>()
export function namesOf(fields: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const names = namesByFields.get(fields) ?? new Map(Object.keys(fields).map((name) => [camel(name), name]))
  namesByFields.set(fields, names)
  return names
}

function recoded(schema: z.ZodType, text: string, faults: Fault[]): string {
  try {
    return JSON.stringify(inward(schema, losslessJson(text), faults))
  } catch {
    return text
  }
}

type Spelled = { path: string[]; words: string[] | undefined }

/**
 * The path of a fault in the spelling of the business surface, as far as its parts are declared, and the words of the
 * enum at its end, if they are spelled.
 */
export function outwardPlace(schema: z.core.$ZodType | undefined, path: readonly string[]): Spelled {
  const [part, ...rest] = path
  if (!schema) return { path: [...path], words: undefined }
  const inner = unwrapped(schema, 'in')
  if (inner) return outwardPlace(inner, path)
  if (part === undefined) {
    const spell = wordSpelling(schema)
    return { path: [], words: spell && (schema as z.ZodEnum).options.map((word) => spell(String(word))) }
  }
  const below = (name: string, field: z.core.$ZodType | undefined): Spelled => {
    const { path: others, words } = outwardPlace(field, rest)
    return { path: [name, ...others], words }
  }
  if (schema instanceof z.ZodUnion)
    return outwardPlace(
      schema.options.find((option) => Object.hasOwn(objectIn(option) ?? {}, part) || option instanceof z.ZodArray),
      path,
    )
  if (schema instanceof z.ZodArray) return below(part, schema.element)
  if (schema instanceof z.ZodRecord) return below(part, schema.valueType)
  const field = fieldsOf(schema)?.[part]
  return field ? below(camel(part), field) : { path: [...path], words: undefined }
}

/** All names of fields that a shape declares. */
export function declaredNames(
  schema: z.core.$ZodType | undefined,
  names = new Set<string>(),
  seen = new Set<z.core.$ZodType>(),
): Set<string> {
  if (!schema || seen.has(schema)) return names
  seen.add(schema)
  for (const side of sides) declaredNames(unwrapped(schema, side), names, seen)
  declaredNames(encodedIn(schema), names, seen)
  if (schema instanceof z.ZodUnion) for (const option of schema.options) declaredNames(option, names, seen)
  if (schema instanceof z.ZodArray) declaredNames(schema.element, names, seen)
  if (schema instanceof z.ZodRecord) declaredNames(schema.valueType, names, seen)
  for (const [name, field] of Object.entries(fieldsOf(schema) ?? {})) {
    names.add(name)
    declaredNames(field, names, seen)
  }
  return names
}

/** What a surface calls a tenant, by the placeholder for it in the source of a text. */
const tenantNouns: Record<Surface, Readonly<Record<string, string>>> = {
  store: { '{store}': 'store', '{stores}': 'stores', '{Store}': 'Store', '{Stores}': 'Stores' },
  business: { '{store}': 'business', '{stores}': 'businesses', '{Store}': 'Business', '{Stores}': 'Businesses' },
}
const noNames: ReadonlySet<string> = new Set()

/**
 * A text of the source as the surface says it: the placeholders `{store}`, `{stores}`, `{Store}` and `{Stores}` are
 * filled, and on the business surface `names` are spelled where they stand in backticks. Quoted parts have no
 * placeholders: they may be a caller's.
 */
export function saidOn(surface: Surface, text: string, names = noNames): string {
  return text.replaceAll(/`[^`]*`|"[^"]*"|\{[Ss]tores?\}/g, (part) => {
    if (part.startsWith('{')) return tenantNouns[surface][part] as string
    return surface === 'business' && part.startsWith('`')
      ? part.replaceAll(/\w+/g, (word) => (names.has(word) ? camel(word) : word))
      : part
  })
}

/** Members of a problem, which are named by the code: all names are spelled. */
export function outwardMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(outwardMembers)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [camel(name), outwardMembers(one)]))
}
