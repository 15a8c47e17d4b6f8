// Blocks that fit their schema are accepted, and each fault is returned at its pointer.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { BLOCK_DEPTH_MAX, BlockSchema, type BlockSchemaItem } from '../../../rules/content/block-schemas.ts'
import type { Block } from '../../../rules/content/block-shape.ts'
import { blockFaults, blockReferences, VALUE_DEPTH_MAX, withoutReference } from '../../../rules/content/blocks.ts'
import { draws } from '../../kit/draws.ts'

const id = '3f0c1f4e-8a39-4f4e-9d55-0d3a51a2f1aa'
const other = '7b1d2c3e-1111-4f4e-9d55-0d3a51a2f1bb'
const schemaFaults = (schema: unknown) =>
  (BlockSchema.safeParse(schema).error?.issues ?? []).map(
    (issue) => `/${issue.path.join('/')} ${issue.code === 'custom' ? issue.params?.code : issue.code}`,
  )
const told = (blocks: unknown, schema: unknown, languages?: string[]) =>
  blockFaults(blocks as Block[], BlockSchema.parse(schema), { languages }).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  )
const one = (type: string, value: unknown, properties: Record<string, unknown> = {}, more = {}) =>
  told([{ key: 'a', type, value }], [{ key: 'a', type, properties, ...more }])
const nestedIn = (levels: number): unknown => (levels === 0 ? 1 : [nestedIn(levels - 1)])

type Row = [
  type: string,
  properties: Record<string, unknown>,
  good: unknown[],
  bad: [value: unknown, fault: string, at?: string][],
]
const rows: Row[] = [
  [
    'text',
    { min: 2, max: 4, pattern: '^[a-z]+$' },
    ['ab', 'abcd', null],
    [
      [1, 'invalid_type'],
      [['a'], 'invalid_type'],
      ['a', 'too_small'],
      ['abcde', 'too_big'],
      ['AB', 'invalid_format'],
      [{}, 'invalid_type'],
    ],
  ],
  [
    'markdown',
    { max: 5 },
    ['', '# a'],
    [
      ['123456', 'too_big'],
      [true, 'invalid_type'],
    ],
  ],
  [
    'localized_text',
    { min: 1, max: 3, pattern: '\\p{L}*' },
    [{ en: 'abc', 'pt-BR': 'ção' }, {}],
    [
      ['abc', 'invalid_type'],
      [['a'], 'invalid_type'],
      [{ en: 1 }, 'invalid_type', '/en'],
      [{ en: '', de: 'a' }, 'too_small', '/en'],
      [{ en: '1' }, 'invalid_format', '/en'],
      [{ 'a/b': 'a' }, 'unknown_locale', '/a~1b'],
      [JSON.parse('{"__proto__": "a"}'), 'unknown_locale', '/__proto__'],
    ],
  ],
  [
    'localized_markdown',
    {},
    [{ en: '# a', de_DE: '' }],
    [
      ['# a', 'invalid_type'],
      [{ en: null }, 'invalid_type', '/en'],
    ],
  ],
  [
    'number',
    { min: 0, max: 10 },
    [0, 10, 0.5],
    [
      [-1, 'too_small'],
      [10.5, 'too_big'],
      ['1', 'invalid_type'],
      [Number.NaN, 'invalid_type'],
    ],
  ],
  ['number', { integer: true }, [-3], [[1.5, 'invalid_type']]],
  [
    'boolean',
    {},
    [true, false],
    [
      ['true', 'invalid_type'],
      [0, 'invalid_type'],
    ],
  ],
  [
    'date',
    { min: '2026-01-01', max: 1_798_761_600 },
    ['2026-05-01', '2026-05-01T10:00:00+02:00', 1_780_000_000],
    [
      ['2025-12-31', 'too_small'],
      ['2027-01-02', 'too_big'],
      ['2026-02-30', 'invalid_value'],
      [1.5, 'invalid_value'],
      [true, 'invalid_value'],
    ],
  ],
  [
    'select',
    { options: ['a', 'b'] },
    ['a', 'b'],
    [
      ['c', 'not_an_option'],
      [['a'], 'invalid_type'],
    ],
  ],
  [
    'url',
    {},
    ['https://example.com/a?b=c'],
    [
      ['javascript:alert(1)', 'invalid_value'],
      ['/a', 'invalid_value'],
      [1, 'invalid_type'],
    ],
  ],
  [
    'email',
    {},
    ['ada@example.com'],
    [
      ['ada', 'invalid_format'],
      [1, 'invalid_type'],
    ],
  ],
  [
    'geo_location',
    {},
    [{ lat: 52.5, lng: -180 }],
    [
      [{ lat: 91, lng: 0 }, 'too_big', '/lat'],
      [{ lat: 1 }, 'required', '/lng'],
      [{ lat: 1, lng: 1, alt: 1 }, 'unknown_field', '/alt'],
      ['1,1', 'invalid_type'],
    ],
  ],
  ...['media', 'entry', 'product', 'digital_product'].map(
    (type): Row => [
      type,
      {},
      [id, id.toUpperCase()],
      [
        ['a', 'invalid_format'],
        [{ id }, 'invalid_type'],
        [[id], 'invalid_type'],
      ],
    ],
  ),
  ['object', {}, [{ any: 1 }, []], [['a', 'invalid_value']]],
  [
    'list',
    { min_items: 1, max_items: 2 },
    [['a'], [1, null]],
    [
      [[], 'too_small'],
      [[1, 2, 3], 'too_big'],
      [{}, 'invalid_type'],
    ],
  ],
]

test.each(rows)('A value of type %s with %j is checked against its type', (type, properties, good, bad) => {
  for (const value of good) expect([value, one(type, value, properties)]).toEqual([value, []])
  for (const [value, code, at = ''] of bad)
    expect([value, one(type, value, properties)]).toEqual([value, [`/blocks/0/value${at} ${code}`]])
})

test('A value of an unknown type is stored unchanged, but must be there if required', () => {
  for (const value of ['a', 1, {}, [[]]]) expect(one('hologram', value, { min: 'x' })).toEqual([])
  expect(one('hologram', null, {}, { required: true })).toEqual(['/blocks/0/value required'])
  expect(one('constructor', 1)).toEqual([])
})

test('A required value must not be empty', () => {
  const empty: [string, unknown][] = [
    ['text', ''],
    ['localized_text', {}],
    ['localized_text', { en: '' }],
    ['list', []],
    ['number', null],
    ['boolean', undefined],
  ]
  for (const [type, value] of empty)
    expect(one(type, value, {}, { required: true })).toEqual(['/blocks/0/value required'])
  expect([one('number', 0, {}, { required: true }), one('boolean', false, {}, { required: true })]).toEqual([[], []])
})

test('A localised value has only the languages of the store', () => {
  const blocks = [{ key: 'a', type: 'localized_text', value: { en: 'a', de: 'b' } }]
  expect(told(blocks, [{ key: 'a', type: 'localized_text' }], ['en'])).toEqual(['/blocks/0/value/de unknown_locale'])
})

test('A value that is nested too deep is refused without exhausting the stack', () => {
  expect(one('object', nestedIn(VALUE_DEPTH_MAX))).toEqual([])
  expect(one('object', nestedIn(VALUE_DEPTH_MAX + 1))).toEqual(['/blocks/0/value too_deep'])
  expect(one('hologram', nestedIn(5000))).toEqual(['/blocks/0/value too_deep'])
})

describe('Lists of blocks', () => {
  const text = { key: 'a', type: 'text' }

  test('Blocks with an empty schema are accepted as they are', () => {
    expect(blockFaults([{ key: 'a', type: 'text', value: 1 }], [])).toEqual([])
  })

  test('Blocks without a schema may have any keys, and each value fits its own block', () => {
    const blocks = [
      { key: 'a', type: 'text', value: 1 },
      { key: 'a', type: 'number', value: 3, properties: { max: 2 } },
      { key: 'a', type: 'media', value: 'x' },
      { key: 'a', type: 'media', value: null },
      { key: 'b', type: 'hologram', value: [] },
      { key: 'c', type: 'list', value: [{ key: 'd', type: 'number', value: 'anything' }, 7] },
    ]
    const faults = ['/blocks/0/value invalid_type', '/blocks/1/value too_big', '/blocks/2/value invalid_format']
    for (const none of [null, undefined])
      expect(blockFaults(blocks, none).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(faults)
  })

  test('Blocks have each key of their schema once and no others, even __proto__', () => {
    const keys = (...names: string[]) => names.map((key) => ({ key, type: 'text', value: 'x' }))
    expect(told(keys('a', 'b', '__proto__', 'constructor'), [text])).toEqual(
      ['/blocks/1/key', '/blocks/2/key', '/blocks/3/key'].map((at) => `${at} unknown_key`),
    )
    expect(told(keys('a', 'a'), [text])).toEqual(['/blocks/1/key duplicate'])
    expect(told([], [{ ...text, required: true }])).toEqual(['/blocks required'])
    expect(told([{ key: 'a', type: 'number', value: 1 }], [text])).toEqual(['/blocks/0/type type_differs'])
  })

  test('Blocks are checked to their maximum depth, whatever an old schema says', () => {
    let item: BlockSchemaItem = { key: 'a', type: 'text' }
    let block: Block = { key: 'a', type: 'text', value: 1 }
    for (let level = 1; level <= BLOCK_DEPTH_MAX; level++) {
      item = { key: 'a', type: 'object', children: [item] }
      block = { key: 'a', type: 'object', value: [block] }
    }
    expect(blockFaults([block], [item])).toEqual([
      expect.objectContaining({ pointer: `/blocks${'/0/value'.repeat(BLOCK_DEPTH_MAX)}`, code: 'too_deep' }),
    ])
    expect(schemaFaults([item])).toEqual([`/0${'/children/0'.repeat(BLOCK_DEPTH_MAX)} too_deep`])
    expect(blockFaults(block.value as Block[], item.children)).toEqual([
      expect.objectContaining({
        pointer: `/blocks/0${'/value/0'.repeat(BLOCK_DEPTH_MAX - 1)}/value`,
        code: 'invalid_type',
      }),
    ])
  })
})

test('A schema has unique keys among siblings, unique ids and satisfiable bounds', () => {
  const item = { key: 'a', type: 'text' }
  expect(schemaFaults([item, item])).toEqual(['/1/key duplicate'])
  expect(schemaFaults([{ key: 'l', type: 'list', children: [item, item] }])).toEqual(['/0/children/1/key duplicate'])
  expect(
    schemaFaults([
      { ...item, id: 'x' },
      { key: 'l', type: 'list', children: [{ ...item, id: 'x' }] },
    ]),
  ).toEqual(['/1/children/0/id duplicate'])
  expect(schemaFaults([{ ...item, properties: { min: '1' } }])).toEqual(['/0/properties/min invalid_type'])
  expect(schemaFaults([{ ...item, properties: { pattern: '(a' } }])).toEqual(['/0/properties/pattern pattern_invalid'])
  expect(schemaFaults([{ key: 'm', type: 'media', properties: { on_delete: 'cascade' } }])).toEqual([
    '/0/properties/on_delete invalid_value',
  ])
  expect(schemaFaults([{ ...item, unknown: 1 }])).toEqual(['/0 unrecognized_keys'])
  expect(schemaFaults([{ key: 'h', type: 'hologram', properties: { min: 'x', options: 3 } }])).toEqual([])
})

describe('References', () => {
  const schema = BlockSchema.parse([
    { key: 'm', type: 'media', on_delete: 'set_null' },
    { key: 'e', type: 'entry', properties: { on_delete: 'SET_NULL', collection_id: other } },
    { key: 'p', type: 'product', on_delete: 'set_null', required: true },
    {
      key: 'l',
      type: 'list',
      children: [{ key: 'o', type: 'object', children: [{ key: 'd', type: 'digital_product' }] }],
    },
    { key: 't', type: 'text' },
  ])
  const blocks: Block[] = [
    { key: 't', type: 'text', value: id },
    { key: 'm', type: 'media', value: id.toUpperCase() },
    { key: 'e', type: 'entry', value: other },
    { key: 'p', type: 'product', value: id },
    {
      key: 'l',
      type: 'list',
      value: [{ key: 'o', type: 'object', value: [{ key: 'd', type: 'digital_product', value: id }] }],
    },
  ]

  test('All references are found at any depth with their on_delete', () => {
    expect(blockFaults(blocks, schema)).toEqual([])
    expect(blockReferences(blocks, schema)).toEqual([
      { kind: 'media', id, on_delete: 'set_null', pointer: '/blocks/1/value' },
      { kind: 'entry', id: other, on_delete: 'set_null', collection_id: other, pointer: '/blocks/2/value' },
      { kind: 'product', id, on_delete: 'restrict', pointer: '/blocks/3/value' },
      { kind: 'digital_product', id, on_delete: 'restrict', pointer: '/blocks/4/value/0/value/0/value' },
    ])
    const said = blocks.map((block) => ({ ...block, properties: { on_delete: 'set_null' } }))
    for (const none of [[], null])
      expect(
        blockReferences(said, none).map(({ kind, on_delete, pointer }) => `${kind} ${on_delete} ${pointer}`),
      ).toEqual([
        'media set_null /blocks/1/value',
        'entry set_null /blocks/2/value',
        'product set_null /blocks/3/value',
        'digital_product restrict /blocks/4/value/0/value/0/value',
      ])
  })

  test('References to a deleted record become null at any depth, and nothing else changes', () => {
    const before = structuredClone(blocks)
    const after = withoutReference(blocks, [id])
    expect(blockReferences(after, schema)).toEqual([expect.objectContaining({ id: other })])
    expect(after.map(({ value }) => value)).toEqual([
      id,
      null,
      other,
      null,
      [{ key: 'o', type: 'object', value: [{ key: 'd', type: 'digital_product', value: null }] }],
    ])
    expect([after[0] === blocks[0], after[2] === blocks[2], blocks]).toEqual([true, true, before])
    expect(withoutReference(blocks, []).every((block, index) => block === blocks[index])).toBe(true)
  })
})

describe('Random schemas', () => {
  type Path = (string | number)[]
  type Broken = { value: unknown; at: Path; code: string }
  type Sample = { item: Omit<BlockSchemaItem, 'key'>; value: unknown; broken: Broken[] }
  type Child = Sample & { key: string }
  const valid = rows.filter(([type]) => type !== 'object' && type !== 'list')

  const leaf: fc.Arbitrary<Sample> = fc.constantFrom(...valid).chain(([type, properties, good, bad]) =>
    fc
      .record({
        value: fc.constantFrom(
          ...good.filter((value) => value !== null && value !== '' && JSON.stringify(value) !== '{}'),
        ),
        required: fc.boolean(),
      })
      .map((made) => ({
        item: { type, properties, required: made.required },
        value: made.value,
        broken: [
          ...bad.map(([value, code, at = '']) => ({ value, code, at: at.split('/').slice(1) })),
          ...(made.required ? [{ value: null, code: 'required', at: [] }] : []),
        ],
      })),
  )

  /** Blocks of these children, and each fault that one of them or the list itself can have. */
  const setOf = (children: Child[], repeats: boolean): { blocks: Block[]; broken: Broken[] } => {
    const blocks: Block[] = children.map(({ key, item, value }, index) => ({
      key,
      type: item.type,
      value,
      ...(index % 2 ? { id: `i${index}` } : {}),
    }))
    const extra = { key: repeats ? 'none' : '__proto__', type: 'text', value: 'x' }
    const broken: Broken[] = [{ value: [...blocks, extra], at: [blocks.length, 'key'], code: 'unknown_key' }]
    for (const [index, child] of children.entries()) {
      const block = blocks[index] as Block
      for (const { value, at, code } of child.broken)
        broken.push({ value: blocks.with(index, { ...block, value }), at: [index, 'value', ...at], code })
      broken.push({ value: blocks.with(index, { ...block, type: 'other' }), at: [index, 'type'], code: 'type_differs' })
      broken.push({
        value: blocks.with(index, { ...block, more: 1 } as Block),
        at: [index, 'more'],
        code: 'unknown_field',
      })
      if (!repeats) broken.push({ value: [...blocks, block], at: [blocks.length, 'key'], code: 'duplicate' })
      if (!repeats && child.item.required) broken.push({ value: blocks.toSpliced(index, 1), at: [], code: 'required' })
    }
    return { blocks, broken }
  }
  const childrenOf = (depth: number): fc.Arbitrary<Child[]> =>
    fc
      .array(sample(depth), { minLength: 1, maxLength: 4 })
      .map((all) => all.map((one, index) => ({ ...one, key: `k/${index}` })))
  const sample = (depth: number): fc.Arbitrary<Sample> =>
    depth === 0
      ? leaf
      : fc.oneof(
          leaf,
          fc
            .record({
              type: fc.constantFrom('object', 'list'),
              required: fc.boolean(),
              children: childrenOf(depth - 1),
            })
            .map(({ type, required, children }) => {
              const { blocks, broken } = setOf(children, type === 'list')
              const item = { type, required, children: children.map(({ key, item }) => ({ key, ...item })) }
              return { item, value: blocks, broken: [...broken, { value: 'x', at: [], code: 'invalid_type' }] }
            }),
        )

  test('Each of a thousand block sets with one fault is refused at its pointer alone', () => {
    const codes = new Set<string>()
    fc.assert(
      fc.property(childrenOf(3), fc.nat(), (children, pick) => {
        const schema = BlockSchema.parse(children.map(({ key, item }) => ({ key, ...item })))
        const { blocks, broken } = setOf(children, false)
        const { value, at, code } = broken[pick % broken.length] as Broken
        expect(blockFaults(blocks, schema)).toEqual([])
        codes.add(code)
        const pointer = ['/blocks', ...at.map((part) => String(part))].join('/')
        expect(blockFaults(value as Block[], schema).map((fault) => [fault.pointer, fault.code])).toEqual([
          [pointer, code],
        ])
      }),
      { numRuns: draws(250) },
    )
    expect(codes.size).toBeGreaterThan(8)
  })
})

test('A value of 300,000 numbers in a list of blocks is refused or stored quickly', () => {
  const wide = [{ key: 'a', type: 'list', value: Array(300_000).fill(1) }] as Block[]
  const children: BlockSchemaItem[] = [{ key: 'a', type: 'list', children: [{ key: 'b', type: 'text' }] }]
  const faults = blockFaults(wide, children)
  expect(faults.length).toBeLessThan(200)
  expect(faults[0]).toMatchObject({ pointer: '/blocks/0/value/0', code: 'invalid_type' })
  expect(blockReferences(wide, null)).toEqual([])
})
