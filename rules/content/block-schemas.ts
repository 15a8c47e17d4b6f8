// Schemas of blocks: keys are unique, and contradictory limits are refused.
import { z } from 'zod'
import { distinct, distinctPlaces } from '../input/distinct.ts'
import { Key, PartName } from '../input/identities.ts'
import { ComparedText } from '../input/texts.ts'
import { PATTERN_MAX, patternOf } from '../regex/patterns.ts'
import { anyCase, Id, UnixSeconds } from '../shapes.ts'
import { checkedTypesText } from './block-shape.ts'

/** Levels of nested schema items, and so of blocks, including the outermost. */
export const BLOCK_DEPTH_MAX = 10
const ITEMS_MAX = 200

export const referenceKinds = ['media', 'entry', 'product', 'digital_product'] as const
export type ReferenceKind = (typeof referenceKinds)[number]

/** What the deletion of its target does to a reference. */
export const OnDelete = z.enum(['restrict', 'set_null'])
export type OnDelete = z.infer<typeof OnDelete>

/** Unix seconds, a day (its midnight in UTC), or a date and time of RFC 3339. */
export const BlockDate = z.union([UnixSeconds, z.iso.date(), z.iso.datetime({ offset: true })])

/** The time of a date in milliseconds; NaN for an invalid one. */
export const instantOf = (date: unknown): number =>
  typeof date === 'number' ? date * 1000 : typeof date === 'string' ? Date.parse(date) : Number.NaN

const Size = z.int().min(0).max(1_000_000)
const Bound = z.number()
const Length = { min: Size.optional(), max: Size.optional() }

/** Refuses bounds that no value can satisfy. A missing bound is no limit. */
const ordered =
  (
    low: string,
    high: string,
    numberOf: (bound: unknown) => number = (bound) => (typeof bound === 'number' ? bound : Number.NaN),
  ) =>
  ({ value, issues }: z.core.ParsePayload<Record<string, unknown>>): void => {
    if (numberOf(value[high]) < numberOf(value[low]))
      issues.push({
        code: 'custom',
        input: value[high],
        path: [high],
        params: { code: 'max_below_min' },
        message: `Must not be less than \`${low}\`.`,
      })
  }
const looseOf = (shape: z.ZodRawShape, low: string, high: string, numberOf?: (bound: unknown) => number) =>
  z.looseObject(shape).check(ordered(low, high, numberOf))
const PatternText = z
  .string()
  .max(PATTERN_MAX)
  .refine((source) => patternOf(source) !== null, {
    error: 'Expected a pattern of literals, classes, groups, `|` and repetitions, with at most 250 steps.',
    params: { code: 'pattern_invalid' },
  })
const Reference = { on_delete: anyCase(OnDelete).optional() }

/**
 * The `properties` that each type uses: lengths in characters, bounds of numbers and dates, numbers of items. Other
 * properties are stored and ignored.
 */
const properties: Record<string, z.ZodType> = {
  text: looseOf({ ...Length, pattern: PatternText.optional() }, 'min', 'max'),
  localized_text: looseOf({ ...Length, pattern: PatternText.optional() }, 'min', 'max'),
  markdown: looseOf(Length, 'min', 'max'),
  localized_markdown: looseOf(Length, 'min', 'max'),
  number: looseOf({ min: Bound.optional(), max: Bound.optional(), integer: z.boolean().optional() }, 'min', 'max'),
  date: looseOf({ min: BlockDate.optional(), max: BlockDate.optional() }, 'min', 'max', instantOf),
  select: z.looseObject({
    options: z
      .array(ComparedText.min(1).max(255))
      .max(1000)
      .check(distinct((option) => option))
      .optional(),
  }),
  list: looseOf({ min_items: Size.optional(), max_items: Size.optional() }, 'min_items', 'max_items'),
  media: z.looseObject(Reference),
  entry: z.looseObject({ ...Reference, collection_id: Id.optional() }),
  product: z.looseObject(Reference),
  digital_product: z.looseObject(Reference),
}

/** `on_delete` and `collection_id` may be in `properties` instead; the item's own field takes precedence. */
export const BlockSchemaItem = z
  .strictObject({
    id: PartName.optional().describe('Id of the item, unique in the schema. Made by the server if it is left out.'),
    key: Key.describe('Key of the block that the item describes, unique among its siblings.'),
    type: z
      .string()
      .min(1)
      .max(64)
      .describe(
        `Type of the block's value. Values of ${checkedTypesText} are checked. Any other type is free: its value is stored as it is sent.`,
      ),
    required: z.boolean().optional().describe('Whether a value must be present; false by default.'),
    properties: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Limits of the value: `min`, `max`, `pattern`, `options`, `min_items`, `max_items`, depending on the type. Other members are stored as they are.',
      ),
    on_delete: anyCase(OnDelete)
      .optional()
      .describe(
        'What deleting the referenced record does: `restrict` refuses it (the default), `set_null` clears the reference.',
      ),
    collection_id: Id.optional().describe('For type `entry`: the only collection whose entries may be referenced.'),
    get children(): z.ZodOptional<z.ZodArray<typeof BlockSchemaItem>> {
      return z
        .array(BlockSchemaItem)
        .max(ITEMS_MAX)
        .check(uniqueKeys)
        .optional()
        .describe('Schema of the blocks inside an object or a list.')
    },
  })
  .check(({ value, issues }) => {
    const shape = Object.hasOwn(properties, value.type) ? properties[value.type] : undefined
    for (const issue of shape?.safeParse(value.properties ?? {}).error?.issues ?? [])
      issues.push({ ...issue, path: ['properties', ...issue.path], input: value.properties } as z.core.$ZodRawIssue)
  })
  .meta({
    id: 'BlockSchema',
    description: 'What a block of this key must be. `children` describe the blocks inside an object or a list.',
  })
export type BlockSchemaItem = z.infer<typeof BlockSchemaItem>

type Placed = { item: BlockSchemaItem; path: (string | number)[] }
const placed = (items: readonly BlockSchemaItem[], path: (string | number)[] = []): Placed[] =>
  items.flatMap((item, index) => [
    { item, path: [...path, index] },
    ...placed(item.children ?? [], [...path, index, 'children']),
  ])

const uniqueKeys = distinct<{ key: string }>(({ key }) => key, 'key')

/** Keys are unique among siblings, ids in the whole schema. `schemaWithIds` generates missing ids. */
export const BlockSchema = z
  .array(BlockSchemaItem)
  .max(ITEMS_MAX)
  .check(
    uniqueKeys,
    distinctPlaces<BlockSchemaItem>((items) =>
      placed(items).map(({ item, path }) => ({ key: item.id, path: [...path, 'id'] })),
    ),
    ({ value, issues }) => {
      // A path has one index per level, and `children` between two levels.
      for (const { path, item } of placed(value))
        if (path.length === 2 * BLOCK_DEPTH_MAX + 1)
          issues.push({
            code: 'custom',
            input: item,
            path,
            params: { code: 'too_deep' },
            message: `Expected at most ${BLOCK_DEPTH_MAX} levels.`,
          })
    },
  )
export type BlockSchema = z.infer<typeof BlockSchema>

/**
 * What deleting the target does. Required references and those without `on_delete` restrict it, so that no content is
 * lost silently.
 */
export const onDeleteOf = ({ required, on_delete, properties: given }: BlockSchemaItem): OnDelete =>
  required ? 'restrict' : (on_delete ?? anyCase(OnDelete).safeParse(given?.on_delete).data ?? 'restrict')

/** The only collection whose entries may be referenced, if the schema has one. */
export const collectionOf = ({ type, collection_id, properties: given }: BlockSchemaItem): string | undefined =>
  type === 'entry' ? (collection_id ?? Id.safeParse(given?.collection_id).data) : undefined

/** All collections that a schema refers to, used or not, with their paths. */
export const collectionsIn = (schema: readonly BlockSchemaItem[]): { id: string; path: (string | number)[] }[] =>
  placed(schema).flatMap(({ item, path }) => {
    const further = Id.safeParse(item.properties?.collection_id).data
    return [
      ...(item.collection_id === undefined ? [] : [{ id: item.collection_id, path: [...path, 'collection_id'] }]),
      ...(item.type === 'entry' && further !== undefined
        ? [{ id: further, path: [...path, 'properties', 'collection_id'] }]
        : []),
    ]
  })
