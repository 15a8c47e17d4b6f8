// A collection has a schema for its entries and is found by its key; changing the schema reports how many entries no
// longer fit.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { webhook } from '../kit/bookings/booking-reminders.ts'
import { collection, entry, type Made, made } from '../kit/content/content.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(() => database().end())

const ask = (...asked: Parameters<Shop['asOperator']>) => shop.asOperator(...asked)
const schema = [
  { key: 'title', type: 'text', required: true, properties: { max: 20 } },
  { key: 'parts', type: 'list', children: [{ key: 'text', type: 'markdown' }] },
]

test('A collection is created, read by id and key, updated in part and deleted', async () => {
  const key = unique()
  const blocks = [{ key: 'intro', type: 'text', value: 'Hello' }]
  const one = await made(ask('POST', '/collections', { key, schema, blocks }))
  expect(one).toEqual({
    id: expect.any(String),
    key,
    schema: [
      { id: expect.any(String), ...schema[0] },
      {
        id: expect.any(String),
        key: 'parts',
        type: 'list',
        children: [{ id: expect.any(String), key: 'text', type: 'markdown' }],
      },
    ],
    blocks: [{ id: expect.any(String), ...blocks[0] }],
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  })
  for (const name of [one.id, one.id.toUpperCase(), key])
    expect((await ask('GET', `/collections/${name}`)).body).toEqual(one)
  expect((await ask('GET', `/collections/${unique()}`)).status).toBe(404)

  const changed = await made(ask('PUT', `/collections/${one.id}`, { key: `${key}-2` }))
  expect(changed).toEqual({ ...one, key: `${key}-2`, updated_at: expect.any(Number) })
  // What was read can be sent back.
  expect(await made(ask('PUT', `/collections/${one.id}`, changed))).toEqual({
    ...changed,
    invalid_entries: 0,
    updated_at: expect.any(Number),
  })
  expect((await ask('DELETE', `/collections/${one.id}`)).body).toEqual({ success: true })
  expect((await ask('GET', `/collections/${one.id}`)).status).toBe(404)
  expect((await ask('DELETE', `/collections/${one.id}`)).status).toBe(404)
})

test('A schema sent without ids keeps the ids of its items', async () => {
  const one = await collection(shop, schema)
  const again = await made(ask('PUT', `/collections/${one.id}`, { schema: [...schema].reverse() }))
  expect(again.schema).toEqual([...one.schema].reverse())
  const other = await made(
    ask('PUT', `/collections/${one.id}`, { schema: [{ ...schema[0], type: 'url', properties: {} }] }),
  )
  expect(other.schema[0].id).not.toBe(one.schema[0].id)
})

/** A key that was written before keys like ids were refused. */
const giveKey = (id: string, key: string) =>
  database().query('update collections set key = $2 where id = $1', [id, key])

test('A collection whose key looks like an id is found unless a collection has that id', async () => {
  const key = '0199aaaa-0000-7000-8000-000000000009'
  const odd = await made(ask('POST', '/collections', { key: unique() }))
  await giveKey(odd.id, key)
  expect((await ask('GET', `/collections/${key}`)).body.id).toBe(odd.id)
  const shadow = await made(ask('POST', '/collections', { key: unique() }))
  await giveKey(shadow.id, odd.id)
  expect((await ask('GET', `/collections/${odd.id}`)).body.id).toBe(odd.id)
  expect((await ask('GET', `/collections?key=${odd.id}`)).body.items).toEqual([{ ...shadow, key: odd.id }])
})

test.each([
  ['a taken key', { key: 'taken' }, 409, '/key key_taken'],
  ['a key with a line break', { key: 'a\nb' }, 422, '/key invalid_format'],
  [
    'crossed bounds',
    { schema: [{ key: 'a', type: 'number', properties: { min: 2, max: 1 } }] },
    422,
    '/schema/0/properties/max max_below_min',
  ],
  ['a duplicate key', { schema: [schema[0], schema[0]] }, 422, '/schema/1/key duplicate'],
  [
    'an invalid pattern',
    { schema: [{ key: 'a', type: 'text', properties: { pattern: '(' } }] },
    422,
    '/schema/0/properties/pattern pattern_invalid',
  ],
  [
    'an unknown property of a child',
    { schema: [{ key: 'a', type: 'object', children: [{ key: 'b', type: 'text', requird: true }] }] },
    422,
    '/schema/0/children/0/requird unknown_field',
  ],
  [
    'an invalid block of its own',
    { blocks: [{ key: 'a', type: 'email', value: 'x' }] },
    422,
    '/blocks/0/value invalid_format',
  ],
  [
    'an unknown reference in a block of its own',
    { blocks: [{ key: 'a', type: 'media', value: '0199aaaa-0000-7000-8000-000000000001' }] },
    422,
    '/blocks/0/value media_unknown',
  ],
])('A collection with %s is refused', async (_, body, status, fault) => {
  if (status === 409) await ask('POST', '/collections', { key: 'taken' })
  const { id } = await collection(shop)
  for (const answer of [
    await ask('POST', '/collections', { key: unique(), ...body }),
    await ask('PUT', `/collections/${id}`, body),
  ])
    expect([
      answer.status,
      answer.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`),
    ]).toEqual([status, [fault]])
})

test('A schema names existing collections of its store; one deleted later may stay named', async () => {
  const [target, others] = [await collection(shop), await collection(await newShop())]
  const naming = (id: string) => [
    { key: 'one', type: 'entry', collection_id: id },
    { key: 'list', type: 'list', children: [{ key: 'two', type: 'entry', properties: { collection_id: id } }] },
  ]
  const { id } = await made(ask('POST', '/collections', { key: unique(), schema: naming(target.id) }))
  for (const unknown of [others.id, '0199aaaa-0000-7000-8000-0000000000bb'])
    for (const refused of [
      await ask('POST', '/collections', { key: unique(), schema: naming(unknown) }),
      await ask('PUT', `/collections/${id}`, { schema: naming(unknown) }),
    ]) {
      const faults = refused.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)
      expect([refused.status, faults]).toEqual([
        422,
        [
          '/schema/0/collection_id collection_unknown',
          '/schema/1/children/0/properties/collection_id collection_unknown',
        ],
      ])
    }
  const before = (await ask('GET', `/collections/${id}`)).body
  expect(before.schema).toMatchObject(naming(target.id))
  await made(ask('DELETE', `/collections/${target.id}`))
  expect((await made(ask('PUT', `/collections/${id}`, { schema: before.schema }))).schema).toEqual(before.schema)
})

test('Collections are searched by key and text, filtered by key and ids, and sorted by key', async () => {
  const own = await newShop()
  const list = async (query: string) =>
    (await own.asOperator('GET', `/collections?${query}`)).body.items.map(({ key }: Made) => key)
  const ids: Record<string, string> = {}
  for (const key of ['blog', 'blog%', 'news_2', 'pages'])
    ids[key] = (
      await collection(own, [], { key, blocks: [{ key: 't', type: 'text', value: `About ${key.toUpperCase()}` }] })
    ).id
  expect(await list('sort_field=key&sort_direction=asc')).toEqual(['blog', 'blog%', 'news_2', 'pages'])
  expect(await list('key=blog')).toEqual(['blog'])
  expect(await list('key=blog%25')).toEqual(['blog%'])
  expect(await list('key=%25')).toEqual([])
  expect(await list('query=news')).toEqual(['news_2'])
  expect(await list('query=about%20pages')).toEqual(['pages'])
  expect(await list(`ids=${ids.pages}&ids=${ids.news_2}`)).toEqual(['pages', 'news_2'])
  const first = (await own.asOperator('GET', '/collections?limit=3&sort_field=key&sort_direction=asc')).body
  expect(await list(`limit=3&sort_field=key&sort_direction=asc&cursor=${first.cursor}`)).toEqual(['pages'])
})

test('A new schema returns the number of unfitting entries and applies at their next write', async () => {
  const posts = await collection(shop)
  const pages = await collection(shop)
  const page = await entry(shop, pages.id)
  const text = (value: unknown) => ({ blocks: [{ key: 'title', type: 'text', value }] })
  const [short, long, none, linked] = [
    await entry(shop, posts.id, text('short')),
    await entry(shop, posts.id, text('x'.repeat(21))),
    await entry(shop, posts.id),
    await entry(shop, posts.id, { blocks: [...text('a').blocks, { key: 'next', type: 'entry', value: page.id }] }),
  ]
  const change = (given: unknown) => made(ask('PUT', `/collections/${posts.id}`, { schema: given }))
  expect((await change([{ key: 'title', type: 'text' }])).invalid_entries).toBe(1)
  const next = { key: 'next', type: 'entry' }
  expect((await change([...schema, next])).invalid_entries).toBe(2)
  expect((await change([...schema, { ...next, collection_id: pages.id }])).invalid_entries).toBe(2)
  expect((await change([...schema, { ...next, collection_id: posts.id }])).invalid_entries).toBe(3)
  for (const { id, blocks } of [short, long, none, linked])
    expect((await ask('GET', `/entries/${id}`)).body.blocks).toEqual(blocks)

  // A write without blocks leaves them as they are.
  expect((await ask('PUT', `/entries/${long.id}`, { status: 'draft' })).body).toMatchObject({
    status: 'draft',
    blocks: long.blocks,
  })
  const refused = await ask('PUT', `/entries/${long.id}`, { blocks: long.blocks })
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ pointer: '/blocks/0/value', code: 'too_big', detail: expect.any(String) }],
  ])
  expect((await ask('PUT', `/entries/${short.id}`, { blocks: short.blocks })).status).toBe(200)
  expect((await change([])).invalid_entries).toBe(0)
})

test('A new schema is checked against all entries in batches', async () => {
  const { id } = await collection(shop)
  await database().query(
    `insert into entries (id, tenant_id, collection_id, created_at, updated_at, key, slug, blocks, taxonomies, status)
       select gen_random_uuid(), $1, $2, 1 + n / 100, 1, 'n' || n, '{}', jsonb_build_array(jsonb_build_object('key', 'n', 'type', 'number', 'value', n)), '[]', 'active'
       from generate_series(1, 1234) as n`,
    [shop.store_id, id],
  )
  const counted = await made(
    ask('PUT', `/collections/${id}`, { schema: [{ key: 'n', type: 'number', properties: { max: 1000 } }] }),
  )
  expect(counted.invalid_entries).toBe(234)
  expect(await made(ask('DELETE', `/collections/${id}`))).toEqual({ success: true })
  expect((await database().query('select 1 from entries where collection_id = $1', [id])).rowCount).toBe(0)
})

test('Deleting a collection deletes its entries unless one is referenced from outside', async () => {
  const holds = (on_delete: string) => [{ key: 'to', type: 'entry', on_delete }]
  const going = await collection(shop, holds('restrict'))
  const one = await entry(shop, going.id, { slug: { en: unique() } })
  // References among the deleted entries prevent nothing.
  await entry(shop, going.id, { blocks: [{ key: 'to', type: 'entry', value: one.id }] })
  const weak = await collection(shop, holds('set_null'))
  const strong = await collection(shop, holds('restrict'))
  const nulled = await entry(shop, weak.id, { blocks: [{ key: 'to', type: 'entry', value: one.id }] })
  const holder = await entry(shop, strong.id, { blocks: [{ key: 'to', type: 'entry', value: one.id }] })

  const refused = await ask('DELETE', `/collections/${going.id}`)
  expect([refused.status, refused.body.code, refused.body.referenced_by]).toEqual([
    409,
    'referenced',
    [{ kind: 'entry', id: holder.id, key: holder.key }],
  ])
  expect((await ask('GET', `/entries/${one.id}`)).status).toBe(200)
  expect((await ask('GET', `/entries/${nulled.id}`)).body.blocks[0].value).toBe(one.id)

  await made(ask('DELETE', `/entries/${holder.id}`))
  await made(ask('DELETE', `/collections/${going.id}`))
  expect((await ask('GET', `/entries/${nulled.id}`)).body.blocks[0].value).toBeNull()
  for (const name of [one.id, one.slug.en]) expect((await ask('GET', `/entries/${name}`)).status).toBe(404)
  const left = await database().query(
    'select 1 from block_references where target_id = $1 union all select 1 from slugs where owner_id = $1',
    [one.id],
  )
  expect(left.rowCount).toBe(0)
  expect((await ask('DELETE', `/collections/${strong.id}`)).status).toBe(200)
})

test('A collection’s events carry it as read then, and a deletion reports each entry too', async () => {
  const types = ['collection.created', 'collection.updated', 'collection.deleted', 'entry.deleted', 'entry.updated']
  const own = await newShop()
  const heard = async () => {
    const { rows } = await database().query<{ type: string; data: Made }>(
      'select type, data from events where tenant_id = $1 order by id',
      [own.store_id],
    )
    return rows
  }
  const silent = await collection(own)
  await webhook(own.store_id, types)
  const one = await collection(own, schema)
  const a = await entry(own, one.id, { blocks: [{ key: 'title', type: 'text', value: 'a' }] })
  const weak = await collection(own, [{ key: 'to', type: 'entry', on_delete: 'set_null' }])
  const nulled = await entry(own, weak.id, { blocks: [{ key: 'to', type: 'entry', value: a.id }] })
  await made(own.asOperator('PUT', `/collections/${one.id}`, { schema: [...schema, { key: 'more', type: 'text' }] }))
  const changed = (await own.asOperator('GET', `/collections/${one.id}`)).body
  await own.asOperator('POST', '/collections', { key: one.key })
  await made(own.asOperator('DELETE', `/collections/${one.id}`))
  await made(own.asOperator('DELETE', `/collections/${silent.id}`))
  const after = (await own.asOperator('GET', `/entries/${nulled.id}`)).body
  expect(after.blocks[0].value).toBeNull()
  expect(await heard()).toEqual([
    { type: 'collection.created', data: one },
    { type: 'collection.created', data: weak },
    { type: 'collection.updated', data: changed },
    { type: 'entry.updated', data: after },
    { type: 'collection.deleted', data: changed },
    { type: 'entry.deleted', data: a },
    { type: 'collection.deleted', data: silent },
  ])
})
