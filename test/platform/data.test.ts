// Platform values: any JSON under any text key, read by key or by prefix, in byte order.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { nodesOf, readsOf, recordStatements, rowsOf } from '../kit/database/statements.ts'
import {
  type Answer,
  api,
  database,
  eitherApi,
  http,
  newShop,
  type Operator,
  operator,
  secondApi,
  unique,
} from '../kit/shop.ts'

let platform: Operator
beforeAll(async () => {
  platform = await operator(process.env.SUPER_EMAIL?.split(',')[0])
})
afterAll(async () => database().end())

const at = '/v1/platform/data'
const put = (body: unknown, base = eitherApi()): Promise<Answer> =>
  http('POST', at, { body, headers: platform.headers, base })
const search = (values: Record<string, string>) => new URLSearchParams(values)
const get = (key: string, limit?: number, base = eitherApi()): Promise<Answer> =>
  http('GET', `${at}?${search({ key, ...(limit === undefined ? {} : { limit: String(limit) }) })}`, {
    headers: platform.headers,
    base,
  })
const remove = (query: string, body?: unknown): Promise<Answer> =>
  http('DELETE', `${at}${query}`, { headers: platform.headers, body, base: eitherApi() })
const found = async (key: string, limit?: number) =>
  (await get(key, limit)).body.value as { key: string; value: unknown }[]
const keysAt = async (key: string, limit?: number) => (await found(key, limit)).map((one) => one.key)
const faultsOf = ({ status, body }: Answer) => [
  status,
  ...(body.errors ?? []).map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`),
]

describe('Values', () => {
  const values: unknown[] = [
    null,
    false,
    true,
    0,
    -1.5,
    1e300,
    '',
    'null',
    'a ? b ?? $1 :name \\ %_',
    [],
    {},
    [null, [null]],
    { '': null, a: { b: [1, '2', false] }, ключ: '\u{1f600}' },
    JSON.parse('{"toJSON": 3, "__proto__": {"x": 1}, "constructor": 2}'),
  ]

  test.each(values.map((value) => [JSON.stringify(value), value]))(
    'The value %s is read as it was written',
    async (_, value) => {
      const key = unique()
      expect(await put({ key, value })).toMatchObject({ status: 200, body: { ok: true } })
      const { body } = await get(key)
      expect(JSON.stringify(body)).toBe(JSON.stringify({ value: [{ key, value }] }))
    },
  )

  test('A null value is JSON null, and a missing value is refused', async () => {
    const key = unique()
    await put({ key, value: null })
    const { rows } = await database().query('select jsonb_typeof(value) as type from platform_data where key = $1', [
      key,
    ])
    expect(rows).toEqual([{ type: 'null' }])
    expect(faultsOf(await put({ key }))).toEqual([422, '/value required'])
  })

  test('A value of 256 KiB is stored, and one more byte is refused', async () => {
    const key = unique()
    const text = 'é'.repeat(128 * 1024 - 1)
    expect((await put({ key, value: text })).status).toBe(200)
    expect((await found(key))[0]?.value).toBe(text)
    expect(faultsOf(await put({ key, value: `${text}x` }))).toEqual([422, '/value too_big'])
    expect((await found(key))[0]?.value).toBe(text)
  })

  test('A value’s limit counts its stored length, and values that cannot round-trip are refused', async () => {
    const raw = (value: string) =>
      http('POST', at, { text: `{"key": "${unique()}", "value": ${value}}`, headers: platform.headers })
    // Each of these takes 300 digits in storage.
    expect(faultsOf(await raw(`[${'1e299,'.repeat(1_000)}0]`))).toEqual([422, '/value too_big'])
    expect((await raw(`[${'1e299,'.repeat(500)}0]`)).status).toBe(200)
    expect(faultsOf(await raw('[1e999]'))).toEqual([422, '/value/0 invalid_number'])
    expect(faultsOf(await raw('"a\\u0000b"'))).toEqual([422, '/value invalid_text'])
    expect(faultsOf(await raw('{"\\ud800": 1}'))[0]).toBe(422)
  })

  test('A value is replaced by the next write and keeps its creation time', async () => {
    const key = unique()
    await put({ key, value: 1 })
    await database().query('update platform_data set created_at = 5, updated_at = 5 where key = $1', [key])
    await put({ key, value: [2] })
    const { rows } = await database().query(
      'select value, created_at, updated_at > 5 as later from platform_data where key = $1',
      [key],
    )
    expect(rows).toEqual([{ value: [2], created_at: 5, later: true }])
  })
})

test('A key has 1 to 512 bytes, however many characters these are', async () => {
  const head = unique()
  const longest = `${head}${'\u{1f600}'.repeat((512 - head.length) / 4)}`
  expect((await put({ key: longest, value: 1 })).status).toBe(200)
  expect(await keysAt(longest)).toEqual([longest])
  expect(faultsOf(await put({ key: `${longest}x`, value: 1 }))).toEqual([422, '/key too_big'])
  expect(faultsOf(await get(`${longest}x`))).toEqual([422, 'key too_big'])
  expect(faultsOf(await remove(`?${search({ key: `${longest}x` })}`))).toEqual([422, 'key too_big'])
  expect(faultsOf(await put({ key: '', value: 1 }))).toEqual([422, '/key too_small'])
  expect(faultsOf(await put({ key: 'a', previous_key: '', value: 1 }))).toEqual([422, '/previous_key too_small'])
  for (const key of [1, null, ['a']]) expect(faultsOf(await put({ key, value: 1 }))).toEqual([422, '/key invalid_type'])
})

test('A read without a key is refused', async () => {
  for (const [query, expected] of [
    ['', 'key required'],
    ['?key=', 'key empty'],
    ['?limit=5', 'key required'],
  ])
    expect(faultsOf(await http('GET', `${at}${query}`, { headers: platform.headers }))).toEqual([422, expected])
  expect((await http('GET', `${at}?key=%00`, { headers: platform.headers })).status).toBe(422)
})

test('A key is literal: it contains no wildcards, and Unicode forms stay distinct', async () => {
  const head = unique()
  const tails = [
    '%',
    '_',
    '\\',
    ':',
    '*',
    '?',
    "'",
    '"',
    '$1',
    ':a',
    '%%',
    '\\%',
    ' ',
    '  ',
    '\t',
    '\n',
    'é',
    'e\u0301',
    'É',
    '\u{1f600}',
    '\u{10ffff}',
    '\uffff',
    '<a>',
  ]
  for (const [at, tail] of tails.entries()) await put({ key: `${head}${tail}`, value: at })
  for (const [at, tail] of tails.entries())
    expect([tail, await found(`${head}${tail}`)]).toEqual([tail, [{ key: `${head}${tail}`, value: at }]])
  // Each of these is a prefix of another only by its own characters.
  await remove(`?${search({ key: `${head}%` })}`)
  expect(await keysAt(`${head}%`)).toEqual([`${head}%%`])
  await remove(`?${search({ key: `${head}_` })}`)
  expect(await keysAt(`${head}_`)).toEqual([])
  await remove(`?${search({ key: `${head}\\` })}`)
  expect(await keysAt(`${head}\\`)).toEqual([`${head}\\%`])
  await remove(`?${search({ key: `${head}:` })}`)
  expect(await keysAt(`${head}:`)).toEqual([`${head}:a`])
  await remove(`?${search({ key: `${head}é` })}`)
  expect(await keysAt(`${head}é`)).toEqual([])
  expect(await keysAt(`${head}e`)).toEqual([`${head}e\u0301`])
})

describe('Prefixes', () => {
  const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

  test('Keys with a prefix come in byte order, beyond the basic plane too', async () => {
    const head = unique()
    const keys = [
      'a',
      'B',
      'Z',
      'ab',
      'a:',
      'ä',
      'z',
      '~',
      '\u007f',
      '\ud7ff',
      '\ue000',
      '\ufffd',
      '\uffff',
      '\u{10000}',
      '\u{1f600}',
      '\u{10fffe}',
      '\u{10ffff}',
      '\u{10ffff}\u{10ffff}',
      '0',
      ' ',
    ].map((tail) => `${head}:${tail}`)
    for (const key of keys) await put({ key, value: key })
    expect(await keysAt(`${head}:`, 100)).toEqual([...keys].sort(byBytes))
    expect(await keysAt(head, 100)).toEqual([...keys].sort(byBytes))
    // A neighbouring key with any last character is not among them.
    for (const tail of ['\ud7ff', '\u{10ffff}', '\uffff', '~']) {
      await remove(`?${search({ key: `${head}:${tail}` })}`)
      expect([tail, await keysAt(`${head}:${tail}`)]).toEqual([
        tail,
        keys.filter((key) => key.startsWith(`${head}:${tail}`) && key !== `${head}:${tail}`),
      ])
    }
  })

  test('A prefix that ends with the last code point finds its keys', async () => {
    const key = `\u{10ffff}\u{10ffff}${unique()}`
    await put({ key, value: 1 })
    expect(await keysAt('\u{10ffff}')).toEqual([key])
    await remove(`?${search({ key })}`)
  })

  test('A prefix read returns 20 values by default, 1 to 100, and an exact match alone', async () => {
    const head = unique()
    const keys = Array.from({ length: 101 }, (_, n) => `${head}${String(n).padStart(3, '0')}`)
    await Promise.all(keys.map((key) => put({ key, value: 0 })))
    expect(await keysAt(head)).toEqual(keys.slice(0, 20))
    expect(await keysAt(head, 1)).toEqual(keys.slice(0, 1))
    expect(await keysAt(head, 100)).toEqual(keys.slice(0, 100))
    expect(await keysAt(`${head}01`)).toEqual(keys.slice(10, 20))
    await put({ key: `${head}01`, value: 'exact' })
    expect(await found(`${head}01`, 50)).toEqual([{ key: `${head}01`, value: 'exact' }])
    for (const limit of [0, 101, -1, 1.5]) expect(faultsOf(await get(head, limit))[0]).toBe(422)
  })

  test('A prefix read costs what it returns, however many other keys there are', async () => {
    const heard = await recordStatements()
    try {
      const head = unique()
      await put({ key: `${head}:${'x'.repeat(100)}`, value: 1 })
      const plans = async (key: string) => {
        const statements = await heard.said((base) => get(key, 20, base))
        const own = statements.filter(({ text }) => text.includes('platform_data'))
        expect(own).toHaveLength(1)
        return heard.planOf(own[0] as (typeof own)[number])
      }
      const costs: number[] = []
      for (const rows of [2_000, 20_000]) {
        await database().query(
          `insert into platform_data (key, value, created_at, updated_at) select $1 || ':' || n, '0', 1, 1 from generate_series(1, $2::int) n on conflict do nothing`,
          [head, rows],
        )
        await database().query('analyze platform_data')
        for (const key of [`${head}:1`, `${head}:1_`, `${head}:`, head, `${head}:x`, '\u{10ffff}']) {
          const plan = await plans(key)
          const reads = readsOf(plan, 'platform_data')
          expect(reads.length).toBeGreaterThan(0)
          for (const read of reads) expect(read['Node Type']).toMatch(/^Index( Only)? Scan$/)
          expect(nodesOf(plan)).not.toContain('Seq Scan')
          expect(nodesOf(plan)).not.toContain('Sort')
          costs.push(reads.reduce((sum, read) => sum + rowsOf(read), 0))
        }
      }
      expect(Math.max(...costs)).toBeLessThanOrEqual(21)
      expect(costs.slice(0, costs.length / 2)).toEqual(costs.slice(costs.length / 2))
    } finally {
      await heard.close()
      await database().query(`delete from platform_data where key like '%:%' and created_at = 1`)
    }
  })
})

test('The key in previous_key is deleted in the same write, and may be absent or the same', async () => {
  const [old, key] = [`a${unique()}`, `b${unique()}`]
  await put({ key: old, value: 1 })
  expect((await put({ key, value: 2, previous_key: old })).status).toBe(200)
  expect([await found(old), await found(key)]).toEqual([[], [{ key, value: 2 }]])
  expect((await put({ key, value: 3, previous_key: old })).status).toBe(200)
  expect((await put({ key, value: 4, previous_key: key })).status).toBe(200)
  expect(await found(key)).toEqual([{ key, value: 4 }])
})

test('The key in previous_key stays when the write is refused', async () => {
  const old = unique()
  await put({ key: old, value: 1 })
  expect((await put({ key: unique(), value: 'x'.repeat(300_000), previous_key: old })).status).toBe(422)
  expect(await found(old)).toEqual([{ key: old, value: 1 }])
})

test('Concurrent writes of one key all succeed, and one of them is the last', async () => {
  const key = unique()
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => put({ key, value: n }, n % 2 === 0 ? api() : secondApi())),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  const all = await found(key)
  expect(all).toHaveLength(1)
  expect(all[0]?.value).toBeGreaterThanOrEqual(0)
})

test('Concurrent renames, writes and deletions cause no deadlock', async () => {
  const [a, b] = [`a${unique()}`, `b${unique()}`]
  const kinds = [
    () => put({ key: a, value: 'a', previous_key: b }),
    () => put({ key: b, value: 'b', previous_key: a }),
    () => put({ key: a, value: 'a' }),
    () => remove(`?key=${b}`),
  ]
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => kinds[n % kinds.length]?.()))
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([200]))
  }
  for (const key of [a, b]) expect((await found(key)).every(({ value }) => value === key[0])).toBe(true)
})

test('A deletion takes the key from the query or the body and deletes that one alone', async () => {
  const key = unique()
  for (const [query, body] of [
    [`?key=${key}`, undefined],
    ['', { key }],
    [`?key=${key}`, { key }],
    [`?key=${key}`, {}],
  ] as const) {
    await put({ key, value: 1 })
    await put({ key: `${key}1`, value: 2 })
    expect([query, body, await remove(query, body)]).toMatchObject([query, body, { status: 200, body: { ok: true } }])
    expect(await keysAt(key)).toEqual([`${key}1`])
  }
})

test('Deleting an unknown key succeeds, and two keys or none are refused', async () => {
  expect(await remove(`?key=${unique()}`)).toMatchObject({ status: 200, body: { ok: true } })
  const key = unique()
  await put({ key, value: 1 })
  expect(faultsOf(await remove(`?key=${key}`, { key: `${key}1` }))).toEqual([422, '/key differs_from_query'])
  expect(faultsOf(await remove(''))).toEqual([422, 'key required'])
  expect(faultsOf(await remove('?key='))).toEqual([422, 'key empty'])
  expect(faultsOf(await remove('', { key, value: 1 }))).toEqual([422, '/value unknown_field'])
  expect(await keysAt(key)).toEqual([key])
})

test('Platform values require a platform administrator', async () => {
  const shop = await newShop()
  const key = unique()
  await put({ key, value: 'ours' })
  for (const [headers, status] of [
    [{}, 401],
    [{ authorization: 'Bearer till_sk_nobody' }, 401],
    [shop.op.headers, 403],
  ] as const)
    for (const [method, path, body] of [
      ['POST', at, { key, value: 'theirs' }],
      ['GET', `${at}?key=${key}`, undefined],
      ['DELETE', `${at}?key=${key}`, undefined],
    ] as const)
      expect([method, (await http(method, path, { body, headers })).status]).toEqual([method, status])
  expect(await found(key)).toEqual([{ key, value: 'ours' }])
})
