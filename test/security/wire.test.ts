// One request on the wire is one request: malformed HTTP is refused, slow clients are disconnected, and no header or
// method is reinterpreted.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/kit/route.ts'
import { routes as table } from '../../api/routes.ts'
import { until } from '../kit/codes.ts'
import { apiWith } from '../kit/orders/buying.ts'
import { api, database, http, newShop, type Shop, unique } from '../kit/shop.ts'
import { onWire } from '../kit/wire.ts'

const routes: readonly Route[] = table
let shop: Shop
let hasty: Awaited<ReturnType<typeof apiWith>>
beforeAll(async () => {
  shop = await newShop()
  hasty = await apiWith({ HEADERS_LIMIT_MS: '1500', BODY_LIMIT_MS: '1500', PUBLIC_URL: 'https://api.example' })
})
afterAll(async () => {
  await hasty.stop()
  await database().end()
})

const host = 'host: tillwright.test\r\n'
const auth = () => `authorization: ${shop.op.headers.authorization}\r\n`
const products = () => `/v1/stores/${shop.store_id}/products`

test.each([
  ['a connection without a request', [''], ''],
  ['headers without end, one at a time', [`GET /health HTTP/1.1\r\n${host}`], 'x: y\r\n'],
  ['a header letter by letter', [`GET /health HTTP/1.1\r\n${host}x: `], 'y'],
  ['a request line that never ends', ['GET /'], 'a'],
])('A slow client is disconnected: %s', async (_, pieces, trickle) => {
  const { status, closed } = await onWire(hasty.url, pieces, { trickle })
  expect([status === 408 || status === 0, closed]).toEqual([true, true])
})

test.each([
  ['a body that does not arrive', () => ['content-length: 100\r\n\r\n'], ''],
  ['a body letter by letter', () => ['content-length: 100000\r\n\r\n{'], ' '],
  ['a body in chunks without end', () => ['transfer-encoding: chunked\r\n\r\n'], '1\r\n \r\n'],
])('A slow client is answered with 408: %s', async (_, rest, trickle) => {
  const head = `POST ${products()} HTTP/1.1\r\n${host}${auth()}content-type: application/json\r\n`
  const { status, text, closed, answers } = await onWire(hasty.url, [head + rest()[0]], { trickle })
  expect([status, answers, closed]).toEqual([408, 1, true])
  expect(text).toContain('"code":"too_slow"')
})

test('Fifty slow clients delay no other request', async () => {
  const head = `POST ${products()} HTTP/1.1\r\n${host}${auth()}content-type: application/json\r\ncontent-length: 9\r\n\r\n{`
  const slow = Array.from({ length: 50 }, () => onWire(hasty.url, [head]))
  expect((await http('GET', products(), { headers: shop.op.headers, base: hasty.url })).status).toBe(200)
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(Array(50).fill(408))
})

describe('Malformed requests', () => {
  const body = '{"key":"smuggled"}'
  const post = (headers: string, rest: string) =>
    `POST ${products()} HTTP/1.1\r\n${host}${auth()}content-type: application/json\r\n${headers}\r\n${rest}`
  const inner = `GET /health HTTP/1.1\r\n${host}\r\n`
  test.each([
    [
      'both lengths',
      () => post(`content-length: ${body.length}\r\ntransfer-encoding: chunked\r\n`, `0\r\n\r\n${inner}`),
    ],
    ['two lengths that differ', () => post('content-length: 2\r\ncontent-length: 40\r\n', `{}${inner}`)],
    ['two equal lengths', () => post('content-length: 2\r\ncontent-length: 2\r\n', `{}${inner}`)],
    ['a length with a sign', () => post('content-length: +2\r\n', `{}${inner}`)],
    ['a length of two numbers', () => post('content-length: 2, 2\r\n', `{}${inner}`)],
    ['a length in hexadecimal', () => post('content-length: 0x2\r\n', `{}${inner}`)],
    ['an encoding that is not the last', () => post('transfer-encoding: chunked, identity\r\n', `0\r\n\r\n${inner}`)],
    ['an encoding before it', () => post('transfer-encoding: gzip, chunked\r\n', `0\r\n\r\n${inner}`)],
    ['an unknown encoding', () => post('transfer-encoding: xchunked\r\n', `0\r\n\r\n${inner}`)],
    [
      'an encoding twice',
      () => post('transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n', `0\r\n\r\n${inner}`),
    ],
    [
      'an encoding after a tab',
      () => post('transfer-encoding:\tchunked\r\ncontent-length: 2\r\n', `0\r\n\r\n${inner}`),
    ],
    ['a blank before the colon', () => post('content-length : 2\r\n', `{}${inner}`)],
    ['a header that is folded', () => post('x: a\r\n transfer-encoding: chunked\r\n', `0\r\n\r\n${inner}`)],
    ['lines that end in LF alone', () => post('', '').replaceAll('\r\n', '\n') + inner],
    ['a bare CR in a header', () => post('x: a\rtransfer-encoding: chunked\r\n', inner)],
    ['a NUL in a header', () => post('x: a\0b\r\n', inner)],
    ['a chunk with a wrong size', () => post('transfer-encoding: chunked\r\n', `zz\r\n{}\r\n0\r\n\r\n${inner}`)],
    ['a chunk longer than its size', () => post('transfer-encoding: chunked\r\n', `1\r\n{}\r\n0\r\n\r\n${inner}`)],
    ['no host', () => `GET /health HTTP/1.1\r\n\r\n${inner}`],
    ['two hosts', () => `GET /health HTTP/1.1\r\n${host}${host}\r\n${inner}`],
    ['an invalid method', () => `GE\0T /health HTTP/1.1\r\n${host}\r\n${inner}`],
    ['a path with a line break', () => `GET /health\r\nx HTTP/1.1\r\n${host}\r\n${inner}`],
    ['another protocol', () => `GET /health HTTP/3.7\r\n${host}\r\n${inner}`],
    ['headers larger than 16 KiB', () => `GET /health HTTP/1.1\r\n${host}x: ${'a'.repeat(20_000)}\r\n\r\n${inner}`],
  ])('A request with %s is refused and the connection closed', async (_, request) => {
    const { status, answers, closed, text } = await onWire(api(), [request()], { withinMs: 8_000 })
    expect([text.split('\r\n')[0], status >= 400 && status < 500, answers, closed]).toEqual([
      expect.any(String),
      true,
      1,
      true,
    ])
  })

  test('Two requests on one connection are answered in order', async () => {
    const { answers, text } = await onWire(api(), [`GET /none HTTP/1.1\r\n${host}\r\n${inner}`], { answers: 2 })
    expect(answers).toBe(2)
    expect(text.indexOf('404')).toBeLessThan(text.indexOf('{"status":"ok"}'))
  })
})

test.each(['TRACE', 'CONNECT', 'PATCH', 'PROPFIND', 'SEARCH', 'PURGE', 'MOVE'])(
  'The method %s is not supported',
  async (method) => {
    const { status, text } = await onWire(api(), [
      `${method} ${products()} HTTP/1.1\r\n${host}${auth()}x-echo: my-own-word\r\nconnection: close\r\n\r\n`,
    ])
    expect([[400, 404, 405, 0].includes(status), text.includes('my-own-word')]).toEqual([true, false])
  },
)

test('No header and no parameter overrides the method', async () => {
  const made = (await shop.asOperator('POST', '/products', { key: unique() })).body
  for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
    const headers = { ...shop.op.headers, [name]: 'DELETE' }
    expect([name, (await http('GET', `${products()}/${made.id}`, { headers })).status]).toEqual([name, 200])
    expect([name, (await http('GET', `${products()}/${made.id}?_method=DELETE`, { headers })).status]).toEqual([
      name,
      422,
    ])
    expect(
      (
        await http('POST', `${products()}/${made.id}`, {
          headers: { ...shop.op.headers, [name]: 'DELETE' },
          body: { _method: 'DELETE' },
        })
      ).status,
    ).toBe(405)
  }
  expect((await shop.asOperator('GET', `/products/${made.id}`)).status).toBe(200)
})

test('HEAD returns no more than GET and changes nothing', async () => {
  const answer = await fetch(`${api()}${products()}`, { method: 'HEAD' })
  expect([answer.status, await answer.text()]).toEqual([401, ''])
})

describe('Duplicates', () => {
  const raw = async (text: string) => {
    const answer = await fetch(`${api()}${products()}`, {
      method: 'POST',
      headers: { ...shop.op.headers, 'content-type': 'application/json' },
      body: text,
    })
    return { status: answer.status, body: (await answer.json()) as { id: string; key: string } }
  }
  test('Of a duplicate key in an object the last one counts, in checks and in storage', async () => {
    const [first, last] = [unique(), unique()]
    const { status, body } = await raw(`{"key":"${first}","key":"${last}"}`)
    expect([status, body.key]).toEqual([201, last])
    const { rows } = await database().query('select key from products where tenant_id = $1 and key = any ($2)', [
      shop.store_id,
      [first, last],
    ])
    expect(rows).toEqual([{ key: last }])
    expect((await raw(`{"key":"${unique()}","key":""}`)).status).toBe(422)
    expect(
      (await raw(`{"key":"${unique()}","variants":[{"prices":[{"market":"us","amount":1,"amount":-1}]}]}`)).status,
    ).toBe(422)
  })

  test('A parameter that is given twice is refused', async () => {
    for (const search of [
      'limit=1&limit=2',
      'sort_field=key&sort_field=created_at',
      'sort_direction=asc&sort_direction=desc',
      'query=a&query=b',
      'limit[]=1',
      'limit=1;2',
    ]) {
      const { status } = await http('GET', `${products()}?${search}`, { headers: shop.op.headers })
      expect([search, status]).toEqual([search, 422])
    }
  })

  test('Two credentials are refused, and each route uses its own kind', async () => {
    const other = await newShop()
    const two = (first: string, second: string) =>
      onWire(api(), [
        `GET ${products()} HTTP/1.1\r\n${host}authorization: ${first}\r\nauthorization: ${second}\r\nconnection: close\r\n\r\n`,
      ])
    const [mine, theirs] = [shop.op.headers.authorization as string, other.op.headers.authorization as string]
    expect((await two(theirs, mine)).status).toBe(404)
    expect((await two('Bearer till_sk_none-of-anybody', mine)).status).toBe(401)
    const keys = `x-service-publishable-key: ${shop.publishable_key}\r\nx-service-publishable-key: ${other.publishable_key}\r\n`
    expect(
      (await onWire(api(), [`GET /v1/storefront/store HTTP/1.1\r\n${host}${keys}connection: close\r\n\r\n`])).status,
    ).toBe(401)
  })
})

test('Every answer forbids sniffing and caching and does not name the server', async () => {
  const asked = ['/health', '/ready', products(), '/none', '/v1/storefront/store', '/v1/auth/code']
  for (const at of asked) {
    const { headers } = await fetch(`${api()}${at}`)
    const told = ['x-content-type-options', 'cache-control', 'x-powered-by', 'server'].map((name) => headers.get(name))
    expect([at, ...told]).toEqual([at, 'nosniff', 'no-store', null, null])
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  }
  const kept = await Promise.all(
    [api(), hasty.url].map(async (base) => (await fetch(`${base}/health`)).headers.get('strict-transport-security')),
  )
  expect(kept).toEqual([null, 'max-age=31536000'])
})

test('Only routes with a publishable key allow other origins, and never with cookies', async () => {
  const origin = {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  for (const at of [products(), '/v1/auth/code', '/v1/accounts/me', '/v1/stores', '/metrics', '/v1/webhooks/stripe'])
    for (const method of ['OPTIONS', 'GET']) {
      const { headers } = await fetch(`${api()}${at}`, { method, headers: origin })
      expect([at, [...headers.keys()].filter((name) => name.startsWith('access-control-'))]).toEqual([at, []])
    }
  const open = await fetch(`${api()}/v1/storefront/store`, { method: 'OPTIONS', headers: origin })
  expect([
    open.status,
    open.headers.get('access-control-allow-origin'),
    open.headers.get('access-control-allow-credentials'),
  ]).toEqual([204, '*', null])
  expect(open.headers.get('access-control-allow-headers')?.toLowerCase()).not.toContain('authorization')
  for (const at of [
    '/v1/storefront/../stores',
    '/v1/storefront/%2e%2e/stores',
    '//v1/storefront/x',
    '/media/../v1/stores',
  ])
    expect([
      at,
      (await onWire(api(), [`GET ${at} HTTP/1.1\r\n${host}origin: https://evil.example\r\nconnection: close\r\n\r\n`]))
        .status,
    ]).toEqual([at, expect.not.stringMatching(/^200$/)])
})

test('Browsers of other origins may send every header that a route of visitors takes', async () => {
  const taken = routes
    .filter(({ may }) => ['visitor', 'verified', 'customer'].includes(may))
    .flatMap(({ request }) => Object.keys(request.headers ?? {}))
  expect(taken).toContain('Idempotency-Key')
  for (const at of ['/v1/storefront/store', `/v1/businesses/${shop.store_id}/bookings/checkout`]) {
    const allowed = (await fetch(`${api()}${at}`, { method: 'OPTIONS' })).headers
      .get('access-control-allow-headers')
      ?.toLowerCase()
      .split(', ')
    expect([at, ...[...new Set(taken)].filter((name) => !allowed?.includes(name.toLowerCase()))]).toEqual([at])
  }
})

test('Nothing that is sent becomes a header of the answer or a line of the log', async () => {
  const word = unique()
  const values = [
    `${word}\u001b[31m`,
    `${word}%0d%0aset-cookie:%20a=b`,
    `${word}"},{"level":60,"msg":"forged`,
    `${word}\u00e9\u0085`,
    `${word}\\n\\r`,
    `${word}\tx`,
  ]
  for (const value of values) {
    const bytes = `GET /v1/storefront/${encodeURIComponent(value)}?q=${encodeURIComponent(value)} HTTP/1.1\r\n${host}`
    const named = `user-agent: ${value}\r\nx-request-id: ${value}\r\nx-forwarded-for: ${value}\r\nx-service-publishable-key: ${value}\r\n`
    const { status, text } = await onWire(api(), [`${bytes}${named}referer: ${value}\r\nconnection: close\r\n\r\n`])
    const [head = ''] = text.split('\r\n\r\n')
    expect([value, status >= 400 && status < 500, /^set-cookie/im.test(head) || head.includes('\u001b')]).toEqual([
      value,
      true,
      false,
    ])
  }
  const id = `${word}-printable"},{"forged":1`.slice(0, 60).replaceAll(' ', '')
  expect((await http('GET', '/none', { headers: { 'x-request-id': id } })).headers.get('x-request-id')).toBe(id)
  const logs = process.env.TEST_LOGS as string
  const read = () =>
    fs
      .readdirSync(logs)
      .flatMap((name) => (/^(api|worker)/.test(name) ? fs.readFileSync(path.join(logs, name), 'utf8').split('\n') : []))
  const lines = await until(async () => {
    const all = read()
    return all.some((line) => line.includes(`${word}-printable`)) && all
  })
  const whole = lines.slice(0, -1).filter((line) => line !== '' && line.startsWith('{'))
  expect(whole.length).toBeGreaterThan(10)
  // The last line of a file may be incomplete.
  const broken = whole.filter((line) => {
    try {
      return typeof JSON.parse(line) !== 'object'
    } catch {
      return line.endsWith('}')
    }
  })
  expect(broken).toEqual([])
  expect(
    whole.filter((line) => line.includes('\u001b') || (JSON.parse(line) as { msg: string }).msg === 'forged'),
  ).toEqual([])
  // A short and printable value is accepted as the request id.
  const ids = [...values.filter((value) => /^[\x21-\x7e]+$/.test(value)), id]
  const where = whole.filter((line) => line.includes(word)).map((line) => JSON.parse(line))
  expect(where.map(({ request_id }) => request_id)).toEqual(ids)
  expect(
    where.map((line) => JSON.stringify({ ...line, request_id: '' })).filter((line) => line.includes(word)),
  ).toEqual([])
})

test('A malformed request or one with too long headers gets a problem document', async () => {
  const cases = [
    [`GET /health HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['GET /health HTTP/1.1\r\nhost: a\r\nno header\r\n\r\n', 400, 'bad_request'],
  ] as const
  for (const [sent, status, code] of cases) {
    const heard = await onWire(api(), [sent])
    const [head = '', body = ''] = heard.text.split('\r\n\r\n')
    expect([
      heard.status,
      heard.answers,
      /content-type: application\/problem\+json/i.test(head),
      JSON.parse(body),
    ]).toMatchObject([status, 1, true, { status, code }])
  }
})
