// Forms: the schema of their fields, and the check of submissions, with every error at its place.
import { z } from 'zod'
import { distinct } from '../input/distinct.ts'
import { Key, PartName } from '../input/identities.ts'
import { ComparedText, textForm } from '../input/texts.ts'
import { faultsOf, notAnOption } from '../input/validation-errors.ts'
import type { Fault } from '../refusal.ts'
import { GeoLocation } from '../stores/addresses.ts'

export const FIELDS_MAX = 200
/** UTF-16 units of one text. */
export const TEXT_MAX = 10_000
/** Limit of all fields of one submission, in bytes of their JSON as UTF-8. */
export const SUBMISSION_BYTES_MAX = 262_144

/** Fields of every schema item, of forms and taxonomies. `withIds` generates missing ids. */
export const itemFields = {
  id: PartName.optional().describe('Id of the field, unique in the schema. Made by the server if it is left out.'),
  key: Key.describe('Key of the field, unique in the schema.'),
}

type Bounds = { min?: number | null | undefined; max?: number | null | undefined }

/** A check (`.check`) that refuses a `max` that is less than `min`. */
export const ordered = ({ value: { min, max }, issues }: z.core.ParsePayload<Bounds>): void => {
  if (min == null || max == null || min <= max) return
  issues.push({
    code: 'custom',
    input: max,
    path: ['max'],
    params: { code: 'max_below_min' },
    message: 'Must not be less than `min`.',
  })
}

const base = {
  ...itemFields,
  required: z.boolean().default(false).describe('Whether a value must be submitted; false by default.'),
}

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
        .array(ComparedText.min(1).max(255))
        .min(1)
        .max(500)
        .check(distinct((option) => option))
        .describe('Values that can be chosen, 1 to 500.'),
    }),
  ])
  .meta({ id: 'FormSchema', description: 'A field of a form. Items without an id get one.' })
export type FormItem = z.infer<typeof FormItem>

/** Keys and ids are unique. */
export const FormSchema = z
  .array(FormItem)
  .max(FIELDS_MAX)
  .check(distinct<FormItem>(({ key }) => key, 'key'))
  .check(distinct<FormItem>(({ id }) => id, 'id'))
export type FormSchema = z.infer<typeof FormSchema>

/** An item with its id, as it is stored. */
export type Identified<T> = T & { id: string }
type Item = { id: string; key: string; type: string }

/**
 * The items with their ids, which storefronts refer to. An id that was sent is kept. An item without an id takes the
 * id of the stored item (`before`) with its key and type, unless another item of the list has it.
 */
export const withIds = <T extends Omit<Item, 'id'> & { id?: string | undefined }>(
  schema: readonly T[],
  newId: () => string,
  before: readonly Item[] = [],
): Identified<T>[] => {
  const sent = new Set(schema.map(({ id }) => id))
  const stored = new Map(
    before.filter(({ id }) => !sent.has(id)).map(({ id, key, type }) => [JSON.stringify([key, type]), id]),
  )
  return schema.map((item) => ({
    ...item,
    id: item.id ?? stored.get(JSON.stringify([item.key, item.type])) ?? newId(),
  }))
}

/** A field as it is sent, named by `id` or `key`; if both are sent, `key` is used. */
export const FormField = z
  .strictObject({
    id: PartName.optional().describe("Id of the field in the form's schema; may be sent instead of `key`."),
    key: PartName.optional().describe("Key of the field in the form's schema."),
    type: z.string().min(1).max(64).optional().describe("Must equal the type in the form's schema, if it is sent."),
    value: z.unknown().optional().describe("The value, of the field's type; null, empty or left out for none."),
  })
  .meta({
    id: 'FormField',
    description: 'A submitted value. Dates are YYYY-MM-DD, geo locations `{lat, lng}` in degrees.',
  })
export type FormField = z.infer<typeof FormField>

export const FormFields = z.array(FormField).max(FIELDS_MAX)

/** A field as it is stored and returned. */
export type SubmittedField = { type: FormItem['type']; id: string; key: string; value: unknown }

/**
 * YYYY-MM-DD, not Unix seconds: a birthday or a wanted day is a day of the calendar and not an instant, which would be
 * the day before in some time zones. LocalDate (rules/shapes.ts) is the same from 1970 on. The date of a block
 * (rules/content/block-schemas.ts) may also be an instant, as content may say when an event starts.
 */
const CalendarDate = z.iso
  .date()
  .refine((date) => date >= '0001', { error: 'Expected a date from the year 1 on.', params: { code: 'too_small' } })

/** One of the options. */
export function oneOf(options: readonly string[]) {
  // Options that were stored before texts had one form.
  const byForm = new Map(options.map((option) => [textForm(option), option]))
  return z
    .string()
    .overwrite((value) => byForm.get(textForm(value)) ?? value)
    .refine((value) => options.includes(value), {
      error: () => notAnOption(options),
      params: { code: 'not_an_option' },
    })
}

export const numberBetween = ({ min, max }: Bounds) =>
  z.number().check(z.gte(min ?? -Number.MAX_VALUE), z.lte(max ?? Number.MAX_VALUE))

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

/** The first error of each place, as further ones follow from it. */
const firstOfEach = (faults: readonly Fault[]) =>
  [...Map.groupBy(faults, ({ pointer }) => pointer).values()].flatMap((atOne) => atOne.slice(0, 1))

/** The parsed value, or its errors at or below the pointer. */
export const readValue = (shape: z.ZodType, value: unknown, pointer: string): { faults: Fault[]; value?: unknown } => {
  const read = shape.safeParse(value)
  return read.success
    ? { faults: [], value: read.data }
    : { faults: firstOfEach(faultsOf(read.error.issues, value, pointer)) }
}

export const valueFaults = (shape: z.ZodType, value: unknown, pointer: string): Fault[] =>
  readValue(shape, value, pointer).faults

/**
 * The item of each field, with the pointer of the field; errors for unknown and duplicate fields. `at`: pointer of the
 * list of fields.
 */
export const matchedFields = <T extends Item>(fields: readonly FormField[], schema: readonly T[], at = '/fields') => {
  const byKey = new Map(schema.map((item) => [textForm(item.key), item]))
  const byId = new Map(schema.map((item) => [textForm(item.id), item]))
  const matched = new Map<T, { value: unknown; pointer: string }>()
  const faults: Fault[] = []
  for (const [index, { id, key, type, value }] of fields.entries()) {
    const pointer = `${at}/${index}`
    const name = key === undefined && id !== undefined ? 'id' : 'key'
    const item = key !== undefined ? byKey.get(key) : id !== undefined ? byId.get(id) : undefined
    if (key === undefined && id === undefined)
      faults.push(missing(`${pointer}/key`, 'Send the `key` or the `id` of the field.'))
    else if (!item)
      faults.push({ pointer: `${pointer}/${name}`, code: 'unknown_field', detail: 'The schema has no such field.' })
    else if (matched.has(item))
      faults.push({ pointer: `${pointer}/${name}`, code: 'duplicate', detail: `Duplicate value: \`${item.key}\`.` })
    else {
      matched.set(item, { value, pointer })
      if (type !== undefined && type !== item.type)
        faults.push({ pointer: `${pointer}/type`, code: 'type_differs', detail: `Expected the type \`${item.type}\`.` })
    }
  }
  return { matched, faults }
}

/** Browsers send an empty text for an input without a value, of every type: a select, a date or a number. */
const isAbsent = (value: unknown) => value == null || (typeof value === 'string' && value.trim() === '')

/**
 * Either the errors, first of the fields that were sent and then of missing ones, or the fields to store: in the
 * order of the schema, without fields that have no value. A required field that was not sent is reported at /fields.
 */
export const submissionOf = (
  fields: readonly FormField[],
  schema: readonly Identified<FormItem>[],
): { faults: Fault[]; fields: SubmittedField[] | null } => {
  const { matched, faults } = matchedFields(fields, schema)
  const values = new Map<FormItem, unknown>()
  for (const [item, { value, pointer }] of matched) {
    if (!isAbsent(value)) {
      const read = readValue(shapeOf(item), value, `${pointer}/value`)
      faults.push(...read.faults)
      values.set(item, read.value)
    } else if (item.required) faults.push(missing(`${pointer}/value`, 'This field is required.'))
  }
  for (const item of schema)
    if (item.required && !matched.has(item)) faults.push(missing('/fields', `${item.key} is required.`))
  if (faults.length > 0) return { faults, fields: null }
  const stored = schema.flatMap((item): SubmittedField[] =>
    values.has(item) ? [{ type: item.type, id: item.id, key: item.key, value: values.get(item) }] : [],
  )
  if (new TextEncoder().encode(JSON.stringify(stored)).length <= SUBMISSION_BYTES_MAX) return { faults, fields: stored }
  return {
    faults: [
      { pointer: '/fields', code: 'too_big', detail: `Expected at most ${SUBMISSION_BYTES_MAX} bytes of JSON.` },
    ],
    fields: null,
  }
}

const item = <T extends 'text' | 'boolean' | 'date'>(type: T, key: string, required = false) => ({
  type,
  key,
  required,
})

/** The forms of a new store by key, without ids. Operators may change them. */
export const defaultForms: Readonly<Record<'contact' | 'service-intake' | 'order-notes', FormSchema>> = {
  contact: [
    item('text', 'name', true),
    item('text', 'email', true),
    item('text', 'phone'),
    item('text', 'message', true),
  ],
  'service-intake': [
    item('text', 'name', true),
    item('text', 'phone'),
    item('date', 'date_of_birth'),
    item('boolean', 'first_visit'),
    item('text', 'notes'),
  ],
  'order-notes': [
    item('text', 'notes'),
    item('date', 'wanted_on'),
    item('boolean', 'is_gift'),
    item('text', 'gift_message'),
  ],
}
