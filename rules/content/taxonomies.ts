// Taxonomies: the schema and check of typed fields, and the rules of the tree: no cycles, limited depth.
import { z } from 'zod'
import { distinct } from '../input/distinct.ts'
import { PartName } from '../input/identities.ts'
import { ofKind } from '../input/kinds.ts'
import { ComparedText, formOf } from '../input/texts.ts'
import type { Fault } from '../refusal.ts'
import { Id } from '../shapes.ts'
import { GeoLocation } from '../stores/addresses.ts'
import {
  FIELDS_MAX,
  type Identified,
  itemFields,
  matchedFields,
  numberBetween,
  oneOf,
  ordered,
  type SubmittedField,
  TEXT_MAX,
  valueFaults,
} from './forms.ts'

/** Only the shape is checked here; typed fields are checked by the schema of the taxonomy. */
export const TaxonomyEntry = z
  .strictObject({
    taxonomy_id: Id.describe('Identifier of the taxonomy.'),
    entry_ids: z
      .array(Id)
      .max(100)
      .optional()
      .describe('Identifiers of what the record is filed under there, 100 at most: taxonomies below it, or entries.'),
    fields: z
      .array(
        z.strictObject({
          id: PartName.optional().describe("Id of the field in the taxonomy's schema; may be sent instead of `key`."),
          key: PartName.optional().describe("Key of the field in the taxonomy's schema."),
          type: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe("Must equal the type in the taxonomy's schema, if it is sent."),
          value: ofKind('text', z.unknown().overwrite(formOf)).optional().describe("The value, of the field's type."),
        }),
      )
      .max(200)
      .optional()
      .describe("Typed values by the taxonomy's schema."),
  })
  .refine((entry) => entry.entry_ids !== undefined || entry.fields !== undefined, {
    error: 'Send `entry_ids` or `fields`.',
    params: { code: 'required' },
  })
  .meta({
    id: 'TaxonomyEntry',
    description: 'A taxonomy with the entries, or with the typed values, that a record is filed under.',
  })
export type TaxonomyEntry = z.infer<typeof TaxonomyEntry>

/** A taxonomy without a parent is at depth 1. Bounds reads and cascading deletes along the tree. */
export const TAXONOMY_DEPTH_MAX = 32

/**
 * An item of a schema. For a text, `value` lists the values that it may have (empty: any), and `min` is its minimum
 * length.
 */
export const TaxonomyItem = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('text').describe("Type of the field's value."),
      ...itemFields,
      value: z
        .array(ComparedText.min(1).max(TEXT_MAX))
        .max(500)
        .check(distinct((value) => value))
        .nullish()
        .describe('Values that a text may have; null or left out for any.'),
      min: z
        .int()
        .min(0)
        .max(TEXT_MAX)
        .nullish()
        .describe('Smallest number, or smallest length of a text; null or left out: no limit.'),
    }),
    z
      .strictObject({
        type: z.literal('number').describe("Type of the field's value."),
        ...itemFields,
        min: z
          .number()
          .nullish()
          .describe('Smallest number, or smallest length of a text; null or left out: no limit.'),
        max: z.number().nullish().describe('Largest number; null or left out: no limit.'),
      })
      .check(ordered),
    z.strictObject({ type: z.literal('boolean').describe("Type of the field's value."), ...itemFields }),
    z.strictObject({ type: z.literal('geo_location').describe("Type of the field's value."), ...itemFields }),
  ])
  .meta({ id: 'TaxonomySchema', description: 'A typed field of a taxonomy. Items without an id get one.' })
export type TaxonomyItem = z.infer<typeof TaxonomyItem>

/** Keys and ids are unique; `withIds` of rules/content/forms.ts generates missing ids. */
export const TaxonomySchema = z
  .array(TaxonomyItem)
  .max(FIELDS_MAX)
  .check(distinct<TaxonomyItem>(({ key }) => key, 'key'))
  .check(distinct<TaxonomyItem>(({ id }) => id, 'id'))
export type TaxonomySchema = z.infer<typeof TaxonomySchema>

const shapeOf = (item: TaxonomyItem): z.ZodType => {
  switch (item.type) {
    case 'text': {
      const text = item.value?.length ? oneOf(item.value) : z.string()
      return text.check(z.minLength(item.min ?? 0), z.maxLength(TEXT_MAX))
    }
    case 'number':
      return numberBetween(item)
    case 'boolean':
      return z.boolean()
    case 'geo_location':
      return GeoLocation
  }
}

/**
 * Errors of the typed fields of an entry; `at` is the pointer of the entry, such as /taxonomies/0. A field without a
 * value is an error.
 */
export const taxonomyFieldFaults = (
  { fields = [] }: Pick<TaxonomyEntry, 'fields'>,
  schema: readonly Identified<TaxonomyItem>[],
  at = '',
): Fault[] => {
  const { matched, faults } = matchedFields(fields, schema, `${at}/fields`)
  for (const [item, { value, pointer }] of matched) {
    if (value == null) faults.push({ pointer: `${pointer}/value`, code: 'required', detail: 'This field is required.' })
    else faults.push(...valueFaults(shapeOf(item), value, `${pointer}/value`))
  }
  return faults
}

/** The fields to store, in the order in which they were sent, each with the id, key and type of the schema. */
export const completedFields = (
  { fields = [] }: Pick<TaxonomyEntry, 'fields'>,
  schema: readonly Identified<TaxonomyItem>[],
): SubmittedField[] =>
  [...matchedFields(fields, schema).matched].map(([{ id, key, type }, { value }]) => ({ type, id, key, value }))

/** The parent of each taxonomy of a tenant, by id; null at the top. */
export type TaxonomyTree = ReadonlyMap<string, string | null>

/** The taxonomy and its ancestors, nearest first. Terminates also for a stored cycle. */
const lineOf = (tree: TaxonomyTree, id: string): Set<string> => {
  const line = new Set<string>()
  for (let at: string | null | undefined = id; at != null && !line.has(at); at = tree.get(at)) line.add(at)
  return line
}

/** Whether `id` is below `ancestor` at any depth. No taxonomy is below itself. */
export const isDescendant = (tree: TaxonomyTree, id: string, ancestor: string): boolean =>
  id !== ancestor && lineOf(tree, id).has(ancestor)

/** Number of levels from the taxonomy down, including itself: 1 if it has no children or does not exist yet. */
const heightOf = (tree: TaxonomyTree, id: string): number => {
  const children = Map.groupBy(tree.keys(), (child) => tree.get(child) ?? null)
  const seen = new Set<string>()
  let height = 0
  for (let level = [id]; level.length > 0; height++) {
    for (const one of level) seen.add(one)
    level = level.flatMap((one) => children.get(one) ?? []).filter((one) => !seen.has(one))
  }
  return height
}

type MoveFault = Fault & { code: 'taxonomy_unknown' | 'taxonomy_cycle' | 'too_deep' }
const fault = (code: MoveFault['code'], detail: string): MoveFault[] => [{ pointer: '/parent_id', code, detail }]

/**
 * Why the taxonomy cannot be moved below that parent (null: to the top), together with its descendants. The `id` of a
 * new taxonomy is not in the tree.
 * taxonomy_unknown and too_deep are 422, taxonomy_cycle is 409.
 */
export const moveFaults = (tree: TaxonomyTree, id: string, parent: string | null): MoveFault[] => {
  if (parent !== null && parent !== id && !tree.has(parent))
    return fault('taxonomy_unknown', 'The {store} has no such taxonomy.')
  if (parent === id || (parent !== null && isDescendant(tree, parent, id)))
    return fault('taxonomy_cycle', 'A taxonomy cannot be below itself.')
  const depth = (parent === null ? 0 : lineOf(tree, parent).size) + heightOf(tree, id)
  return depth > TAXONOMY_DEPTH_MAX
    ? fault('too_deep', `The tree would have more than ${TAXONOMY_DEPTH_MAX} levels.`)
    : []
}
