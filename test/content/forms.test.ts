// A form is found by id, key and text, and a field that keeps its key and type keeps its id.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { defaultForms } from '../../rules/content/forms.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(() => database().end())

const put = (id: string, body: unknown, at = shop) => at.asOperator('PUT', `/forms/${id}`, body, eitherApi())
const post = (body: Record<string, unknown> = {}, at = shop) =>
  at.asOperator('POST', '/forms', { key: unique(), ...body }, eitherApi())
async function made(body: Record<string, unknown> = {}, at = shop) {
  const answer = await post(body, at)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body
}
const list = async (search: string, at = shop): Promise<{ id: string; key: string }[]> => {
  const { status, body } = await at.asOperator('GET', `/forms?${search}`, undefined, eitherApi())
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.items
}
const keysOf = async (search: string, at = shop) => (await list(search, at)).map(({ key }) => key)
const faultsOf = ({ status, body }: { status: number; body: { errors?: { pointer: string; code: string }[] } }) => [
  status,
  ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`),
]

const everything = [
  { type: 'text', key: 'name', required: true },
  { type: 'number', key: 'guests', min: 1, max: 12 },
  { type: 'boolean', key: 'first_visit', id: 'my-own-id' },
  { type: 'date', key: 'wanted_on' },
  { type: 'geo_location', key: 'where' },
  { type: 'select', key: 'colour', required: true, options: ['red', 'green'] },
]

test('A form is created, read by id and key, updated and deleted', async () => {
  const key = `Tisch reservieren ${unique()}`
  const { status, body } = await post({ key, schema: everything })
  expect([status, body]).toEqual([
    201,
    {
      ...{ id: expect.any(String), key, store_id: shop.store_id, status: 'active' },
      schema: everything.map((item) => ({
        required: false,
        id: expect.stringMatching(/^([0-9a-f-]{36}|my-own-id)$/),
        ...item,
      })),
      ...{ created_at: expect.any(Number), updated_at: body.created_at },
    },
  ])
  expect((await shop.asOperator('GET', `/forms/${body.id}`)).body).toEqual(body)
  expect((await shop.asOperator('GET', `/forms/${body.id.toUpperCase()}`)).body).toEqual(body)
  expect((await shop.asOperator('GET', `/forms/${encodeURIComponent(key)}`)).body).toEqual(body)
  // What was read can be sent back.
  expect((await put(body.id, body)).body).toEqual({ ...body, updated_at: expect.any(Number) })
  expect((await put(body.id, { status: 'ARCHIVED' })).body).toEqual({
    ...body,
    status: 'archived',
    updated_at: expect.any(Number),
  })
  expect((await put(body.id, { key: `${key}!`, schema: [] })).body).toMatchObject({
    key: `${key}!`,
    schema: [],
    status: 'archived',
  })
  expect((await shop.asOperator('GET', `/forms/${encodeURIComponent(key)}`)).status).toBe(404)
  expect((await shop.asOperator('DELETE', `/forms/${body.id}`)).body).toEqual({ success: true })
  for (const answer of [
    await shop.asOperator('DELETE', `/forms/${body.id}`),
    await shop.asOperator('GET', `/forms/${body.id}`),
    await put(body.id, {}),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
})

test('A new form is active without fields by default, and its status is accepted in any case', async () => {
  expect(await made()).toMatchObject({ schema: [], status: 'active' })
  expect(await made({ status: 'Archived' })).toMatchObject({ status: 'archived' })
})

/** A key that was written before keys like ids were refused. */
const giveKey = (id: string, key: string) => database().query('update forms set key = $2 where id = $1', [id, key])

test('A form whose key equals another form’s id does not hide that form', async () => {
  const form = await made()
  const impostor = await made()
  await giveKey(impostor.id, form.id)
  expect((await shop.asOperator('GET', `/forms/${form.id}`)).body.id).toBe(form.id)
  const [lonely, key] = [await made(), newId()]
  await giveKey(lonely.id, key)
  expect((await shop.asOperator('GET', `/forms/${key}`)).body.id).toBe(lonely.id)
  await shop.asOperator('DELETE', `/forms/${form.id}`)
  expect((await shop.asOperator('GET', `/forms/${form.id}`)).body.id).toBe(impostor.id)
})

test('A form key is unique in its store, also for concurrent creations', async () => {
  const key = unique()
  const answers = await atOnce(4, () => post({ key }))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'key_taken',
    errors: [{ pointer: '/key', code: 'key_taken' }],
  })
  expect((await put((await made()).id, { key })).body.code).toBe('key_taken')
  expect((await post({ key }, await newShop())).status).toBe(201)
})

test.each([
  ['no key', { key: undefined }, ['/key required']],
  ['an unknown type', { schema: [{ type: 'colour', key: 'a' }] }, ['/schema/0/type invalid_value']],
  ['a select without options', { schema: [{ type: 'select', key: 'a' }] }, ['/schema/0/options required']],
  [
    'a duplicate option',
    { schema: [{ type: 'select', key: 'a', options: ['x', 'y', 'x'] }] },
    ['/schema/0/options/2 duplicate'],
  ],
  ['crossed bounds', { schema: [{ type: 'number', key: 'a', min: 2, max: 1 }] }, ['/schema/0/max max_below_min']],
  [
    'a duplicate key',
    {
      schema: [
        { type: 'text', key: 'a' },
        { type: 'date', key: 'a' },
      ],
    },
    ['/schema/1/key duplicate'],
  ],
  [
    'an id that is there twice',
    {
      schema: [
        { type: 'text', key: 'a', id: 'x' },
        { type: 'date', key: 'b', id: 'x' },
      ],
    },
    ['/schema/1/id duplicate'],
  ],
  [
    'an option that the type has not',
    { schema: [{ type: 'text', key: 'a', max: 3 }] },
    ['/schema/0/max unknown_field'],
  ],
  ['an invalid status', { status: 'draft' }, ['/status invalid_value']],
  ['a field that is a typo', { schemas: [] }, ['/schemas unknown_field']],
])('A form with %s is refused with its pointer', async (_, body, faults) => {
  expect(faultsOf(await post(body))).toEqual([422, ...faults])
  const { key: __, ...change } = body as Record<string, unknown>
  if (Object.keys(change).length > 0) expect(faultsOf(await put((await made()).id, change))).toEqual([422, ...faults])
})

test('A field keeps its id while its key and type stay', async () => {
  const { id, schema } = await made({ schema: everything })
  const change = [
    { type: 'text', key: 'new' },
    { type: 'text', key: 'guests' },
    { type: 'text', key: 'name' },
    { type: 'boolean', key: 'renamed', id: 'my-own-id' },
  ]
  const after = (await put(id, { schema: change })).body.schema
  expect(after.map(({ key }: { key: string }) => key)).toEqual(change.map(({ key }) => key))
  expect(after[2].id).toBe(schema[0].id)
  expect(after[3].id).toBe('my-own-id')
  // A field of another type is a new field.
  expect(schema.map((item: { id: string }) => item.id)).not.toContain(after[1].id)
  expect(schema.map((item: { id: string }) => item.id)).not.toContain(after[0].id)
  const visitor = await shop.visitor()
  const fields = [{ id: schema[0].id, type: 'text', value: 'Ada' }]
  expect((await visitor.call('POST', `/forms/${id}/submissions`, { fields })).body.fields).toEqual([
    { type: 'text', id: schema[0].id, key: 'name', value: 'Ada' },
  ])
})

test('A form of another store returns 404', async () => {
  const form = await made()
  const other = await newShop()
  for (const answer of [
    await other.asOperator('GET', `/forms/${form.id}`),
    await other.asOperator('GET', `/forms/${form.key}`),
    await put(form.id, { status: 'archived' }, other),
    await other.asOperator('DELETE', `/forms/${form.id}`),
    await other.asVisitor('GET', `/forms/${form.id}`),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  expect((await shop.asOperator('GET', `/forms/${form.id}`)).body).toEqual(form)
})

test('A storefront shows an active form’s fields by key and id, and no other fields', async () => {
  const { id, key, schema } = await made({ schema: everything })
  for (const word of [key, id])
    expect((await shop.asVisitor('GET', `/forms/${word}`)).body).toEqual({ id, key, schema })
  await put(id, { status: 'archived' })
  for (const word of [key, id]) expect((await shop.asVisitor('GET', `/forms/${word}`)).status).toBe(404)
})

describe('Listing forms', () => {
  let many: Shop
  beforeAll(async () => {
    many = await newShop()
    for (const one of ['contact', 'service-intake', 'order-notes']) {
      const form = (await many.asOperator('GET', `/forms/${one}`)).body
      await many.asOperator('DELETE', `/forms/${form.id}`)
    }
    const bodies = [
      { key: 'b-order', schema: [{ type: 'text', key: 'gift_message' }] },
      { key: 'a-contact', schema: [{ type: 'text', key: 'nachricht' }] },
      { key: '100% „Fußweg“', status: 'archived' },
      { key: '100_x' },
      { key: "O'Brien: q&a" },
    ]
    for (const [at, body] of bodies.entries()) {
      const { id } = await made(body, many)
      await database().query('update forms set created_at = $2 where id = $1', [id, 1_800_000_000 + at])
    }
  })

  test.each([
    ['', ["O'Brien: q&a", '100_x', '100% „Fußweg“', 'a-contact', 'b-order']],
    ['sort_field=key&sort_direction=asc&status=active', ['100_x', "O'Brien: q&a", 'a-contact', 'b-order']],
    ['status=ARCHIVED', ['100% „Fußweg“']],
    ['key=a-contact', ['a-contact']],
    ['key=a-con', []],
    ['key=100%25 „Fußweg“', ['100% „Fußweg“']],
    ['created_at_from=1800000001&created_at_to=1800000002', ['100% „Fußweg“', 'a-contact']],
    ['query=contact', ['a-contact']],
    ['query=GIFT mess', ['b-order']],
    ['query=nach', ['a-contact']],
    ['query=fußweg', ['100% „Fußweg“']],
    ["query=o'brien", ["O'Brien: q&a"]],
    ['query=100', ['100_x', '100% „Fußweg“']],
    // Neither of these is part of the search text.
    ['query=a%25t', []],
    ['query=con_act', []],
  ])('Forms are listed by %p', async (search, keys) => {
    const found = await keysOf(search, many)
    // The order of keys follows the database's collation.
    expect(search.includes('sort_field') ? [...found].sort() : found).toEqual(keys)
  })

  test('A list of forms by ids contains these alone and continues by its cursor', async () => {
    const all = await list('', many)
    const ids = all.slice(1, 3).map(({ id }) => id)
    expect(await list(`ids=${ids.join(',')}`, many)).toEqual(all.slice(1, 3))
    expect(await list(`ids=${ids.join('&ids=')}&status=archived`, many)).toEqual(all.slice(2, 3))
    const seen: { id: string }[] = []
    let cursor: string | null = 'null'
    for (let pages = 0; cursor !== null; pages++) {
      expect(pages).toBeLessThan(4)
      const { body } = await many.asOperator('GET', `/forms?limit=2&cursor=${cursor}`)
      seen.push(...body.items)
      cursor = body.cursor
    }
    expect(seen).toEqual(all)
  })
})

test('A new store has three forms with fields, and a query finds them by their labels', async () => {
  const fresh = await newShop()
  const { items } = (await fresh.asOperator('GET', '/forms?sort_field=key&sort_direction=asc')).body
  expect(items).toEqual(
    (['contact', 'order-notes', 'service-intake'] as const).map((key) => ({
      ...{ id: expect.any(String), key, store_id: fresh.store_id, status: 'active' },
      schema: defaultForms[key].map((item) => ({ ...item, id: expect.stringMatching(/^[0-9a-f-]{36}$/) })),
      ...{ created_at: expect.any(Number), updated_at: expect.any(Number) },
    })),
  )
  expect(await keysOf('query=gift', fresh)).toEqual(['order-notes'])
  expect(await keysOf('query=intake', fresh)).toEqual(['service-intake'])
})
