// Taxonomies are created, found, moved and deleted, and parents always form a tree.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addTerm, attach, danglingIn, kinds, linksApart, lists, type Term, term } from '../kit/content/taxonomies.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let theirs: Shop
const unknownId = '0199aaaa-0000-7000-8000-0000000000bb'
beforeAll(async () => {
  ;[shop, theirs] = await Promise.all([newShop(), newShop()])
})
afterAll(() => database().end())

type Fault = { pointer: string; code: string }
const faultsOf = ({ body }: { body: { errors?: Fault[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => [pointer, code])
const read = async (id: string) => (await shop.asOperator('GET', `/taxonomies/${id}`)).body
const change = (id: string, body: Record<string, unknown>) => shop.asOperator('PUT', `/taxonomies/${id}`, body)

const schema = [
  { type: 'text', key: 'colour', value: ['red', 'blue'], min: 2 },
  { type: 'number', key: 'size', min: 1, max: 9 },
  { type: 'boolean', key: 'new' },
  { type: 'geo_location', key: 'place' },
]

test('A new taxonomy is active, at the top and without fields by default', async () => {
  const made = await addTerm(shop, { key: 'plain' })
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.any(String),
      key: 'plain',
      store_id: shop.store_id,
      parent_id: null,
      schema: [],
      status: 'active',
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    },
  ])
})

test('A taxonomy is read as it was created, by id in any case and by key', async () => {
  const parent = await term(shop)
  const made = await term(shop, {
    key: 'a key: 50% of ünïcode_',
    parent_id: parent.id.toUpperCase(),
    schema,
    status: 'ARCHIVED',
  })
  expect(made).toMatchObject({
    parent_id: parent.id,
    status: 'archived',
    schema: schema.map((item) => ({ ...item, id: expect.any(String) })),
  })
  for (const part of [made.id, made.id.toUpperCase(), encodeURIComponent(made.key)])
    expect(await read(part)).toEqual(made)
})

/** A key that was written before keys like ids were refused. */
const giveKey = (id: string, key: string) => database().query('update taxonomies set key = $2 where id = $1', [id, key])

test('A taxonomy is found by its id even if another one has that id as its key', async () => {
  const made = await term(shop)
  const [other, lonely] = [await term(shop), await term(shop)]
  await giveKey(other.id, made.id)
  await giveKey(lonely.id, unknownId)
  expect((await read(made.id)).id).toBe(made.id)
  expect((await read(other.id)).key).toBe(made.id)
  expect((await read(unknownId)).id).toBe(lonely.id)
})

test('A taxonomy can be sent back as it was read, and an update keeps absent fields', async () => {
  const parent = await term(shop)
  const made = await term(shop, { parent_id: parent.id, schema })
  const same = await change(made.id, made)
  expect([same.status, { ...same.body, updated_at: 0 }]).toEqual([200, { ...made, updated_at: 0 }])
  const key = unique()
  expect((await change(made.id, { key })).body).toMatchObject({
    key,
    parent_id: parent.id,
    schema: made.schema,
    status: 'active',
  })
  expect((await change(made.id, { status: 'archived', parent_id: null })).body).toMatchObject({
    key,
    parent_id: null,
    status: 'archived',
  })
})

test('A taxonomy’s fields keep their ids, if sent or if key and type stay', async () => {
  const made = await term(shop, { schema: [{ ...schema[0], id: 'mine' }, ...schema.slice(1)] })
  const ids = (made.schema as { id: string }[]).map(({ id }) => id)
  expect(ids[0]).toBe('mine')
  const { body } = await change(made.id, { schema: [schema[1], { type: 'text', key: 'new' }, schema[0]] })
  expect(body.schema.map(({ id }: { id: string }) => id)).toEqual([ids[1], expect.any(String), 'mine'])
  expect(ids).not.toContain(body.schema[1].id)
})

test.each([
  ['no key', { key: undefined }, 422, [['/key', 'required']]],
  ['a key of two lines', { key: 'a\nb' }, 422, [['/key', 'invalid_format']]],
  ['an unknown status', { status: 'draft' }, 422, [['/status', 'invalid_value']]],
  ['a malformed parent id', { parent_id: 'x' }, 422, [['/parent_id', 'invalid_format']]],
  ['an unknown parent', { parent_id: unknownId }, 422, [['/parent_id', 'taxonomy_unknown']]],
  [
    'crossed bounds of a field',
    { schema: [{ type: 'number', key: 'a', min: 2, max: 1 }] },
    422,
    [['/schema/0/max', 'max_below_min']],
  ],
  ['an unknown field', { parent: unknownId }, 422, [['/parent', 'unknown_field']]],
])('A taxonomy with %s is refused with its pointer', async (_, body, status, faults) => {
  const answer = await addTerm(shop, body)
  expect([answer.status, faultsOf(answer)]).toEqual([status, faults])
})

test('A taxonomy key is unique in its store only', async () => {
  const made = await term(shop)
  const second = await addTerm(shop, { key: made.key })
  expect([second.status, second.body.code, faultsOf(second)]).toEqual([409, 'key_taken', [['/key', 'key_taken']]])
  expect((await change((await term(shop)).id, { key: made.key })).body.code).toBe('key_taken')
  expect((await addTerm(theirs, { key: made.key })).status).toBe(201)
})

describe('Trees', () => {
  const chain = async (length: number, parent_id: string | null = null) => {
    const line: Term[] = []
    for (let n = 0; n < length; n++) line.push(await term(shop, { parent_id: line.at(-1)?.id ?? parent_id }))
    return line
  }

  test('A taxonomy cannot move below itself', async () => {
    const [top, middle, low] = (await chain(3)) as [Term, Term, Term]
    for (const parent_id of [top.id, middle.id, low.id]) {
      const answer = await change(top.id, { parent_id, key: 'changed' })
      expect([answer.status, answer.body.code, faultsOf(answer)]).toEqual([
        409,
        'taxonomy_cycle',
        [['/parent_id', 'taxonomy_cycle']],
      ])
    }
    expect(await read(top.id)).toMatchObject({ parent_id: null, key: top.key })
    expect((await change(low.id, { parent_id: top.id })).status).toBe(200)
    expect((await change(middle.id, { parent_id: low.id })).status).toBe(200)
    expect(await read(middle.id)).toMatchObject({ parent_id: low.id })
  })

  test('A tree has at most 32 levels, for additions and for moves', async () => {
    const line = await chain(32)
    expect(faultsOf(await addTerm(shop, { parent_id: line[31]?.id }))).toEqual([['/parent_id', 'too_deep']])
    const [top] = await chain(2)
    expect(faultsOf(await change(top?.id as string, { parent_id: line[30]?.id }))).toEqual([['/parent_id', 'too_deep']])
    expect((await change(top?.id as string, { parent_id: line[29]?.id })).status).toBe(200)
  })

  test('Deleting a taxonomy deletes its descendants and every mention, and nothing else', async () => {
    const above = await term(shop)
    const [root, middle, low] = (await chain(3, above.id)) as [Term, Term, Term]
    const stays = await term(shop)
    const records = await Promise.all(
      kinds.map(async (kind) => {
        const made = await attach(kind, shop, [
          { taxonomy_id: root.id, fields: [] },
          { taxonomy_id: stays.id, entry_ids: [low.id, stays.id, middle.id] },
          { taxonomy_id: above.id, entry_ids: [root.id] },
          { taxonomy_id: above.id, entry_ids: [above.id] },
        ])
        return `/${lists[kind]}/${made.body.id}`
      }),
    )
    expect((await shop.asOperator('DELETE', `/taxonomies/${root.id}`)).body).toEqual({ success: true })
    for (const { id } of [root, middle, low])
      expect((await shop.asOperator('GET', `/taxonomies/${id}`)).status).toBe(404)
    expect((await read(above.id)).id).toBe(above.id)
    for (const path of records)
      expect((await shop.asOperator('GET', path)).body.taxonomies).toEqual([
        { taxonomy_id: stays.id, entry_ids: [stays.id] },
        { taxonomy_id: above.id, entry_ids: [] },
        { taxonomy_id: above.id, entry_ids: [above.id] },
      ])
    expect([await danglingIn(shop), await linksApart(shop)]).toEqual([[], []])
    expect((await shop.asOperator('DELETE', `/taxonomies/${root.id}`)).status).toBe(404)
  })
})

describe('Listing taxonomies', () => {
  let own: Shop
  const ids: Record<string, string> = {}
  const keysOf = async (query: string, path = '/taxonomies') =>
    (await own.asOperator('GET', `${path}?sort_field=key&sort_direction=asc&${query}`)).body.items.map(
      ({ key }: { key: string }) => key,
    )

  beforeAll(async () => {
    own = await newShop()
    for (const [key, parent] of [
      ['colour'],
      ['size'],
      ['colour-red', 'colour'],
      ['colour-blue', 'colour'],
      ['sky blue', 'colour-blue'],
      ['size_large', 'size'],
    ] as const)
      ids[key] = (
        await term(own, {
          key,
          ...(parent ? { parent_id: ids[parent] } : {}),
          ...(key === 'colour-red' ? { status: 'archived' } : {}),
        })
      ).id
  })

  test('Taxonomies are filtered by parent, key, ids, status and text, alone and together', async () => {
    expect(await keysOf('')).toEqual(['colour', 'colour-blue', 'colour-red', 'size', 'size_large', 'sky blue'])
    expect(await keysOf('parent_id=null')).toEqual(['colour', 'size'])
    expect(await keysOf(`parent_id=${ids.colour}`)).toEqual(['colour-blue', 'colour-red'])
    expect(await keysOf(`parent_id=${unknownId}`)).toEqual([])
    expect(await keysOf('key=colour')).toEqual(['colour'])
    expect(await keysOf('key=size%5flarge')).toEqual(['size_large'])
    expect(await keysOf('key=size%25')).toEqual([])
    expect(await keysOf(`ids=${ids.size},${ids.colour}`)).toEqual(['colour', 'size'])
    expect(await keysOf('status=ARCHIVED')).toEqual(['colour-red'])
    expect(await keysOf('query=BLU')).toEqual(['colour-blue', 'sky blue'])
    expect(await keysOf(`query=blue&parent_id=${ids.colour}&status=active`)).toEqual(['colour-blue'])
    const { created_at } = (await own.asOperator('GET', `/taxonomies/${ids.size}`)).body
    expect(await keysOf(`created_at_from=${created_at}&created_at_to=${created_at}`)).toContain('size')
    expect(await keysOf(`created_at_to=${created_at - 3600}`)).toEqual([])
  })

  test('A query finds a taxonomy by its new key and not by the old one', async () => {
    const { id } = await term(own, { key: 'before' })
    await own.asOperator('PUT', `/taxonomies/${id}`, { key: 'after' })
    expect([await keysOf('query=before'), await keysOf('query=after')]).toEqual([[], ['after']])
    await own.asOperator('DELETE', `/taxonomies/${id}`)
  })

  test('Children of a taxonomy are paged without a gap', async () => {
    const { id } = await term(own, { key: 'parent' })
    const keys = ['a', 'b', 'c', 'd', 'e']
    for (const key of keys) await term(own, { key: `child-${key}`, parent_id: id })
    await term(own, { key: 'grandchild', parent_id: (await own.asOperator('GET', '/taxonomies/child-a')).body.id })
    for (const direction of ['asc', 'desc']) {
      const seen: string[] = []
      let cursor: string | null = ''
      for (let pages = 0; cursor !== null && pages < 10; pages++) {
        const { body }: { body: { items: Term[]; cursor: string | null } } = await own.asOperator(
          'GET',
          `/taxonomies/${id}/children?limit=2&sort_direction=${direction}&cursor=${cursor}`,
        )
        seen.push(...body.items.map(({ key }) => key))
        cursor = body.cursor
      }
      expect([...seen].sort()).toEqual(keys.map((key) => `child-${key}`))
    }
    await own.asOperator('PUT', `/taxonomies/${(await own.asOperator('GET', '/taxonomies/child-b')).body.id}`, {
      status: 'archived',
    })
    expect(await keysOf('status=archived', `/taxonomies/${id}/children`)).toEqual(['child-b'])
    expect((await own.asOperator('GET', `/taxonomies/${unknownId}/children`)).status).toBe(404)
    expect((await theirs.asOperator('GET', `/taxonomies/${id}/children`)).status).toBe(404)
    await own.asOperator('DELETE', `/taxonomies/${id}`)
  })

  test('A storefront lists active taxonomies without fields for operators', async () => {
    const shown = async (query: string) =>
      (await own.asVisitor('GET', `/taxonomies?sort_field=key&sort_direction=asc&${query}`)).body.items
    const keys = async (query: string) => (await shown(query)).map(({ key }: Term) => key)
    expect(await keys('')).toEqual(['colour', 'colour-blue', 'size', 'size_large', 'sky blue'])
    expect(await keys('parent_id=null')).toEqual(['colour', 'size'])
    expect(await keys(`parent_id=${ids.colour}`)).toEqual(['colour-blue'])
    expect(await keys('key=colour-red')).toEqual([])
    expect(await keys(`ids=${ids['colour-red']},${ids.size}`)).toEqual(['size'])
    expect(await keys('query=red')).toEqual([])
    expect(Object.keys((await shown('key=size'))[0]).sort()).toEqual([
      'created_at',
      'id',
      'key',
      'parent_id',
      'schema',
      'store_id',
    ])
    for (const part of [ids.size, 'size'])
      expect((await own.asVisitor('GET', `/taxonomies/${part}`)).body.id).toBe(ids.size)
    for (const part of [ids['colour-red'], 'colour-red', unknownId, 'nothing'])
      expect((await own.asVisitor('GET', `/taxonomies/${part}`)).status).toBe(404)
  })
})
