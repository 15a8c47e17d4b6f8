// Typed fields fit their taxonomy's schema, and a tree of taxonomies stays a tree of limited depth.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Identified, withIds } from '../../../rules/content/forms.ts'
import {
  isDescendant,
  moveFaults,
  TAXONOMY_DEPTH_MAX,
  TaxonomyEntry,
  type TaxonomyItem,
  TaxonomySchema,
  taxonomyFieldFaults,
} from '../../../rules/content/taxonomies.ts'

type Schema = Identified<TaxonomyItem>[]
type Field = { id?: string; key?: string; type?: string; value?: unknown }

const uuid = '3f0c1f4e-8a39-4f4e-9d55-0d3a51a2f1aa'
const schemaOf = (...items: unknown[]): Schema => {
  let last = 0
  return withIds(TaxonomySchema.parse(items), () => `made-${++last}`)
}
const told = (fields: Field[], schema: Schema) =>
  taxonomyFieldFaults(TaxonomyEntry.parse({ taxonomy_id: uuid, fields }), schema, '/taxonomies/3').map(
    ({ pointer, code }) => ({ pointer, code }),
  )

const schemas = fc
  .record({
    values: fc.uniqueArray(fc.stringMatching(/^[a-z]{4,9}$/), { minLength: 1, maxLength: 5 }),
    shortest: fc.integer({ min: 1, max: 20 }),
    min: fc.integer({ min: -1000, max: 1000 }),
    width: fc.nat(1000),
  })
  .map(({ values, shortest, min, width }) =>
    schemaOf(
      { type: 'text', key: 'colour', value: values, min: 2 },
      { type: 'text', key: 'name', min: shortest, value: [] },
      { type: 'number', key: 'size', min, max: min + width },
      { type: 'boolean', key: 'new' },
      { type: 'geo_location', key: 'place' },
    ),
  )
const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true })
const values = (item: TaxonomyItem): fc.Arbitrary<unknown> => {
  switch (item.type) {
    case 'text':
      return item.value?.length
        ? fc.constantFrom(...item.value)
        : fc.string({ minLength: item.min ?? 0, maxLength: 60 })
    case 'number':
      return fc.integer({ min: item.min ?? 0, max: item.max ?? 0 })
    case 'boolean':
      return fc.boolean()
    case 'geo_location':
      return fc.record({ lat: degrees(90), lng: degrees(180) })
  }
}
/** All five fields, in the order of the schema. */
const valid = schemas.chain((schema) =>
  fc
    .tuple(
      ...schema.map((item) =>
        fc
          .tuple(
            fc.constantFrom({ id: item.id }, { key: item.key }),
            fc.constantFrom({}, { type: item.type }),
            values(item),
          )
          .map(([by, typed, value]): Field => ({ ...by, ...typed, value })),
      ),
    )
    .map((fields) => ({ schema, fields })),
)

const sizes = (schema: Schema) =>
  schema.flatMap((item) => (item.type === 'number' ? [item.min ?? 0, item.max ?? 0] : []))
const shortest = (schema: Schema) => schema.flatMap((item) => (item.type === 'text' ? [item.min ?? 0] : []))[1] ?? 0
type Break = [code: string, index: number, at: string, change: (field: Field, schema: Schema, pick: number) => unknown]
const setting = (of: (schema: Schema, pick: number) => unknown) => (field: Field, schema: Schema, pick: number) =>
  Object.assign(field, { value: of(schema, pick) })
const breaks: Break[] = [
  ['not_an_option', 0, '/value', setting((_, pick) => `None ${pick}`)],
  ['too_small', 1, '/value', setting((schema, pick) => 'x'.repeat(pick % shortest(schema)))],
  ['too_big', 1, '/value', setting((_, pick) => 'x'.repeat(10_001 + pick))],
  ['too_small', 2, '/value', setting((schema, pick) => (sizes(schema)[0] ?? 0) - 1 - pick)],
  ['too_big', 2, '/value', setting((schema, pick) => (sizes(schema)[1] ?? 0) + 0.5 + pick)],
  ['invalid_type', 0, '/value', setting((_, pick) => [1, true, ['a'], {}][pick % 4])],
  ['invalid_type', 2, '/value', setting((_, pick) => ['1', true, [1], {}][pick % 4])],
  ['invalid_type', 3, '/value', setting((_, pick) => ['true', 0, 1, ''][pick % 4])],
  ['invalid_type', 4, '/value', setting((_, pick) => ['1,2', [1, 2], 7, true][pick % 4])],
  ['too_big', 4, '/value/lat', setting((_, pick) => ({ lat: 90.5 + pick, lng: 0 }))],
  ['too_small', 4, '/value/lng', setting((_, pick) => ({ lat: 0, lng: -180.5 - pick }))],
  ['required', 4, '/value/lat', setting(() => ({ lng: 0 }))],
  ['unknown_field', 4, '/value/radius', setting((_, pick) => ({ lat: 0, lng: 0, radius: pick }))],
  ['required', 3, '/value', setting((_, pick) => (pick % 2 ? null : undefined))],
  ['unknown_field', 1, '/key', (field, _, pick) => Object.assign(field, { key: `nobody ${pick}` })],
  [
    'type_differs',
    2,
    '/type',
    (field, _, pick) => Object.assign(field, { type: ['text', 'boolean', 'date', 'select'][pick % 4] }),
  ],
]

test('Valid fields of a taxonomy entry are accepted, all of them or some', () => {
  fc.assert(
    fc.property(valid, fc.nat(5), ({ schema, fields }, count) => {
      expect(told(fields.slice(0, count), schema)).toEqual([])
      expect(told(fields.toReversed(), schema)).toEqual([])
    }),
    { numRuns: 200 },
  )
})

test.each(breaks)(
  'A taxonomy entry with one fault is refused there alone: %s in field %i at %s',
  (code, index, at, change) => {
    fc.assert(
      fc.property(valid, fc.nat(1000), (given, pick) => {
        const fields = structuredClone(given.fields)
        change(fields[index] ?? {}, given.schema, pick)
        expect(told(fields, given.schema)).toEqual([{ pointer: `/taxonomies/3/fields/${index}${at}`, code }])
      }),
      { numRuns: 200 },
    )
  },
)

test('A taxonomy entry names each field once', () => {
  fc.assert(
    fc.property(valid, fc.nat(4), ({ schema, fields }, index) => {
      const { key = '' } = schema[index] ?? {}
      expect(told([...fields, { key, value: 1 }], schema)).toEqual([
        { pointer: '/taxonomies/3/fields/5/key', code: 'duplicate' },
      ])
    }),
    { numRuns: 200 },
  )
})

test('A taxonomy entry with entry_ids alone has no faults', () => {
  expect(taxonomyFieldFaults(TaxonomyEntry.parse({ taxonomy_id: uuid, entry_ids: [uuid] }), [])).toEqual([])
})

test('A taxonomy entry names entries or fields', () => {
  const isAccepted = (entry: object) => TaxonomyEntry.safeParse(entry).success
  const taxonomy_id = '019365c0-0000-7000-8000-00000000000A'
  expect(TaxonomyEntry.parse({ taxonomy_id, entry_ids: [] }).taxonomy_id).toBe(taxonomy_id.toLowerCase())
  expect(isAccepted({ taxonomy_id, fields: [{ key: 'size', type: 'number', value: 3 }] })).toBe(true)
  expect(isAccepted({ taxonomy_id })).toBe(false)
})

describe('Schemas of taxonomies', () => {
  const codesOf = (schema: unknown) =>
    TaxonomySchema.safeParse(schema).error?.issues.map((issue) => [
      issue.path.join('/'),
      issue.code === 'custom' ? issue.params?.code : issue.code,
    ])
  test.each<[string, unknown[], string, string]>([
    [
      'two items of one key',
      [
        { type: 'boolean', key: 'a' },
        { type: 'text', key: 'a' },
      ],
      '1/key',
      'duplicate',
    ],
    [
      'two items of one id',
      [
        { type: 'boolean', key: 'a', id: '1' },
        { type: 'text', key: 'b', id: '1' },
      ],
      '1/id',
      'duplicate',
    ],
    ['an allowed value twice', [{ type: 'text', key: 'a', value: ['x', 'x'] }], '0/value/1', 'duplicate'],
    ['min above max', [{ type: 'number', key: 'a', min: 2, max: 1 }], '0/max', 'max_below_min'],
    ['a negative length', [{ type: 'text', key: 'a', min: -1 }], '0/min', 'too_small'],
    ['a type of forms', [{ type: 'date', key: 'a' }], '0/type', 'invalid_union'],
    ['an option of another type', [{ type: 'boolean', key: 'a', min: 1 }], '0', 'unrecognized_keys'],
  ])('A taxonomy’s schema with %s is refused', (_what, schema, at, code) =>
    expect(codesOf(schema)).toEqual([[at, code]]),
  )
})

describe('Trees of taxonomies', () => {
  const chain = (length: number, name = 'c') =>
    Array.from({ length }, (_, index): [string, string | null] => [
      `${name}${index + 1}`,
      index === 0 ? null : `${name}${index}`,
    ])
  const codes = (...given: Parameters<typeof moveFaults>) =>
    moveFaults(...given).map(({ pointer, code }) => ({ pointer, code }))

  test('A descendant is recognised, and no taxonomy is its own descendant', () => {
    const tree = new Map([...chain(3), ...chain(2, 'd')])
    expect(isDescendant(tree, 'c3', 'c1')).toBe(true)
    expect(isDescendant(tree, 'c1', 'c3')).toBe(false)
    expect(isDescendant(tree, 'c1', 'c1')).toBe(false)
    expect(isDescendant(tree, 'd2', 'c1')).toBe(false)
  })

  test('An allowed move leaves no cycle and no chain that is too long', () => {
    const moves = fc.array(fc.tuple(fc.nat(39), fc.option(fc.nat(39))), { minLength: 50, maxLength: 150 })
    fc.assert(
      fc.property(moves, (wanted) => {
        const tree = new Map<string, string | null>(Array.from({ length: 40 }, (_, index) => [`${index}`, null]))
        for (const [id, to] of wanted) {
          const parent = to === null ? null : `${to}`
          const refused = codes(tree, `${id}`, parent)
          const above: string[] = []
          for (let at = parent; at !== null; at = tree.get(at) ?? null) above.push(at)
          expect(refused.some(({ code }) => code === 'taxonomy_cycle')).toBe(above.includes(`${id}`))
          if (refused.length === 0) tree.set(`${id}`, parent)
        }
        for (const id of tree.keys()) {
          let depth = 1
          for (let at = tree.get(id) ?? null; at !== null && depth <= 40; at = tree.get(at) ?? null) depth++
          expect(depth).toBeLessThanOrEqual(TAXONOMY_DEPTH_MAX)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('A parent that is the taxonomy itself, its descendant or unknown is refused', () => {
    const tree = new Map(chain(3))
    expect(codes(tree, 'c1', 'c3')).toEqual([{ pointer: '/parent_id', code: 'taxonomy_cycle' }])
    expect(codes(tree, 'c1', 'c1')).toEqual([{ pointer: '/parent_id', code: 'taxonomy_cycle' }])
    expect(codes(tree, 'new', 'new')).toEqual([{ pointer: '/parent_id', code: 'taxonomy_cycle' }])
    expect(codes(tree, 'c1', 'nobody')).toEqual([{ pointer: '/parent_id', code: 'taxonomy_unknown' }])
    expect(codes(tree, 'c3', 'c1')).toEqual([])
    expect(codes(tree, 'c3', null)).toEqual([])
  })

  test('A tree is as deep as its limit and not deeper, counting the moved descendants', () => {
    const tree = new Map([...chain(TAXONOMY_DEPTH_MAX), ...chain(3, 'd')])
    const under = (depth: number) => `c${depth}`
    expect(codes(tree, 'new', under(TAXONOMY_DEPTH_MAX - 1))).toEqual([])
    expect(codes(tree, 'new', under(TAXONOMY_DEPTH_MAX))).toEqual([{ pointer: '/parent_id', code: 'too_deep' }])
    expect(codes(tree, 'd1', under(TAXONOMY_DEPTH_MAX - 3))).toEqual([])
    expect(codes(tree, 'd1', under(TAXONOMY_DEPTH_MAX - 2))).toEqual([{ pointer: '/parent_id', code: 'too_deep' }])
  })

  test('A stored cycle does not loop forever', () => {
    const tree = new Map<string, string | null>([
      ['a', 'b'],
      ['b', 'a'],
    ])
    expect(isDescendant(tree, 'a', 'b')).toBe(true)
    expect(codes(tree, 'a', null)).toEqual([])
    expect(codes(tree, 'new', 'a')).toEqual([])
  })
})
