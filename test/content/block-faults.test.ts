// Every invalid value of an entry is refused at its pointer, at any depth, and nothing is stored.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { product } from '../kit/buying.ts'
import { collection, entry, made, mediaRow } from '../kit/content.ts'
import { database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

type Bad = { type: string; value: unknown; code: string; at?: string }
type Item = { key: string; type: string; required?: boolean; properties?: object; collection_id?: string; children?: Item[] }
type Given = { key: string; type: string; value?: unknown }

let shop: Shop
const ids = { media: '', entry: '', elsewhere: '', product: '', digital: '', collection: '' }

beforeAll(async () => {
  shop = await newShop()
  const [authors, others] = [await collection(shop), await collection(shop)]
  ids.collection = authors.id
  ids.entry = (await entry(shop, authors.id)).id
  ids.elsewhere = (await entry(shop, others.id)).id
  ids.media = await mediaRow(shop)
  ids.product = (await product(shop)).id
  ids.digital = (await made(shop.asOperator('POST', '/products', { key: unique(), variants: [{ is_digital: true }] }))).id
})
afterAll(() => database().end())

/** Of every type, bounded where it can be; `required` stands apart, so that a missing value is one more fault. */
const items = (): Item[] => [
  { key: 'text', type: 'text', properties: { min: 2, max: 6, pattern: '^[a-z]+$' } },
  { key: 'localized_text', type: 'localized_text', properties: { min: 1, max: 6 } },
  { key: 'markdown', type: 'markdown', properties: { max: 6 } },
  { key: 'localized_markdown', type: 'localized_markdown', properties: { max: 6 } },
  { key: 'number', type: 'number', properties: { min: -5, max: 5, integer: true } },
  { key: 'boolean', type: 'boolean', required: true },
  { key: 'date', type: 'date', properties: { min: '2026-01-01', max: '2026-12-31' } },
  { key: 'select', type: 'select', properties: { options: ['a', 'b'] } },
  { key: 'url', type: 'url' },
  { key: 'email', type: 'email', required: true },
  { key: 'geo_location', type: 'geo_location' },
  { key: 'media', type: 'media' },
  { key: 'entry', type: 'entry', collection_id: ids.collection },
  { key: 'product', type: 'product' },
  { key: 'digital_product', type: 'digital_product' },
  { key: 'object', type: 'object' },
  { key: 'list', type: 'list', properties: { min_items: 1, max_items: 3 } },
]
const good = (): Given[] =>
  Object.entries({
    text: 'abc',
    localized_text: { en: 'abc', 'pt-BR': 'ção' },
    markdown: '# a',
    localized_markdown: { en: '' },
    number: -3,
    boolean: false,
    date: '2026-06-01',
    select: 'b',
    url: 'https://tillwright.test/',
    email: 'a@tillwright.test',
    geo_location: { lat: 1, lng: 2 },
    media: ids.media,
    entry: ids.entry,
    product: ids.product,
    digital_product: ids.digital,
    object: { any: ['thing'] },
    list: [1],
  }).map(([key, value]) => ({ key, type: key, value }))

const json = fc.jsonValue({ maxDepth: 2 })
const letters = (minLength: number, maxLength: number) => fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength, maxLength })
const not = (...kinds: string[]) => json.filter((value) => value !== null && !kinds.includes(Array.isArray(value) ? 'array' : typeof value))
const wrong = <T>(type: string, values: fc.Arbitrary<T>, code: string, at?: string): fc.Arbitrary<Bad> =>
  values.map((value) => ({ type, value, code, ...(at === undefined ? {} : { at }) }))
const uuid = fc.uuid().filter((id) => !Object.values(ids).includes(id))
const references = ['media', 'entry', 'product', 'digital_product']

/** Each value has one fault. Built in functions, because some need ids of the store. */
const bads = (): fc.Arbitrary<Bad>[] => [
  ...['text', 'markdown', 'select', 'url', 'email', ...references].map((type) => wrong(type, not('string'), 'invalid_type')),
  wrong('text', letters(1, 1), 'too_small'),
  wrong('text', letters(7, 30), 'too_big'),
  wrong('text', fc.constantFrom('ABC', 'a b', 'a1', 'ü é'), 'invalid_format'),
  wrong('markdown', letters(7, 30), 'too_big'),
  ...['localized_text', 'localized_markdown'].flatMap((type) => [
    wrong(type, not('object'), 'invalid_type'),
    wrong(
      type,
      not('string').map((en) => ({ de: 'a', en })),
      'invalid_type',
      '/en',
    ),
    wrong(
      type,
      letters(7, 30).map((en) => ({ en, de: 'a' })),
      'too_big',
      '/en',
    ),
    wrong(
      type,
      fc.constantFrom('1', 'e', 'en/us', 'a~b', '').map((locale) => ({ en: 'a', [locale]: 'a' })),
      'unknown_locale',
    ),
  ]),
  wrong('localized_text', fc.constant({ en: '', de: 'a' }), 'too_small', '/en'),
  wrong('number', not('number'), 'invalid_type'),
  wrong('number', fc.integer({ min: -1000, max: -6 }), 'too_small'),
  wrong('number', fc.integer({ min: 6, max: 1000 }), 'too_big'),
  wrong(
    'number',
    fc.integer({ min: -4, max: 3 }).map((n) => n + 0.5),
    'invalid_type',
  ),
  wrong('boolean', not('boolean'), 'invalid_type'),
  wrong('boolean', fc.constant(null), 'required'),
  wrong('date', fc.constantFrom('yesterday', '2026-02-30', true, {}, '2026-13-01', 1.5), 'invalid_union'),
  wrong('date', fc.constantFrom('2025-12-31', '2025-12-31T23:59:59Z', 0, '2026-01-01T00:30:00+01:00'), 'too_small'),
  wrong('date', fc.constantFrom('2027-01-01', 1_800_000_000, '2026-12-31T00:00:01Z'), 'too_big'),
  wrong('select', letters(2, 5), 'not_an_option'),
  wrong('url', fc.constantFrom('x', '//tillwright.test', 'javascript:alert(1)', 'ftp://tillwright.test/'), 'invalid_value'),
  wrong('email', fc.constantFrom('x', '@x', 'a b@tillwright.test'), 'invalid_format'),
  wrong('email', fc.constantFrom(null, ''), 'required'),
  wrong('geo_location', not('object'), 'invalid_type'),
  wrong('geo_location', fc.constant({ lat: 1 }), 'required', '/lng'),
  wrong(
    'geo_location',
    fc.integer({ min: 91, max: 999 }).map((lat) => ({ lat, lng: 0 })),
    'too_big',
    '/lat',
  ),
  wrong(
    'geo_location',
    fc.integer({ min: -999, max: -181 }).map((lng) => ({ lat: 0, lng })),
    'too_small',
    '/lng',
  ),
  wrong('geo_location', fc.constant({ lat: 1, lng: 2, alt: 3 }), 'unknown_field', '/alt'),
  ...references.flatMap((type) => [wrong(type, letters(0, 40), 'invalid_format'), wrong(type, uuid, `${type}_unknown`)]),
  wrong('entry', fc.constant(ids.elsewhere), 'wrong_collection'),
  wrong('digital_product', fc.constant(ids.product), 'not_digital'),
  wrong('object', not('object', 'array'), 'invalid_union'),
  wrong('list', not('array'), 'invalid_type'),
  wrong('list', fc.constant([]), 'too_small'),
  wrong('list', fc.array(json, { minLength: 4, maxLength: 9 }), 'too_big'),
]

/** Around the blocks of every type: nothing, an object, a list after a valid block, or both, up to four deep. */
type Wrap = 'object' | 'list'
const schemaIn = ([type, ...inner]: readonly Wrap[]): Item[] =>
  type ? [{ key: `in_${type}`, type, children: [...schemaIn(inner), { key: 'other', type: 'text' }] }] : items()
const blocksIn = ([type, ...more]: readonly Wrap[], inner: Given[]): Given[] =>
  type ? [{ key: `in_${type}`, type, value: [...(type === 'list' ? [{ key: 'other', type: 'text', value: 'x' }] : []), ...blocksIn(more, inner)] }] : inner
/** The pointer of the n-th innermost block. */
const pointerIn = (wraps: readonly Wrap[], at: number): string => {
  const places = [0, ...wraps.map((type) => (type === 'list' ? 1 : 0))]
  // Only the last wrap holds more than one block of its own.
  places[places.length - 1] = (places.at(-1) as number) + at
  return `/blocks/${places.join('/value/')}/value`
}

test('200 invalid values are refused with pointer and code, and nothing is stored', async () => {
  const count = async () =>
    (
      await database().query(
        `select (select count(*) from entries where tenant_id = $1) as entries, (select count(*) from slugs where tenant_id = $1) as slugs,
           (select count(*) from block_references where tenant_id = $1) as refs, (select count(*) from taxonomy_links where tenant_id = $1) as links,
           (select count(*) from events where tenant_id = $1) as events, (select jsonb_agg(e order by id) from entries e where tenant_id = $1) as all`,
        [shop.store_id],
      )
    ).rows[0]
  const shapes: Wrap[][] = [[], ['object'], ['list'], ['object', 'list'], ['list', 'object', 'list'], ['object', 'object', 'list', 'list']]
  const stands = await Promise.all(
    shapes.map(async (wraps) => {
      const { id } = await collection(shop, schemaIn(wraps))
      // The valid parts are accepted: only the fault causes the refusal.
      return { wraps, id, stored: await entry(shop, id, { blocks: blocksIn(wraps, good()), slug: { en: unique() } }) }
    }),
  )
  const kinds = bads()
  const cases = fc.sample(fc.tuple(fc.oneof(...kinds), fc.nat(shapes.length - 1), fc.boolean()), { seed: 20_261_121, numRuns: 200 - kinds.length })
  // Each kind of fault at least once.
  const every = kinds.map((kind, n) => [fc.sample(kind, { seed: n, numRuns: 1 })[0] as Bad, n % shapes.length, n % 2 === 0] as const)
  const before = await count()
  const seen = new Set<string>()
  for (const [bad, shape, isNew] of [...every, ...cases]) {
    const { wraps, id, stored } = stands[shape] as (typeof stands)[number]
    const inner = good()
    const at = inner.findIndex(({ type }) => type === bad.type)
    inner[at] = { ...(inner[at] as Given), value: bad.value }
    const blocks = blocksIn(wraps, inner)
    const answer = isNew
      ? await shop.asOperator('POST', '/entries', { collection_id: id, key: unique(), slug: { en: unique() }, blocks }, eitherApi())
      : await shop.asOperator('PUT', `/entries/${stored.id}`, { slug: { en: unique() }, status: 'draft', blocks }, eitherApi())
    const strange =
      bad.code === 'unknown_locale'
        ? `/${(Object.keys(bad.value as object).find((locale) => locale !== 'en') as string).replace('~', '~0').replace('/', '~1')}`
        : ''
    const expected = { pointer: `${pointerIn(wraps, at)}${bad.at ?? strange}`, code: bad.code, detail: expect.any(String) }
    expect([bad, answer.status, answer.body.code, answer.body.errors]).toEqual([bad, 422, 'invalid_input', [expected]])
    seen.add(`${bad.type} ${bad.code}`)
  }
  expect(every.length + cases.length).toBe(200)
  expect(new Set([...seen].map((one) => one.split(' ')[0])).size).toBe(17)
  expect(await count()).toEqual(before)
}, 60_000)

test('Several invalid values are reported together, each at its pointer', async () => {
  const { id } = await collection(shop, items())
  const broken = good().map((block) => (['text', 'number', 'media'].includes(block.type) ? { ...block, value: true } : block))
  const answer = await shop.asOperator('POST', '/entries', { collection_id: id, key: unique(), blocks: broken })
  expect(answer.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
    '/blocks/0/value invalid_type',
    '/blocks/4/value invalid_type',
    '/blocks/11/value invalid_type',
  ])
})
