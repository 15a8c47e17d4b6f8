// A submission holds what its form's schema asks for and nothing else; each thing that does not fit is told at its own place.
import { z } from 'zod'
import { distinct } from '../input/distinct.ts'
import { Key } from '../input/identities.ts'
import { faultsOf, notAnOption } from '../input/validation-errors.ts'
import type { Fault } from '../refusal.ts'
import { GeoLocation } from '../shapes.ts'

export const FIELDS_MAX = 200
/** UTF-16 units of one text. */
export const TEXT_MAX = 10_000
/** Of all fields of one submission, as UTF-8 of their JSON. */
export const SUBMISSION_BYTES_MAX = 262_144

const ItemId = z.string().min(1).max(255)

/** What all items of a schema have, of a form as of a taxonomy. The id is made where none is sent (`withIds`). */
export const itemFields = {
  id: ItemId.optional().describe('Id of the field, unique in the schema. Made by the server if it is left out.'),
  key: Key.describe('Key of the field, unique in the schema.'),
}

type Bounds = { min?: number | null | undefined; max?: number | null | undefined }

/** For `.check`: min may equal max. */
export const ordered = ({ value: { min, max }, issues }: z.core.ParsePayload<Bounds>): void => {
  if (min == null || max == null || min <= max) return
  issues.push({ code: 'custom', input: max, path: ['max'], params: { code: 'max_below_min' }, message: 'max is less than min' })
}

const base = { ...itemFields, required: z.boolean().default(false).describe('Whether a value must be submitted; false by default.') }

/** (API document 2, FormSchema.) */
export const FormItem = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text').describe("Type of the field's value."), ...base }),
    z
      .strictObject({
        type: z.literal('number').describe("Type of the field's value."),
        ...base,
        min: z.number().nullish().describe('Smallest value; null or left out: no limit.'),
        max: z.number().nullish().describe('Largest value; null or left out: no limit.'),
      })
      .check(ordered),
    z.strictObject({ type: z.literal('boolean').describe("Type of the field's value."), ...base }),
    z.strictObject({ type: z.literal('date').describe("Type of the field's value."), ...base }),
    z.strictObject({ type: z.literal('geo_location').describe("Type of the field's value."), ...base }),
    z.strictObject({
      type: z.literal('select').describe("Type of the field's value."),
      ...base,
      options: z
        .array(z.string().min(1).max(255))
        .min(1)
        .max(500)
        .check(distinct((option) => option))
        .describe('Values that can be chosen, 1 to 500.'),
    }),
  ])
  .meta({ id: 'FormSchema', description: 'A field of a form. Items without an id get one.' })
export type FormItem = z.infer<typeof FormItem>

/** Keys are unique, and so are the ids that are sent (design: content, Forms). */
export const FormSchema = z
  .array(FormItem)
  .max(FIELDS_MAX)
  .check(distinct<FormItem>(({ key }) => key, 'key'))
  .check(distinct<FormItem>(({ id }) => id, 'id'))
export type FormSchema = z.infer<typeof FormSchema>

/** An item as it is stored. */
export type Identified<T> = T & { id: string }
type Item = { id: string; key: string; type: string }

/**
 * An id that was sent stays: a storefront that has it goes on working. So does that of what is stored already (`before`): an item that comes without
 * one is the stored item of its key and type, unless another one of the list has that id.
 */
export const withIds = <T extends Omit<Item, 'id'> & { id?: string | undefined }>(
  schema: readonly T[],
  newId: () => string,
  before: readonly Item[] = [],
): Identified<T>[] => {
  const sent = new Set(schema.map(({ id }) => id))
  const stored = new Map(before.filter(({ id }) => !sent.has(id)).map(({ id, key, type }) => [JSON.stringify([key, type]), id]))
  return schema.map((item) => ({ ...item, id: item.id ?? stored.get(JSON.stringify([item.key, item.type])) ?? newId() }))
}

/** As it is sent: `id` or `key`, of both `key` wins; the type is the schema's and may be repeated. */
export const FormField = z
  .strictObject({
    id: ItemId.optional().describe("Id of the field in the form's schema; may be sent instead of `key`."),
    key: ItemId.optional().describe("Key of the field in the form's schema."),
    type: z.string().min(1).max(64).optional().describe("Must equal the type in the form's schema, if it is sent."),
    value: z.unknown().optional().describe("The value, as the field's type demands; null or left out: none."),
  })
  .meta({ id: 'FormField', description: 'A submitted value. Dates are YYYY-MM-DD, geo locations `{lat, lng}` in degrees.' })
export type FormField = z.infer<typeof FormField>

export const FormFields = z.array(FormField).max(FIELDS_MAX)

/** As it is stored and answered. */
export type SubmittedField = { type: FormItem['type']; id: string; key: string; value: unknown }

/**
 * YYYY-MM-DD and never Unix seconds: somebody's birthday or the day they want is a day of the calendar, no instant; as seconds it would be the
 * day before it in some zone. So LocalDate (rules/shapes.ts) has it for calendars, but people are older than 1970. A block's date
 * (rules/content/block-schemas.ts) may be a moment too: content tells when something begins, a form asks somebody for a day.
 */
const CalendarDate = z.iso.date().refine((date) => date >= '0001', { error: 'a date since the year 1', params: { code: 'too_small' } })

/** A word of a list. */
export const oneOf = (options: readonly string[]) =>
  z.string().refine((value) => options.includes(value), { error: () => notAnOption(options), params: { code: 'not_an_option' } })

export const numberBetween = ({ min, max }: Bounds) => z.number().check(z.gte(min ?? -Number.MAX_VALUE), z.lte(max ?? Number.MAX_VALUE))

const shapeOf = (item: FormItem): z.ZodType => {
  switch (item.type) {
    case 'text':
      return z.string().max(TEXT_MAX)
    case 'number':
      return numberBetween(item)
    case 'boolean':
      return z.boolean()
    case 'date':
      return CalendarDate
    case 'geo_location':
      return GeoLocation
    case 'select':
      return oneOf(item.options)
  }
}

const missing = (pointer: string, detail: string): Fault => ({ pointer, code: 'required', detail })

/** Of one place only the first, as what follows comes of it. */
const firstOfEach = (faults: readonly Fault[]) => [...Map.groupBy(faults, ({ pointer }) => pointer).values()].flatMap((atOne) => atOne.slice(0, 1))

/** The value as its shape gives it back, or what is wrong with it, at the pointer or, of an object, below it. */
export const readValue = (shape: z.ZodType, value: unknown, pointer: string): { faults: Fault[]; value?: unknown } => {
  const read = shape.safeParse(value)
  return read.success ? { faults: [], value: read.data } : { faults: firstOfEach(faultsOf(read.error.issues, value, pointer)) }
}

export const valueFaults = (shape: z.ZodType, value: unknown, pointer: string): Fault[] => readValue(shape, value, pointer).faults

/** Which item each field means, with the pointer of the field; a field that means none, or the second of two, is a fault. `at`: of the fields. */
export const matchedFields = <T extends Item>(fields: readonly FormField[], schema: readonly T[], at = '/fields') => {
  const byKey = new Map(schema.map((item) => [item.key, item]))
  const byId = new Map(schema.map((item) => [item.id, item]))
  const matched = new Map<T, { value: unknown; pointer: string }>()
  const faults: Fault[] = []
  for (const [index, { id, key, type, value }] of fields.entries()) {
    const pointer = `${at}/${index}`
    const name = key === undefined && id !== undefined ? 'id' : 'key'
    const item = key !== undefined ? byKey.get(key) : id !== undefined ? byId.get(id) : undefined
    if (key === undefined && id === undefined) faults.push(missing(`${pointer}/key`, 'A field has a key or an id.'))
    else if (!item) faults.push({ pointer: `${pointer}/${name}`, code: 'unknown_field', detail: 'The schema has no such field.' })
    else if (matched.has(item)) faults.push({ pointer: `${pointer}/${name}`, code: 'duplicate', detail: `It is there twice: ${item.key}` })
    else {
      matched.set(item, { value, pointer })
      if (type !== undefined && type !== item.type)
        faults.push({ pointer: `${pointer}/type`, code: 'type_differs', detail: `The field is of type ${item.type}.` })
    }
  }
  return { matched, faults }
}

/** What a browser sends for an input that nobody touched is no value. */
const isAbsent = (value: unknown, { type }: Item) => value == null || (type === 'text' && typeof value === 'string' && value.trim() === '')

/**
 * Either faults, in the order of what was sent and then of what is missing, or what is stored: in the order of the schema, fields without a value
 * left out. A required field that was not sent is told at /fields (API document 2, Forms; design: content, Forms).
 */
export const submissionOf = (fields: readonly FormField[], schema: readonly Identified<FormItem>[]): { faults: Fault[]; fields: SubmittedField[] | null } => {
  const { matched, faults } = matchedFields(fields, schema)
  const values = new Map<FormItem, unknown>()
  for (const [item, { value, pointer }] of matched) {
    if (!isAbsent(value, item)) {
      const read = readValue(shapeOf(item), value, `${pointer}/value`)
      faults.push(...read.faults)
      values.set(item, read.value)
    } else if (item.required) faults.push(missing(`${pointer}/value`, 'This field is required.'))
  }
  for (const item of schema) if (item.required && !matched.has(item)) faults.push(missing('/fields', `${item.key} is required.`))
  if (faults.length > 0) return { faults, fields: null }
  const kept = schema.flatMap((item): SubmittedField[] => (values.has(item) ? [{ type: item.type, id: item.id, key: item.key, value: values.get(item) }] : []))
  if (new TextEncoder().encode(JSON.stringify(kept)).length <= SUBMISSION_BYTES_MAX) return { faults, fields: kept }
  return { faults: [{ pointer: '/fields', code: 'too_big', detail: `A submission has at most ${SUBMISSION_BYTES_MAX} bytes of JSON.` }], fields: null }
}

const item = <T extends 'text' | 'boolean' | 'date'>(type: T, key: string, required = false) => ({ type, key, required })

/** What every new store has, by the form's key, still without ids (API document 2, Form). Operators change them as they like. */
export const defaultForms: Readonly<Record<'contact' | 'service-intake' | 'order-notes', FormSchema>> = {
  contact: [item('text', 'name', true), item('text', 'email', true), item('text', 'phone'), item('text', 'message', true)],
  'service-intake': [item('text', 'name', true), item('text', 'phone'), item('date', 'date_of_birth'), item('boolean', 'first_visit'), item('text', 'notes')],
  'order-notes': [item('text', 'notes'), item('date', 'wanted_on'), item('boolean', 'is_gift'), item('text', 'gift_message')],
}
