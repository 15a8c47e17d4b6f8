// An entry fits its collection's schema, is found by key, slug, text and taxonomies, and publishes an event whenever it
// changes.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { webhook } from '../kit/bookings/booking-reminders.ts'
import { collection, entry, type Made, made } from '../kit/content/content.ts'
import { atOnce, product } from '../kit/orders/buying.ts'
import { database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let posts: Made
const schema = [
  { key: 'title', type: 'localized_text', required: true },
  { key: 'body', type: 'markdown' },
]
const title = (en: string) => ({ key: 'title', type: 'localized_text', value: { en } })
beforeAll(async () => {
  shop = await newShop({ languages: ['en', 'de'] })
  posts = await collection(shop, schema)
})
afterAll(() => database().end())

const ask = (...asked: Parameters<Shop['asOperator']>) => shop.asOperator(...asked)
const post = (more: object = {}) => entry(shop, posts.id, { blocks: [title('Hello')], ...more })
const faultsOf = (answer: Awaited<ReturnType<typeof ask>>): [number, string[]] => [
  answer.status,
  (answer.body.errors ?? []).map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`),
]

test('An entry is created, read by id and slug, updated in part and deleted', async () => {
  const [key, slug] = [unique(), { en: unique(), de: unique() }]
  const blocks = [
    title('Hello'),
    { id: 'mine', key: 'body', type: 'markdown', value: '# Hello', properties: { wide: true } },
  ]
  const one = await made(ask('POST', '/entries', { collection_id: posts.id, key, slug, blocks }))
  expect(one).toEqual({
    id: expect.any(String),
    collection_id: posts.id,
    key,
    slug,
    blocks: [{ id: expect.any(String), ...blocks[0] }, blocks[1]],
    taxonomies: [],
    status: 'active',
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  })
  for (const name of [one.id, slug.en, slug.de, `${slug.de}?locale=de`])
    expect((await ask('GET', `/entries/${name}`)).body).toEqual(one)
  for (const name of [`${slug.de}?locale=en`, key, unique()])
    expect((await ask('GET', `/entries/${name}`)).status).toBe(404)

  const later = { updated_at: expect.any(Number) }
  expect(await made(ask('PUT', `/entries/${one.id}`, { status: 'DRAFT', slug: { en: slug.en } }))).toEqual({
    ...one,
    status: 'draft',
    slug: { en: slug.en },
    ...later,
  })
  expect((await ask('GET', `/entries/${slug.de}`)).status).toBe(404)
  // What was read can be sent back, its collection with it.
  const read = (await ask('GET', `/entries/${one.id}`)).body
  expect(await made(ask('PUT', `/entries/${one.id}`, read))).toEqual({ ...read, ...later })
  expect(await made(ask('PUT', `/entries/${one.id}`, { collection_id: posts.id.toUpperCase() }))).toEqual({
    ...read,
    ...later,
  })
  expect((await ask('DELETE', `/entries/${one.id}`)).body).toEqual({ success: true })
  for (const name of [one.id, slug.en]) expect((await ask('GET', `/entries/${name}`)).status).toBe(404)
  expect((await ask('DELETE', `/entries/${one.id}`)).status).toBe(404)
  expect((await ask('PUT', `/entries/${one.id}`, { blocks })).status).toBe(404)
})

test('An entry’s key is unique in its collection, not in the store', async () => {
  const other = await collection(shop)
  const key = `a%_:ü ${unique()}`
  const one = await post({ key })
  expect((await entry(shop, other.id, { key })).key).toBe(key)
  expect(faultsOf(await ask('POST', '/entries', { collection_id: posts.id, key, blocks: [title('x')] }))).toEqual([
    409,
    ['/key key_taken'],
  ])
  const second = await post()
  expect(faultsOf(await ask('PUT', `/entries/${second.id}`, { key }))).toEqual([409, ['/key key_taken']])
  expect((await ask('GET', `/entries?key=${encodeURIComponent(key)}&collection_id=${posts.id}`)).body.items).toEqual([
    one,
  ])
  expect((await ask('GET', `/entries?key=${encodeURIComponent(key)}`)).body.items).toHaveLength(2)
})

test('An entry’s slug is unique per locale in all collections of the store', async () => {
  const other = await collection(shop)
  const slug = unique()
  const one = await post({ slug: { en: slug } })
  expect(
    faultsOf(await ask('POST', '/entries', { collection_id: other.id, key: unique(), slug: { de: 'frei', en: slug } })),
  ).toEqual([409, ['/slug/en slug_taken']])
  const german = await entry(shop, other.id, { slug: { de: slug } })
  for (const [locale, id] of [
    ['en', one.id],
    ['de', german.id],
  ])
    expect((await ask('GET', `/entries/${slug}?locale=${locale}`)).body.id).toBe(id)
  // The store's own languages come first, in their order.
  expect((await ask('GET', `/entries/${slug}`)).body.id).toBe(one.id)
  // A product may have the same slug.
  expect((await ask('POST', '/products', { key: unique(), slug: { en: slug } })).status).toBe(201)
})

test('Of concurrent entries with the same key or slug, one is created', async () => {
  for (const more of [() => ({ key: unique() }), () => ({ slug: { en: unique() } })])
    for (let round = 0; round < 5; round++) {
      const given = more()
      const answers = await atOnce(4, () =>
        ask(
          'POST',
          '/entries',
          { collection_id: posts.id, key: unique(), blocks: [title('x')], ...given },
          eitherApi(),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
      expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code)).size).toBe(1)
    }
})

test.each([
  ['without its collection', { collection_id: undefined }, '/collection_id required'],
  [
    'for an unknown collection',
    { collection_id: '0199aaaa-0000-7000-8000-000000000001' },
    '/collection_id collection_unknown',
  ],
  ['without a key', { key: undefined }, '/key required'],
  ['without a required block', { blocks: undefined }, '/blocks required'],
  ['with an unknown block', { blocks: [title('a'), { key: 'x', type: 'text' }] }, '/blocks/1/key unknown_key'],
  ['with an invalid locale', { slug: { '1': 'a' } }, '/slug/1 invalid_key'],
  ['with an invalid status', { status: 'gone' }, '/status invalid_value'],
  [
    'under an unknown taxonomy',
    { taxonomies: [{ taxonomy_id: '0199aaaa-0000-7000-8000-000000000001', entry_ids: [] }] },
    '/taxonomies/0/taxonomy_id taxonomy_unknown',
  ],
  ['with a typo', { stauts: 'draft' }, '/stauts unknown_field'],
])('An entry %s is refused', async (_, more, fault) => {
  const good = { collection_id: posts.id, key: unique(), blocks: [title('a')] }
  expect(faultsOf(await ask('POST', '/entries', { ...good, ...more }))).toEqual([422, [fault]])
})

test('An entry cannot move to another collection', async () => {
  const other = await collection(shop)
  const one = await post()
  expect(faultsOf(await ask('PUT', `/entries/${one.id}`, { collection_id: other.id }))).toEqual([
    422,
    ['/collection_id collection_fixed'],
  ])
})

test('An entry cannot use a collection or a reference of another store', async () => {
  const other = await newShop()
  const theirs = await collection(other)
  expect(faultsOf(await ask('POST', '/entries', { collection_id: theirs.id, key: unique() }))).toEqual([
    422,
    ['/collection_id collection_unknown'],
  ])
  const target = await entry(other, theirs.id)
  const links = await collection(shop, [{ key: 'to', type: 'entry' }])
  const to = { collection_id: links.id, key: unique(), blocks: [{ key: 'to', type: 'entry', value: target.id }] }
  expect(faultsOf(await ask('POST', '/entries', to))).toEqual([422, ['/blocks/0/value entry_unknown']])
})

test('An entry refers only to entries of the collection that the schema names', async () => {
  const authors = await collection(shop)
  const ada = await entry(shop, authors.id)
  const elsewhere = await post()
  const books = await collection(shop, [
    {
      key: 'by',
      type: 'list',
      children: [{ key: 'author', type: 'entry', properties: { collection_id: authors.id } }],
    },
  ])
  const by = (value: string) => ({
    collection_id: books.id,
    key: unique(),
    blocks: [{ key: 'by', type: 'list', value: [{ key: 'author', type: 'entry', value }] }],
  })
  expect((await ask('POST', '/entries', by(ada.id.toUpperCase()))).status).toBe(201)
  expect(faultsOf(await ask('POST', '/entries', by(elsewhere.id)))).toEqual([
    422,
    ['/blocks/0/value/0/value wrong_collection'],
  ])
  expect((await ask('DELETE', `/entries/${ada.id}`)).body.code).toBe('referenced')
})

test('An entry with faults at any depth is refused with all pointers, and nothing is stored', async () => {
  const authors = await collection(shop)
  const elsewhere = await post()
  const physical = await product(shop)
  const list = {
    key: 'list',
    type: 'list',
    children: [{ key: 'text', type: 'text', properties: { pattern: '^[a-z]+$' } }],
  }
  const mixed = await collection(shop, [
    { key: 'number', type: 'number', properties: { max: 5 } },
    { key: 'texts', type: 'localized_text' },
    { key: 'object', type: 'object', children: [list] },
    { key: 'media', type: 'media' },
    { key: 'author', type: 'entry', properties: { collection_id: authors.id } },
    { key: 'file', type: 'digital_product' },
    { key: 'where', type: 'geo_location' },
  ])
  const texts = (...values: unknown[]) => [
    { key: 'list', type: 'list', value: values.map((value) => ({ key: 'text', type: 'text', value })) },
  ]
  const blocks = [
    { key: 'number', type: 'number', value: 6 },
    { key: 'texts', type: 'localized_text', value: { en: 1, 'a~b/c': 'x' } },
    { key: 'object', type: 'object', value: texts('abc', 'ABC') },
    { key: 'media', type: 'media', value: newId() },
    { key: 'author', type: 'entry', value: elsewhere.id },
    { key: 'file', type: 'digital_product', value: physical.id },
    { key: 'where', type: 'geo_location', value: { lat: 91 } },
  ]
  const faults = [
    '/blocks/0/value too_big',
    '/blocks/1/value/a~0b~1c unknown_locale',
    '/blocks/1/value/en invalid_type',
    '/blocks/2/value/0/value/1/value invalid_format',
    '/blocks/3/value media_unknown',
    '/blocks/4/value wrong_collection',
    '/blocks/5/value not_digital',
    '/blocks/6/value/lat too_big',
    '/blocks/6/value/lng required',
  ]
  const stored = await entry(shop, mixed.id, {
    blocks: [{ key: 'object', type: 'object', value: texts('abc') }],
    slug: { en: unique() },
  })
  const rows = async () =>
    (
      await database().query(
        `select (select jsonb_agg(e order by id) from entries e where tenant_id = $1) as entries, (select count(*) from slugs where tenant_id = $1) as slugs,
           (select count(*) from block_references where tenant_id = $1) as refs, (select count(*) from events where tenant_id = $1) as events`,
        [shop.store_id],
      )
    ).rows[0]
  const before = await rows()
  for (const answer of [
    await ask('POST', '/entries', { collection_id: mixed.id, key: unique(), slug: { en: unique() }, blocks }),
    await ask('PUT', `/entries/${stored.id}`, { slug: { en: unique() }, status: 'draft', blocks }),
  ]) {
    const [status, found] = faultsOf(answer)
    expect([status, answer.body.code, [...found].sort()]).toEqual([422, 'invalid_input', faults])
  }
  expect(await rows()).toEqual(before)
})

test('An entry that others reference cannot be deleted; a reference to itself does not count', async () => {
  const links = await collection(shop, [{ key: 'to', type: 'entry' }])
  const to = (id: string) => ({ blocks: [{ key: 'to', type: 'entry', value: id }] })
  const target = await post()
  const owners = await Promise.all(Array.from({ length: 12 }, () => entry(shop, links.id, to(target.id))))
  const refused = await ask('DELETE', `/entries/${target.id}`)
  expect([refused.status, refused.body.code, refused.body.referenced_by.length]).toEqual([409, 'referenced', 10])
  const known = new Map(owners.map(({ id, key }) => [id, key]))
  for (const { kind, id, key } of refused.body.referenced_by) expect([kind, known.get(id)]).toEqual(['entry', key])
  for (const { id } of owners) await made(ask('PUT', `/entries/${id}`, to(id)))
  expect((await ask('DELETE', `/entries/${target.id}`)).status).toBe(200)
  for (const { id } of owners) expect((await ask('DELETE', `/entries/${id}`)).status).toBe(200)
})

describe('Listing entries', () => {
  const ids: Record<string, string> = {}
  let own: Shop
  let topic: Made
  const keys = ['apple', 'banana', 'cherry', 'date', 'elder']
  const list = async (query: string) =>
    (await own.asOperator('GET', `/entries?${query}`)).body.items.map(({ key }: Made) => key)

  beforeAll(async () => {
    own = await newShop()
    const [fruit, other] = [await collection(own), await collection(own)]
    ids.fruit = fruit.id
    topic = await made(own.asOperator('POST', '/taxonomies', { key: 'topic' }))
    const sweet = await made(own.asOperator('POST', '/taxonomies', { key: 'sweet', parent_id: topic.id }))
    ids.sweet = sweet.id
    for (const [n, key] of keys.entries()) {
      const more = {
        key,
        slug: { en: `fresh-${key}` },
        blocks: [{ key: 'text', type: 'localized_text', value: { en: `About ${key}`, de: `Sorte Größe-${n}` } }],
        taxonomies:
          n % 2 === 0
            ? [{ taxonomy_id: topic.id, entry_ids: [sweet.id] }]
            : n === 1
              ? [{ taxonomy_id: topic.id, entry_ids: [] }]
              : [],
        status: n === 3 ? 'draft' : n === 4 ? 'archived' : 'active',
      }
      ids[key] = (await entry(own, n === 0 ? other.id : fruit.id, more)).id
    }
  })

  test('Entries are paged without a gap in both directions for every sort', async () => {
    for (const sort of ['created_at', 'updated_at', 'key'])
      for (const direction of ['asc', 'desc']) {
        const seen: string[] = []
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { body } = await own.asOperator(
            'GET',
            `/entries?limit=2&sort_field=${sort}&sort_direction=${direction}&cursor=${cursor}`,
          )
          seen.push(...body.items.map(({ key }: Made) => key))
          cursor = body.cursor
        }
        expect([sort, direction, [...seen].sort()]).toEqual([sort, direction, keys])
        if (sort === 'key') expect(seen).toEqual(direction === 'asc' ? keys : [...keys].reverse())
      }
    expect((await own.asOperator('GET', '/entries?limit=100')).body.items[0]).toEqual(
      (await own.asOperator('GET', `/entries/${ids.elder}`)).body,
    )
  })

  test('Entries are filtered by collection, key, status, times and taxonomy together', async () => {
    expect(await list(`collection_id=${ids.fruit}&sort_field=key&sort_direction=asc`)).toEqual([
      'banana',
      'cherry',
      'date',
      'elder',
    ])
    expect(await list('status=DRAFT')).toEqual(['date'])
    expect(await list('key=cherry')).toEqual(['cherry'])
    expect(await list('key=cherr_')).toEqual([])
    expect(await list(`collection_id=${ids.fruit}&status=active&sort_field=key`)).toEqual(['cherry', 'banana'])
    expect(await list(`collection_id=${ids.fruit}&key=apple`)).toEqual([])
    const { created_at } = (await own.asOperator('GET', `/entries/${ids.apple}`)).body
    expect(await list(`created_at_from=${created_at}&created_at_to=${created_at}`)).toContain('apple')
    expect(await list(`created_at_from=${created_at + 3600}`)).toEqual([])
    const sweet = encodeURIComponent(JSON.stringify([{ taxonomy_id: topic.id, entry_ids: [ids.sweet] }]))
    expect(await list(`status=active&collection_id=${ids.fruit}&taxonomy_query=${sweet}`)).toEqual(['cherry'])
  })

  test('A list of entries by ids ignores every other filter', async () => {
    expect(
      await list(
        `ids=${ids.date},${ids.apple}&status=active&collection_id=${ids.fruit}&key=x&query=nothing&sort_field=key`,
      ),
    ).toEqual(['date', 'apple'])
    const hundred = Array.from({ length: 100 }, () => ids.fig ?? '0199aaaa-0000-7000-8000-000000000001')
    expect((await own.asOperator('GET', `/entries?ids=${hundred.join(',')}`)).status).toBe(200)
    expect((await own.asOperator('GET', `/entries?ids=${[...hundred, hundred[0]].join(',')}`)).status).toBe(422)
  })

  test.each([
    ['banana', ['banana']],
    ['FRESH', ['elder', 'date', 'cherry', 'banana', 'apple']],
    ['sorte 3', ['date']],
    ['größe-2', ['cherry']],
    ["%_' | !(x) & * :", ['elder', 'date', 'cherry', 'banana', 'apple'].slice(5)],
    ['text', []],
  ])('A query %p finds entries by their text', async (words, found) => {
    expect(await list(`query=${encodeURIComponent(words)}`)).toEqual(found)
  })

  test('A storefront lists active entries without fields for operators', async () => {
    const see = (path: string) => own.asVisitor('GET', path)
    for (const query of ['', `?ids=${ids.apple},${ids.banana},${ids.cherry},${ids.date}`, '?query=fresh']) {
      const { status, body } = await see(`/entries${query}`)
      expect([query, status, body.items.map(({ key }: Made) => key)]).toEqual([
        query,
        200,
        ['cherry', 'banana', 'apple'],
      ])
    }
    expect((await see('/entries?status=draft')).status).toBe(422)
    const { body } = await see(`/entries/${ids.apple}`)
    expect(Object.keys(body).sort()).toEqual([
      'blocks',
      'collection_id',
      'created_at',
      'id',
      'key',
      'slug',
      'taxonomies',
    ])
    expect((await see('/entries/fresh-apple?locale=en')).body).toEqual(body)
    for (const name of [ids.date, ids.elder, 'fresh-date', 'fresh-elder', 'fresh-apple?locale=de'])
      expect((await see(`/entries/${name}`)).status).toBe(404)
    const fruit = (await own.asOperator('GET', `/collections/${ids.fruit}`)).body
    const seen = (await see(`/collections/${fruit.key}`)).body
    expect(Object.keys(seen).sort()).toEqual(['blocks', 'created_at', 'id', 'key', 'schema'])
    expect((await see(`/collections/${fruit.id}`)).body).toEqual(seen)
    expect((await see(`/collections/${unique()}`)).status).toBe(404)
    const other = await newShop()
    expect((await other.asVisitor('GET', `/collections/${fruit.key}`)).status).toBe(404)
    expect((await other.asVisitor('GET', '/entries')).body.items).toEqual([])
  })
})

test('A change of an entry publishes it as it is read then, and a refused one does not', async () => {
  const own = await newShop()
  const links = await collection(own, [{ key: 'to', type: 'entry', on_delete: 'set_null' }])
  const hook = await webhook(own.store_id, ['entry.created', 'entry.updated', 'entry.deleted'])
  const heard = async () =>
    (
      await database().query<{ type: string; data: Made; webhook_id: string }>(
        'select e.type, e.data, d.webhook_id from events e join deliveries d on d.event_id = e.id where e.tenant_id = $1 order by e.id',
        [own.store_id],
      )
    ).rows
  const read = async ({ id }: Made) => (await own.asOperator('GET', `/entries/${id}`)).body
  const one = await entry(own, links.id, { slug: { en: unique() } })
  const two = await entry(own, links.id, { blocks: [{ key: 'to', type: 'entry', value: one.id }] })
  const changed = await made(own.asOperator('PUT', `/entries/${one.id}`, { status: 'archived' }))
  for (const answer of [
    await own.asOperator('POST', '/entries', { collection_id: links.id, key: one.key }),
    await own.asOperator('POST', '/entries', { collection_id: links.id, key: unique(), slug: one.slug }),
    await own.asOperator('PUT', `/entries/${two.id}`, { blocks: [{ key: 'from', type: 'entry' }] }),
    await own.asOperator('DELETE', `/entries/${links.id}`),
  ])
    expect(answer.status).toBeGreaterThan(400)
  await atOnce(3, () => own.asOperator('DELETE', `/entries/${one.id}`, undefined, eitherApi()))
  const nulled = await read(two)
  expect(nulled.blocks).toEqual([{ ...two.blocks[0], value: null }])
  expect(await heard()).toEqual([
    { type: 'entry.created', data: one, webhook_id: hook },
    { type: 'entry.created', data: two, webhook_id: hook },
    { type: 'entry.updated', data: changed, webhook_id: hook },
    { type: 'entry.updated', data: nulled, webhook_id: hook },
    { type: 'entry.deleted', data: changed, webhook_id: hook },
  ])
})
