// Taxonomies, collections, entries and forms as large as they may be.
import { type Made, type Maker, many } from './maker.ts'

const languages = 'abcdefghijklmnopqrstuvwxyz'
const locale = (nth: number) => `${languages[nth % 26]}${languages[Math.floor(nth / 26) % 26]}`

const nested = (depth: number, wide: number): Record<string, unknown> => ({
  key: `level-${depth}`,
  type: 'object',
  children:
    depth === 0
      ? many(wide, (nth) => ({
          key: `t${nth}`,
          type: 'text',
          properties: { min: 0, max: 900, pattern: '(a|b|ab)*[\\p{L}\\d]{0,40}' },
        }))
      : [nested(depth - 1, wide)],
})
const nestedValue = (depth: number, wide: number): unknown[] =>
  depth < 0
    ? many(wide, (nth) => ({ key: `t${nth}`, type: 'text', value: 'ab'.repeat(20) }))
    : [{ key: `level-${depth}`, type: 'object', value: nestedValue(depth - 1, wide) }]

export async function fillContent({ asOperator, asVisitor, make, unique }: Maker): Promise<{ taxonomies: Made[] }> {
  const fields = many(200, (nth) => ({ key: `f${nth}`, type: 'text', value: many(20, (n) => `option ${nth} ${n}`) }))
  const root = await asOperator('a taxonomy of 200 fields', 'POST', '/taxonomies', () => ({
    key: unique(),
    schema: fields,
  }))
  await asOperator('a taxonomy of 500 words in 60 fields', 'POST', '/taxonomies', () => ({
    key: unique(),
    schema: many(60, (nth) => ({ key: `f${nth}`, type: 'text', value: many(500, (n) => `option ${nth} ${n}`) })),
  }))
  let parent = root.id
  for (let level = 1; level < 32; level++) parent = (await make('/taxonomies', { key: unique(), parent_id: parent })).id
  const children = (await Promise.all(many(100, () => make('/taxonomies', { key: unique(), parent_id: root.id })))).map(
    ({ id }) => id,
  )
  const taxonomies = [
    { taxonomy_id: root.id, entry_ids: children, fields: fields.map(({ key, value }) => ({ key, value: value[0] })) },
  ]

  const wide = many(200, (nth) => ({
    key: `b${nth}`,
    type: ['text', 'select', 'number', 'localized_text', 'date', 'list', 'object', 'markdown'][nth % 8],
    properties:
      nth % 8 === 1
        ? { options: many(100, (n) => `o${n}`) }
        : nth % 8 === 0
          ? { pattern: '([a-z]+\\s?)*\\d*', max: 1000 }
          : {},
  }))
  const collection = await asOperator('a collection of 200 blocks', 'POST', '/collections', () => ({
    key: unique(),
    schema: wide,
  }))
  const value = (nth: number) =>
    [
      `${'word '.repeat(190)}1`,
      'o99',
      nth,
      Object.fromEntries(many(20, (n) => [locale(n), 'text '.repeat(100)])),
      '2030-01-01',
      many(300, (n) => n),
      { a: many(100, (n) => ({ n })) },
      'm'.repeat(5_000),
    ][nth % 8]
  const blocks = wide.map(({ key, type }, nth) => ({ key, type, value: value(nth) }))
  for (let nth = 0; nth < 3; nth++)
    await asOperator('an entry of 200 blocks', 'POST', '/entries', () => ({
      collection_id: collection.id,
      key: unique(),
      blocks: blocks.map((one) => (one.type === 'localized_text' ? { ...one, value: { en: 'text' } } : one)),
      taxonomies,
      slug: Object.fromEntries(many(200, (n) => [`${locale(n)}`, `slug-${n}-${unique()}`])),
      status: 'active',
    }))
  await asOperator('a collection of two thousand blocks, ten deep', 'POST', '/collections', () => ({
    key: unique(),
    schema: many(10, (nth) => ({ ...nested(8, 200), key: `n${nth}` })),
  }))
  const deep = await asOperator('a collection of 200 patterns, ten deep', 'POST', '/collections', () => ({
    key: unique(),
    schema: [nested(8, 200)],
  }))
  await asOperator('an entry ten deep', 'POST', '/entries', () => ({
    collection_id: deep.id,
    key: unique(),
    blocks: nestedValue(8, 200),
    status: 'active',
  }))
  const loose = await asOperator('a collection without a schema', 'POST', '/collections', () => ({ key: unique() }))
  const shapes: [string, unknown][] = [
    ['of 330,000 numbers', many(330_000, (nth) => nth % 10)],
    ['of 54,000 objects', many(54_000, () => ({ a: 1 }))],
    ['of 60,000 words', many(60_000, (nth) => `word ${nth}`)],
    ['of one text', 'word '.repeat(190_000)],
    ['of one word', 'x'.repeat(1_000_000)],
    ['of markup', '<p>&amp;"\\'.repeat(60_000)],
  ]
  for (const [what, value] of shapes)
    await asOperator(`an entry ${what}`, 'POST', '/entries', () => ({
      collection_id: loose.id,
      key: unique(),
      blocks: [{ key: 'b', type: 'object', value: { v: value } }],
      status: 'active',
    }))
  await asOperator('an entry of 500 blocks', 'POST', '/entries', () => ({
    collection_id: loose.id,
    key: unique(),
    blocks: many(500, (nth) => ({ key: `b${nth}`, type: 'markdown', value: 'word '.repeat(380) })),
    status: 'active',
  }))
  await asOperator('an entry of nested lists', 'POST', '/entries', () => ({
    collection_id: loose.id,
    key: unique(),
    blocks: many(500, (nth) => ({
      key: `b${nth}`,
      type: 'list',
      value: many(45, (n) => ({ key: `c${n}`, type: 'text', value: 'v' })),
    })),
    status: 'active',
  }))

  const selects = many(200, (nth) => ({
    key: `s${nth}`,
    type: 'select',
    options: many(300, (n) => `option ${n}`),
    required: true,
  }))
  const form = await asOperator('a form of 200 selects', 'POST', '/forms', () => ({ key: unique(), schema: selects }))
  const submission = { fields: selects.map(({ key }) => ({ key, value: 'option 299' })) }
  await asVisitor('a submission of 200 fields', 'POST', `/forms/${form.id}/submissions`, () => submission)
  const texts = await asOperator('a form of 200 texts', 'POST', '/forms', () => ({
    key: unique(),
    schema: many(200, (nth) => ({ key: `t${nth}`, type: 'text' })),
  }))
  await asVisitor('a submission of 250 KiB', 'POST', `/forms/${texts.id}/submissions`, () => ({
    fields: many(25, (nth) => ({ key: `t${nth}`, value: 'word '.repeat(1_990) })),
  }))
  await asVisitor('a submission of unknown values', 'POST', `/forms/${texts.id}/submissions`, () => ({
    fields: many(200, (nth) => ({ key: `t${nth}`, value: many(1_500, (n) => n % 10) })),
  }))
  return { taxonomies }
}
