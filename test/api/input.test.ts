// A body is stored as it was sent or refused at its pointer: numbers that cannot be represented or expand, and keys
// that a schema would drop.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { z } from 'zod'
import { routes } from '../../api/routes.ts'
import { collection } from '../kit/content/content.ts'
import { api, database, http, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let collection_id: string
beforeAll(async () => {
  shop = await newShop()
  collection_id = (await collection(shop)).id
})
afterAll(() => database().end())

async function send(path: string, text: string, method: 'POST' | 'PUT' = 'POST') {
  const { status, body } = await http(method, `/v1/stores/${shop.store_id}${path}`, { text, headers: shop.op.headers })
  return {
    status,
    body,
    told: (body.errors ?? []).map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`),
  }
}
/** Of a type that no schema checks. */
const entry = (value: string, more = '') =>
  send(
    '/entries',
    `{"collection_id": "${collection_id}", "key": "${unique()}", "blocks": [{"key": "k", "type": "t", "value": ${value}${more}}]}`,
  )

test('A body has at most 55,000 objects and members, and any number of plain values', async () => {
  const text = 'a string with {"braces": "and colons"}'
  const objects = (count: number, one: object) => JSON.stringify([text, ...Array(count).fill(one)])
  // The entry and its block are two objects with six members.
  for (const [one, count] of [
    [{}, 54_998],
    [{ a: 1, b: 2 }, 27_497],
  ] as const) {
    expect((await entry(objects(count, one))).status).toBe(201)
    expect(await entry(objects(count + 1, one))).toMatchObject({ status: 413, body: { code: 'too_large' } })
  }
  expect((await entry(JSON.stringify(Array(200_000).fill(1)))).status).toBe(201)
})

test.each([
  '1e5',
  '1.5e-7',
  '6.02e23',
  '-1E+3',
  '1e307',
  '5e-324',
  '1e20',
  `1${'0'.repeat(308)}`,
  '"1e400"',
  `"${'9'.repeat(400)}"`,
])('The number %s is stored as it was sent', async (text) => {
  const { status, body } = await entry(text)
  expect(status).toBe(201)
  const [read] = (await send(`/entries/${body.id}`, '{}', 'PUT')).body.blocks
  expect(read.value).toBe(JSON.parse(text))
})

test.each(['9007199254740993', '-7615917337495251231', '0.1234567890123456789', '1234567890123456.78', '1e-400'])(
  'The number %s would lose digits and is refused',
  async (text) => {
    expect(await entry(`[0, {"a":${text}}]`)).toMatchObject({
      status: 422,
      told: ['/blocks/0/value/1/a invalid_number'],
    })
  },
)

test('A number of a query parameter with more digits than are kept is refused', async () => {
  const query = encodeURIComponent('[{"taxonomy_id": "x", "fields": 9007199254740993}]')
  const { status, body } = await http('GET', `/v1/stores/${shop.store_id}/products?taxonomy_query=${query}`, {
    headers: shop.op.headers,
  })
  expect([status, body.errors[0]]).toEqual([
    422,
    expect.objectContaining({ pointer: 'taxonomy_query', code: 'invalid_number' }),
  ])
})

test('A body is read by its byte-order mark or charset, and refused if it is no text in it', async () => {
  const text = JSON.stringify({ key: unique(), blocks: [{ key: 'tea', type: 'text', value: '緑茶' }] })
  const post = async (body: Buffer, charset = '') => {
    const headers = { ...shop.op.headers, 'content-type': `application/json${charset}` }
    const answer = await fetch(`${api()}/v1/stores/${shop.store_id}/products`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    })
    return [answer.status, (await answer.json()) as { code: string; blocks: { value: string }[] }] as const
  }
  const [status, made] = await post(Buffer.from(`\ufeff${text}`, 'utf16le'))
  expect([status, made.blocks[0]?.value]).toEqual([201, '緑茶'])
  expect((await post(Buffer.from(text.replace('"key":"', '"key":"x'), 'utf16le'), '; charset=utf-16le'))[0]).toBe(201)
  for (const [body, charset] of [
    [Buffer.from(text, 'utf16le'), ''],
    [Buffer.from('{"key": "caf\xe9"}', 'latin1'), ''],
    [Buffer.from(text), '; charset=no-such'],
  ] as const)
    expect(await post(body, charset)).toMatchObject([400, { code: 'malformed_json' }])
})

test.each(['1e400', '-1e400', `1${'0'.repeat(309)}`, `${'9'.repeat(400)}.5`, '17976931348623159e292'])(
  'The number %s would be read as null and is refused',
  async (text) => {
    expect(await entry(text)).toMatchObject({ status: 422, told: ['/blocks/0/value invalid_number'] })
    expect(await entry(`[0, {"a":${text}}]`)).toMatchObject({
      status: 422,
      told: ['/blocks/0/value/1/a invalid_number'],
    })
    expect(await entry(`[0,\n\t${text}]`)).toMatchObject({ status: 422, told: ['/blocks/0/value/1 invalid_number'] })
  },
)

test('Numbers are counted by their stored length, and a body with too many digits is refused', async () => {
  const many = (text: string, count: number) => `[${Array(count).fill(text).join(',')}]`
  for (const [text, count] of [
    ['1e307', 150_000],
    ['1e-307', 140_000],
    ['1e20', 200_000],
  ] as const) {
    const { status, told } = await entry(many(text, count))
    expect([status, told]).toEqual([422, [expect.stringMatching(/^\/blocks\/0\/value\/\d+ too_big$/)]])
  }
  expect((await entry(many('1e307', 3_000))).status).toBe(201)
  expect((await entry(many('1e-7', 80_000))).status).toBe(201)
})

test('A number that cannot be represented is refused wherever it is', async () => {
  const { told } = await send(
    '/products',
    '{"key": "a", "variants": [{"attributes": [1e999]}], "blocks": [{"key": "k", "type": "t", "value": -1e999}]}',
  )
  expect(told).toEqual(['/variants/0/attributes/0 invalid_number', '/blocks/0/value invalid_number'])
  const { headers, call } = await shop.visitor()
  const { id } = (await call('POST', '/carts/current')).body
  const forms = '{"forms": [{"key": "f", "entries": [{"key": "a", "value": 1e400}]}]}'
  const cart = await http('PUT', `/v1/storefront/carts/${id}`, { text: forms, headers })
  expect([cart.status, cart.body.errors?.[0]]).toEqual([
    422,
    expect.objectContaining({ pointer: '/forms/0/entries/0/value', code: 'invalid_number' }),
  ])
})

test.each([
  [
    'in the properties of a block',
    '/entries',
    () =>
      `{"collection_id": "${collection_id}", "key": "p", "blocks": [{"key": "k", "type": "t", "properties": {"__proto__": {}}}]}`,
    '/blocks/0/properties/__proto__ invalid_key',
  ],
  [
    'that is escaped',
    '/entries',
    () =>
      `{"collection_id": "${collection_id}", "key": "p", "blocks": [{"key": "k", "type": "t", "properties": {"\\u005f_proto__": 1}}]}`,
    '/blocks/0/properties/__proto__ invalid_key',
  ],
  [
    'as a locale',
    '/products',
    () => '{"key": "p", "slug": {"en": "p", "__proto__": "x"}}',
    '/slug/__proto__ invalid_key',
  ],
  [
    'in the properties of a schema',
    '/collections',
    () => '{"key": "p", "schema": [{"key": "k", "type": "text", "properties": {"__proto__": {"min": 1}}}]}',
    '/schema/0/properties/__proto__ invalid_key',
  ],
  [
    'as a node',
    '/workflows',
    () => '{"key": "p", "nodes": {"__proto__": {"type": "http"}}, "edges": [], "status": "draft"}',
    '/nodes/__proto__ invalid_key',
  ],
  ['as a field', '/products', () => '{"key": "p", "__proto__": {}}', '/__proto__ unknown_field'],
  [
    'as a field of a part',
    '/products',
    () => '{"key": "p", "variants": [{"__proto__": {}}]}',
    '/variants/0/__proto__ unknown_field',
  ],
])('A key __proto__ %s is refused at its pointer', async (_, path, body, fault) => {
  expect(await send(path, body())).toMatchObject({ status: 422, told: [fault] })
})

test('A key __proto__ is stored in a free value, and as plain text', async () => {
  const { status, body } = await entry(
    '{"__proto__": {"a": 1}, "b": "__proto__"}',
    ', "properties": {"a": "__proto__"}',
  )
  expect(status).toBe(201)
  const { rows } = await database().query('select blocks from entries where id = $1', [body.id])
  expect(JSON.stringify(rows[0].blocks[0].value)).toBe('{"b":"__proto__","__proto__":{"a":1}}')
})

/** What an update consists of, or what it must name so that it is the intended one. */
const requiredByUpdates: Record<string, string[]> = {
  'products/inventory': ['inventory'],
  orders: ['version'],
  'forms/submissions': ['fields'],
  media: ['name'],
  'social-publications': ['content'],
  // The contract requires them.
  reservations: ['status', 'blocks'],
}
test('An update requires no field that it could keep', () => {
  const required = routes.flatMap(({ method, path, body }) => {
    const names = Object.entries(body?.shape ?? {}).flatMap(([name, field]) =>
      (field as z.ZodType).safeParse(undefined).success ? [] : [name],
    )
    const resource = path
      .split('/')
      .slice(3)
      .filter((part) => !part.startsWith('{'))
      .join('/')
    return method === 'PUT' && names.length > 0 ? [[resource, names] as const] : []
  })
  expect(Object.fromEntries(required)).toEqual(requiredByUpdates)
})
