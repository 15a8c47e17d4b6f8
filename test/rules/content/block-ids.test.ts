// Blocks and schema items keep ids that are sent and get new ones where none is sent, at any depth.
import { expect, test } from '@jest/globals'
import { blocksWithIds, schemaWithIds } from '../../../rules/content/block-ids.ts'
import { BLOCK_DEPTH_MAX, BlockSchema } from '../../../rules/content/block-schemas.ts'
import type { Block } from '../../../rules/content/block-shape.ts'

const counter = () => {
  let n = 0
  return () => `made-${++n}`
}

test('Schema items without ids get them, children too, and sent ids stay', () => {
  const schema = BlockSchema.parse([
    { key: 'a', type: 'text' },
    {
      id: 'mine',
      key: 'b',
      type: 'list',
      children: [
        { id: 'inner', key: 'c', type: 'text' },
        { key: 'd', type: 'object', children: [{ key: 'e', type: 'url' }] },
      ],
    },
  ])
  const [a, b] = schemaWithIds(schema, counter())
  expect([a?.id, b?.id, b?.children?.[0]?.id, b?.children?.[1]?.id, b?.children?.[1]?.children?.[0]?.id]).toEqual([
    'made-1',
    'mine',
    'inner',
    'made-2',
    'made-3',
  ])
  expect(schemaWithIds([a, b] as never, counter())).toEqual([a, b])
  expect(BlockSchema.safeParse([a, b]).success).toBe(true)
})

test('An item sent without its id keeps the stored one unless another item has it', () => {
  const before = schemaWithIds(
    BlockSchema.parse([
      { key: 'a', type: 'text' },
      { key: 'b', type: 'list', children: [{ key: 'c', type: 'text' }] },
    ]),
    counter(),
  )
  const again = (given: unknown) => schemaWithIds(BlockSchema.parse(given), () => 'new', before)
  const inner = (type: string) => ({ key: 'b', type: 'list', children: [{ key: 'c', type }] })
  expect(again([inner('text'), { key: 'a', type: 'text' }])).toEqual([before[1], before[0]])
  expect(again([inner('url'), { key: 'a', type: 'url' }])).toEqual([
    { key: 'b', type: 'list', id: 'made-2', children: [{ key: 'c', type: 'url', id: 'new' }] },
    { key: 'a', type: 'url', id: 'new' },
  ])
  expect(
    again([
      { id: 'made-1', key: 'z', type: 'text' },
      { key: 'a', type: 'text' },
    ]).map(({ id }) => id),
  ).toEqual(['made-1', 'new'])
  expect(
    again([{ id: 'made-2', key: 'renamed', type: 'list', children: [{ key: 'c', type: 'text' }] }])[0]?.children?.[0]
      ?.id,
  ).toBe('made-3')
})

test('Blocks in objects and lists get ids, and other values stay unchanged', () => {
  const blocks: Block[] = [
    { key: 'a', type: 'text', value: 'x' },
    {
      id: 'mine',
      key: 'b',
      type: 'list',
      value: [
        { key: 'c', type: 'object', value: [{ id: 'deep', key: 'd', type: 'text' }] },
        7,
        'text',
        { key: 'only' },
        null,
      ],
    },
    { key: 'e', type: 'object', value: { key: 'f', type: 'text' } },
    { key: 'g', type: 'hologram', value: [{ key: 'h', type: 'text' }] },
  ]
  const made = blocksWithIds(blocks, counter())
  expect(made).toEqual([
    { id: 'made-1', key: 'a', type: 'text', value: 'x' },
    {
      id: 'mine',
      key: 'b',
      type: 'list',
      value: [
        { id: 'made-2', key: 'c', type: 'object', value: [{ id: 'deep', key: 'd', type: 'text' }] },
        7,
        'text',
        { key: 'only' },
        null,
      ],
    },
    { id: 'made-3', key: 'e', type: 'object', value: { key: 'f', type: 'text' } },
    { id: 'made-4', key: 'g', type: 'hologram', value: [{ key: 'h', type: 'text' }] },
  ])
  expect(blocksWithIds(made, counter())).toEqual(made)
})

test('Ids are made down to the maximum depth of blocks', () => {
  const nested = (levels: number): Block => ({
    key: 'a',
    type: 'list',
    value: levels === 0 ? [] : [nested(levels - 1)],
  })
  expect(JSON.stringify(blocksWithIds([nested(50)], counter())).match(/made-/g)).toHaveLength(BLOCK_DEPTH_MAX)
})

test.each([
  ['text', { min: 3, max: 2 }, 'max'],
  ['localized_text', { min: 3, max: 2 }, 'max'],
  ['markdown', { min: 1, max: 0 }, 'max'],
  ['localized_markdown', { min: 1, max: 0 }, 'max'],
  ['number', { min: 0.5, max: 0.25 }, 'max'],
  ['date', { min: '2026-01-02', max: '2026-01-01T23:59:59Z' }, 'max'],
  ['date', { min: 1, max: 0 }, 'max'],
  ['list', { min_items: 2, max_items: 1 }, 'max_items'],
])('Crossed bounds of a %s are refused at their pointer: %p', (type, properties, at) => {
  const faults = (given: unknown, of = type) =>
    (
      BlockSchema.safeParse([{ key: 'o', type: 'object', children: [{ key: 'a', type: of, properties: given }] }]).error
        ?.issues ?? []
    ).map((issue) => `/${issue.path.join('/')} ${issue.code === 'custom' ? issue.params?.code : issue.code}`)
  expect(faults(properties)).toEqual([`/0/children/0/properties/${at} max_below_min`])
  const [low, high] = Object.entries(properties) as [[string, unknown], [string, unknown]]
  for (const fine of [{ [low[0]]: high[1], [high[0]]: low[1] }, { [low[0]]: low[1] }, { [high[0]]: high[1] }, {}])
    expect([fine, faults(fine)]).toEqual([fine, []])
  expect(faults(properties, 'hologram')).toEqual([])
})
