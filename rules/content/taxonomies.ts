// A typed value fits its taxonomy's schema, and a taxonomy never comes to stand below itself or too deep.
import { z } from 'zod'
import { distinct } from '../input/distinct.ts'
import type { Fault } from '../refusal.ts'
import { GeoLocation, type TaxonomyEntry } from '../shapes.ts'
import { FIELDS_MAX, type Identified, itemFields, matchedFields, numberBetween, oneOf, ordered, type SubmittedField, TEXT_MAX, valueFaults } from './forms.ts'

/** One without a parent is at depth 1. What reads a chain, or cascades down one, ends soon. */
export const TAXONOMY_DEPTH_MAX = 32

/** Of a text, `value` are the values it may have (none: any) and `min` its minimum length (API document 2, Taxonomy; design: content, Taxonomies). */
export const TaxonomyItem = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('text').describe("Type of the field's value."),
      ...itemFields,
      value: z
        .array(z.string().min(1).max(TEXT_MAX))
        .max(500)
        .check(distinct((value) => value))
        .nullish()
        .describe('Values that a text may have; null or left out: any.'),
      min: z.int().min(0).max(TEXT_MAX).nullish().describe('Smallest number, or smallest length of a text; null or left out: no limit.'),
    }),
    z
      .strictObject({
        type: z.literal('number').describe("Type of the field's value."),
        ...itemFields,
        min: z.number().nullish().describe('Smallest number, or smallest length of a text; null or left out: no limit.'),
        max: z.number().nullish().describe('Largest number; null or left out: no limit.'),
      })
      .check(ordered),
    z.strictObject({ type: z.literal('boolean').describe("Type of the field's value."), ...itemFields }),
    z.strictObject({ type: z.literal('geo_location').describe("Type of the field's value."), ...itemFields }),
  ])
  .meta({ id: 'TaxonomySchema', description: 'A typed field of a taxonomy. Items without an id get one.' })
export type TaxonomyItem = z.infer<typeof TaxonomyItem>

/** Keys are unique, and so are the ids that are sent; `withIds` of rules/content/forms.ts makes the others. */
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

/** What is wrong with the typed fields of an entry; `at` is where the entry stands, such as /taxonomies/0. A field that is sent has a value. */
export const taxonomyFieldFaults = ({ fields = [] }: Pick<TaxonomyEntry, 'fields'>, schema: readonly Identified<TaxonomyItem>[], at = ''): Fault[] => {
  const { matched, faults } = matchedFields(fields, schema, `${at}/fields`)
  for (const [item, { value, pointer }] of matched) {
    if (value == null) faults.push({ pointer: `${pointer}/value`, code: 'required', detail: 'This field is required.' })
    else faults.push(...valueFaults(shapeOf(item), value, `${pointer}/value`))
  }
  return faults
}

/** The fields as they are stored and answered: each with the id, key and type that the schema has for it, in the order they were sent. */
export const completedFields = ({ fields = [] }: Pick<TaxonomyEntry, 'fields'>, schema: readonly Identified<TaxonomyItem>[]): SubmittedField[] =>
  [...matchedFields(fields, schema).matched].map(([{ id, key, type }, { value }]) => ({ type, id, key, value }))

/** Of one tenant, every taxonomy's parent by its id; null at the top. */
export type TaxonomyTree = ReadonlyMap<string, string | null>

/** The taxonomy itself and all above it, nearest first; ends also where a stored chain runs in a circle. */
const lineOf = (tree: TaxonomyTree, id: string): Set<string> => {
  const line = new Set<string>()
  for (let at: string | null | undefined = id; at != null && !line.has(at); at = tree.get(at)) line.add(at)
  return line
}

/** Whether `id` stands below `ancestor`, however deep; nothing stands below itself. */
export const isDescendant = (tree: TaxonomyTree, id: string, ancestor: string): boolean => id !== ancestor && lineOf(tree, id).has(ancestor)

/** How many levels there are from it down, itself included: 1 for one that has no children or is not there yet. */
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
 * Why the taxonomy cannot stand below that parent (null: at the top); of a new one `id` is in no tree yet. taxonomy_unknown and too_deep are faults
 * of the input (422), taxonomy_cycle contradicts what is stored (409; design: content, Taxonomies). What is below it moves along.
 */
export const moveFaults = (tree: TaxonomyTree, id: string, parent: string | null): MoveFault[] => {
  if (parent !== null && parent !== id && !tree.has(parent)) return fault('taxonomy_unknown', 'The store has no such taxonomy.')
  if (parent === id || (parent !== null && isDescendant(tree, parent, id))) return fault('taxonomy_cycle', 'A taxonomy cannot stand below itself.')
  const depth = (parent === null ? 0 : lineOf(tree, parent).size) + heightOf(tree, id)
  return depth > TAXONOMY_DEPTH_MAX ? fault('too_deep', `Taxonomies go ${TAXONOMY_DEPTH_MAX} levels deep at most.`) : []
}
