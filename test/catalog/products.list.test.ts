// Every product is listed once under every filter and sort, and a search finds it in any spelling.
import { beforeAll, expect, test } from '@jest/globals'
import { newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
const keys = ['apple', 'banana', 'cherry', 'date', 'elder', 'fig', 'grape']
const ids: Record<string, string> = {}

beforeAll(async () => {
  shop = await newShop()
  for (const [index, key] of keys.entries()) {
    const made = await shop.asOperator('POST', '/products', {
      key,
      slug: { en: `fresh-${key}`, de: `frisch-${key}` },
      blocks: [{ key: 'text', type: 'localized_text', value: { en: `A ${key} from Größe-XL`, de: `Sorte ${index}` } }],
      variants: [{ sku: `SKU-${100 + index}` }],
    })
    ids[key] = made.body.id
  }
  await shop.asOperator('PUT', `/products/${ids.date}`, { status: 'draft' })
  await shop.asOperator('PUT', `/products/${ids.elder}`, { status: 'archived' })
})

type Page = { items: { id: string; key: string; created_at: number }[]; cursor: string | null }
const list = (query: string) => shop.asOperator('GET', `/products?${query}`)
const keysOf = async (query: string) => ((await list(query)).body as Page).items.map(({ key }) => key)

test('Products are paged without a gap in both directions for every sort', async () => {
  for (const sort of ['created_at', 'createdAt', 'updated_at', 'updatedAt', 'key'])
    for (const direction of ['asc', 'desc', 'DESC']) {
      const seen: string[] = []
      let cursor: string | null = ''
      for (let pages = 0; cursor !== null && pages < 10; pages++) {
        const { body }: { body: Page } = await list(
          `limit=2&sort_field=${sort}&sort_direction=${direction}&cursor=${cursor}`,
        )
        seen.push(...body.items.map(({ key }) => key))
        cursor = body.cursor
      }
      expect([...seen].sort()).toEqual(keys)
      if (sort === 'key') expect(seen).toEqual(direction === 'asc' ? keys : [...keys].reverse())
    }
})

test('A page does not shift when products are inserted meanwhile', async () => {
  const first: Page = (await list('limit=3&sort_field=key')).body
  const late = await shop.asOperator('POST', '/products', { key: 'zucchini' })
  const second: Page = (await list(`limit=3&sort_field=key&cursor=${first.cursor}`)).body
  expect([...first.items, ...second.items].map(({ key }) => key)).toEqual([
    'grape',
    'fig',
    'elder',
    'date',
    'cherry',
    'banana',
  ])
  await shop.asOperator('DELETE', `/products/${late.body.id}`)
})

test('A page has 20 items by default and 100 at most, newest first', async () => {
  expect(await keysOf('cursor=null')).toEqual([...keys].reverse())
  expect((await list('limit=100')).status).toBe(200)
  for (const query of [
    'limit=101',
    'limit=0',
    'limit=x',
    'sort_field=blocks',
    'sort_direction=up',
    'created_at_from=yesterday',
    'status=gone',
    'ids=1',
  ])
    expect([query, (await list(query)).status]).toEqual([query, 422])
  for (const cursor of [
    'x',
    Buffer.from('["key","a","b"]').toString('base64url'),
    Buffer.from('{}').toString('base64url'),
  ])
    expect((await list(`cursor=${cursor}`)).body.code).toBe('bad_cursor')
})

test('A cursor of another list, store, sort, direction or version returns 400 bad_cursor', async () => {
  const sorted = 'limit=3&sort_field=created_at&sort_direction=asc'
  const { cursor } = (await list(sorted)).body as Page
  const other = await newShop()
  const answers = {
    same: await list(`${sorted}&cursor=${cursor}`),
    direction: await list(`limit=3&sort_field=created_at&sort_direction=desc&cursor=${cursor}`),
    field: await list(`limit=3&sort_field=updated_at&sort_direction=asc&cursor=${cursor}`),
    list: await shop.asOperator('GET', `/orders?${sorted}&cursor=${cursor}`),
    store: await other.asOperator('GET', `/products?${sorted}&cursor=${cursor}`),
    older: await list(
      `limit=3&cursor=${Buffer.from(JSON.stringify(['created_at', 1, ids.fig])).toString('base64url')}`,
    ),
  }
  const codes = Object.fromEntries(
    Object.entries(answers).map(([what, { status, body }]) => [what, `${status} ${body.code}`]),
  )
  const bad = '400 bad_cursor'
  expect(codes).toEqual({ same: '200 undefined', direction: bad, field: bad, list: bad, store: bad, older: bad })
})

test('Filters narrow the list of products alone and together', async () => {
  expect(await keysOf('status=draft')).toEqual(['date'])
  expect(await keysOf(`ids=${ids.fig},${ids.date}&sort_field=key&sort_direction=asc`)).toEqual(['date', 'fig'])
  expect(await keysOf(`ids=${ids.fig}&ids=${ids.date}&status=ARCHIVED`)).toEqual([])
  expect(await keysOf('query=fresh&status=archived')).toEqual(['elder'])
  expect(await keysOf('match_all=true')).toHaveLength(keys.length)
})

test('A time range includes both of its ends', async () => {
  const { created_at } = (await shop.asOperator('GET', `/products/${ids.apple}`)).body
  expect(await keysOf(`created_at_from=${created_at}&created_at_to=${created_at}`)).toContain('apple')
  expect(await keysOf(`created_at_from=${created_at + 3600}`)).toEqual([])
  expect(await keysOf(`created_at_to=${created_at - 3600}`)).toEqual([])
})

test.each([
  ['text that is not JSON', '[{', 'malformed_json'],
  ['an object', '{}', 'invalid_type'],
  ['a list of numbers', '[1]', 'invalid_type'],
  ['an empty list', '[]', 'too_small'],
  ['a filter without a taxonomy', '[{"entry_ids":[]}]', 'invalid_type'],
  ['a malformed id', '[{"taxonomy_id":"1"}]', 'invalid_format'],
  ['an unknown field', `[{"taxonomy_id":"0199aaaa-0000-7000-8000-000000000001","entries":[]}]`, 'unrecognized_keys'],
])('A taxonomy_query of %s is refused with its pointer', async (_, text, code) => {
  const { status, body } = await list(`taxonomy_query=${encodeURIComponent(text)}`)
  expect([status, body.code, body.errors]).toEqual([
    422,
    'invalid_input',
    [{ pointer: 'taxonomy_query', code, detail: expect.any(String) }],
  ])
  expect((await list('taxonomy_query=[]&taxonomy_query=[]')).status).toBe(422)
  expect((await list('match_all=perhaps')).status).toBe(422)
})

test.each([
  ['the key', 'banana', ['banana']],
  ['the beginning of a word, in any case', 'BanA', ['banana']],
  ['a slug, whole or in part', 'frisch-fig', ['fig']],
  ['a sku', 'sku-105', ['fig']],
  ['the beginning of a sku', 'SKU-10', [...keys].reverse()],
  ['a part of a sku', '105', ['fig']],
  ['a text deep in a block', 'sorte 3', ['date']],
  ['every word, in any order', '6 sorte', ['grape']],
  ['words with umlauts and hyphens', 'größe-xl cherry', ['cherry']],
  ['a word in none of them', 'mango', []],
  ['a word that is one only in part', 'anana', []],
  ['signs that mean something to a database', "fig' | !(grape) & * :", []],
  ['the name of a field', 'localized', []],
])('A search finds products by %s', async (_, words, found) => {
  expect(await keysOf(`query=${encodeURIComponent(words)}`)).toEqual(found)
})

test('A search finds changed text and no longer the old text', async () => {
  const { body } = await shop.asOperator('POST', '/products', {
    key: 'kiwi',
    blocks: [{ key: 't', type: 'text', value: 'furry' }],
    variants: [{ sku: 'OLD' }],
  })
  await shop.asOperator('PUT', `/products/${body.id}`, { slug: { en: 'green-one' }, variants: [{ sku: 'NEW' }] })
  const found = await Promise.all(['kiwi', 'furry', 'green', 'new', 'old'].map((word) => keysOf(`query=${word}`)))
  expect(found).toEqual([['kiwi'], ['kiwi'], ['kiwi'], ['kiwi'], []])
  await shop.asOperator('DELETE', `/products/${body.id}`)
})

test('A search covers texts of any size', async () => {
  const value = Array.from({ length: 60_000 }, (_, at) => `w${at}-ü`).join(' ')
  const made = await shop.asOperator('POST', '/products', { key: 'large', blocks: [{ key: 't', type: 'text', value }] })
  expect(made.status).toBe(201)
  expect(await keysOf('query=w77-ü')).toEqual(['large'])
  await shop.asOperator('DELETE', `/products/${made.body.id}`)
})
