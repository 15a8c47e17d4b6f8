// Matching texts against patterns and entries against a new schema delays no other request: what takes too long is
// refused, or reported as null.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { collection, entry, type Made, made } from '../kit/content/content.ts'
import { apiWith } from '../kit/orders/buying.ts'
import { database, http, newShop, type Shop, unique } from '../kit/shop.ts'

jest.setTimeout(120_000)

let shop: Shop
let patient: Awaited<ReturnType<typeof apiWith>>
let hasty: Awaited<ReturnType<typeof apiWith>>
beforeAll(async () => {
  shop = await newShop()
  ;[patient, hasty] = await Promise.all([apiWith({ ANSWER_WAIT_MS: '100000' }), apiWith({ ANSWER_WAIT_MS: '0' })])
})
afterAll(async () => {
  await Promise.all([patient.stop(), hasty.stop()])
  await database().end()
})

const ask = (...asked: Parameters<Shop['asOperator']>) => shop.asOperator(...asked)
const texts = (pattern: string) => [
  { key: 'texts', type: 'list', children: [{ key: 'text', type: 'text', properties: { pattern } }] },
]
const blocks = (all: string[]) => [
  { key: 'texts', type: 'list', value: all.map((value) => ({ key: 'text', type: 'text', value })) },
]

/** A text of a's and b's that differs from every other. */
function textOf(seed: number): string {
  let bits = seed * 2 + 1
  return Array.from({ length: 1000 }, () => {
    bits = (bits * 48271) % 2147483647
    return bits % 2 ? 'a' : 'b'
  }).join('')
}

test.each(['(a*){60}', '((a?){30})*', `(${'a|'.repeat(30)}a)*`, '(a+)+'])(
  '900 texts are matched against %s, however many ways it has',
  async (pattern) => {
    const { id } = await collection(shop, texts(pattern))
    const all = Array.from({ length: 900 }, () => 'a'.repeat(1000))
    const one = await ask('POST', '/entries', { collection_id: id, key: unique(), blocks: blocks(all) })
    expect(one.status).toBe(201)
    const other = await ask('PUT', `/entries/${one.body.id}`, {
      blocks: blocks([...all.slice(0, 899), `${'a'.repeat(999)}!`]),
    })
    expect([other.status, other.body.errors]).toEqual([
      422,
      [{ pointer: '/blocks/0/value/899/value', code: 'invalid_format', detail: expect.any(String) }],
    ])
  },
)

test('Texts that need too much matching are refused once, and nothing is stored', async () => {
  const { id } = await collection(shop, texts('[ab]*a[ab]{240}|[ab]*'))
  const all = Array.from({ length: 900 }, (_, n) => textOf(n))
  const refused = await ask('POST', '/entries', { collection_id: id, key: unique(), blocks: blocks(all) })
  const pointer = expect.stringMatching(/^\/blocks\/0\/value\/\d+\/value$/)
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ pointer, code: 'too_much_to_match', detail: expect.any(String) }],
  ])
  expect((await ask('GET', `/entries?collection_id=${id}`)).body.items).toEqual([])
  // A part of the texts is below the limit.
  expect(
    (await ask('POST', '/entries', { collection_id: id, key: unique(), blocks: blocks(all.slice(0, 3)) })).status,
  ).toBe(201)
})

test('Texts with patterns of their own, outside a schema, have the same limit', async () => {
  const own = Array.from({ length: 500 }, (_, n) => ({
    key: `t${n}`,
    type: 'text',
    properties: { pattern: `[ab]*a[ab]{23${n % 10}}|[ab]*` },
    value: textOf(n),
  }))
  for (const path of ['/products', '/collections']) {
    const refused = await ask('POST', path, { key: unique(), blocks: own })
    expect([refused.status, refused.body.errors.map(({ code }: { code: string }) => code)]).toEqual([
      422,
      ['too_much_to_match'],
    ])
  }
})

describe('Schema changes', () => {
  const size = 20_000
  const filled = async (): Promise<Made> => {
    const made = await collection(shop)
    // Every hundredth entry has a text that none of the patterns below matches.
    await database().query(
      `insert into entries (id, tenant_id, collection_id, created_at, updated_at, key, slug, blocks, taxonomies, status)
       select gen_random_uuid(), $1, $2, 1 + n / 100, 1, 'n' || n, '{}',
         jsonb_build_array(jsonb_build_object('key', 'texts', 'type', 'list', 'value', (select jsonb_agg(jsonb_build_object('key', 'text', 'type', 'text',
           'value', repeat('a', 100) || case when n % 100 = 0 and m = 5 then '!' else '' end)) from generate_series(1, 5) as m))), '[]', 'active'
       from generate_series(1, ${size}) as n`,
      [shop.store_id, made.id],
    )
    return made
  }

  test('A new schema is counted while other requests and writes of the collection continue', async () => {
    const { id } = await filled()
    const before = await entry(shop, id, { blocks: blocks(['!']) })
    let isCounting = true
    const counted = made(ask('PUT', `/collections/${id}`, { schema: texts('(a*){60}') }, patient.url)).finally(() => {
      isCounting = false
    })
    // The schema is committed before the count begins.
    while ((await ask('GET', `/collections/${id}`)).body.schema.length === 0) expect(isCounting).toBe(true)
    const written = await Promise.all([
      ask('POST', '/entries', { collection_id: id, key: unique(), blocks: blocks(['aaa']) }, patient.url),
      ask('POST', '/entries', { collection_id: id, key: unique(), blocks: blocks(['!']) }, patient.url),
      ask('PUT', `/entries/${before.id}`, { status: 'draft' }, patient.url),
      ask('PUT', `/collections/${id}`, { blocks: [{ key: 'a', type: 'text', value: 'b' }] }, patient.url),
      ...Array.from({ length: 10 }, () => http('GET', '/health', { base: patient.url })),
    ])
    expect([isCounting, written.map(({ status }) => status)]).toEqual([
      true,
      [201, 422, 200, 200, ...Array(10).fill(200)],
    ])
    // The one entry from before, and every hundredth.
    expect((await counted).invalid_entries).toBe(1 + size / 100)
  })

  test('A new schema whose count takes too long is stored and reports null invalid entries', async () => {
    const { id } = await filled()
    const schema = texts('a*')
    const changed = await made(ask('PUT', `/collections/${id}`, { schema }, hasty.url))
    expect(changed).toMatchObject({ invalid_entries: null, schema })
    expect((await ask('GET', `/collections/${id}`)).body).toEqual({ ...changed, invalid_entries: undefined })
    // Without a schema there is nothing to count.
    expect(await made(ask('PUT', `/collections/${id}`, { schema: [] }, hasty.url))).toMatchObject({
      invalid_entries: 0,
    })
  })
})
