// The documents and the page at /docs: compressed, validated by their ETags, and from our own process alone.
import fs from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { audiences } from '../../api/openapi/audiences.ts'
import { partFor } from '../../api/openapi/parts.ts'
import { api, http } from '../kit/shop.ts'
import { onWire } from '../kit/wire.ts'

const file = fs.readFileSync(new URL('../../api/openapi.json', import.meta.url))
const documents: [address: string, content: Buffer][] = [
  ['/openapi.json', file],
  ...audiences.map((audience): [string, Buffer] => [
    `/openapi.json?audience=${audience}`,
    Buffer.from(JSON.stringify(partFor(JSON.parse(file.toString()), audience))),
  ]),
]

/** As it is on the wire: fetch would decompress it, and ask caches for a new copy. */
async function get(at: string, headers = '') {
  const { status, text } = await onWire(api(), [`GET ${at} HTTP/1.1\r\nhost: a\r\n${headers}connection: close\r\n\r\n`])
  const [fields = '', ...rest] = text.split('\r\n\r\n')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(fields)?.[1]
  return { status, header, bytes: Buffer.from(rest.join('\r\n\r\n'), 'latin1') }
}

describe.each(documents)('%s', (at, content) => {
  test('It is the built document, in each coding', async () => {
    const plain = await get(at)
    expect([plain.status, plain.header('content-type'), plain.header('content-encoding')]).toEqual([
      200,
      'application/json; charset=utf-8',
      undefined,
    ])
    expect(plain.bytes.equals(content)).toBe(true)
    const zipped = await get(at, 'accept-encoding: gzip;q=1, br;q=0\r\n')
    expect([zipped.header('content-encoding'), gunzipSync(zipped.bytes).equals(content)]).toEqual(['gzip', true])
    // Names of codings have no case.
    expect((await get(at, 'accept-encoding: GZIP\r\n')).header('content-encoding')).toBe('gzip')
    const small = await get(at, 'accept-encoding: gzip, deflate, br\r\n')
    expect([small.header('content-encoding'), brotliDecompressSync(small.bytes).equals(content)]).toEqual(['br', true])
    expect(small.bytes.length).toBeLessThan(content.length / 5)
    for (const { header } of [plain, zipped, small])
      expect([header('vary'), header('cache-control'), header('etag')]).toEqual([
        'Accept-Encoding',
        'public, no-cache',
        plain.header('etag'),
      ])
  })

  test('It is not sent again to a client that has it', async () => {
    const etag = (await get(at)).header('etag')
    const again = await get(at, `if-none-match: ${etag}\r\naccept-encoding: br\r\n`)
    expect([again.status, again.header('etag'), again.bytes.length]).toEqual([304, etag, 0])
    expect((await get(at, 'if-none-match: "another"\r\n')).status).toBe(200)
  })
})

test('A document is not answered to a request with another query parameter', async () => {
  for (const [name, detail] of [
    ['foo', 'There is no such query parameter.'],
    ['audience[]', 'There is no such query parameter. Did you mean `audience`?'],
  ]) {
    const { status, body } = await http('GET', `/openapi.json?${name}=storefront`)
    expect([name, status, body.errors]).toEqual([name, 422, [{ pointer: name, code: 'unknown_parameter', detail }]])
  }
})

test('An unknown audience is refused with the names of those that there are', async () => {
  const { status, body } = await http('GET', '/openapi.json?audience=nobody')
  expect([status, body.errors]).toEqual([
    422,
    [{ pointer: 'audience', code: 'invalid_value', detail: `Expected one of: ${audiences.join(', ')}.` }],
  ])
  expect((await fetch(`${api()}/docs?audience=nobody`)).status).toBe(422)
})

test('The page runs scripts of our own files alone, and offers a switch between the audiences', async () => {
  const pages = await Promise.all(
    ['', '?audience=platform'].map(async (search) => {
      const answer = await fetch(`${api()}/docs${search}`)
      return { headers: answer.headers, html: await answer.text() }
    }),
  )
  const nonces = pages.map(({ headers, html }) => {
    const policy = headers.get('content-security-policy') ?? ''
    const [, nonce = ''] = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policy) ?? []
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "style-src-attr 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(html).toContain(`content="${nonce}"`)
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', 'no-store'])
    expect(html).not.toMatch(/https?:|<script>|<style|\son\w+=/)
    return nonce
  })
  expect(new Set(nonces).size).toBe(2)
  const current = pages.map(({ html }) => /audience=(\w+)" aria-current/.exec(html)?.[1])
  expect(current).toEqual(['storefront', 'platform'])
  for (const audience of audiences) expect(pages[0]?.html).toContain(`href="/docs?audience=${audience}"`)
})

test('The scripts and styles of the page are served, and what changes by name is kept for a year', async () => {
  const html = await (await fetch(`${api()}/docs`)).text()
  const files = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, name]) => name as string)
  expect(files.length).toBe(3)
  for (const name of files) {
    const { status, headers } = await fetch(`${api()}${name}`)
    const isScalar = name.includes('scalar')
    const cache = isScalar ? 'public, max-age=31536000, immutable' : 'public, no-cache'
    expect([name, status, headers.get('cache-control')]).toEqual([name, 200, cache])
  }
  const older = await fetch(`${api()}/docs/scalar-AAAAAAAAAAAAAAAA.js`)
  expect([older.status, older.headers.get('cache-control')]).toEqual([200, 'no-store'])
  for (const name of ['scalar.js', 'index.html', 'swagger-ui.css'])
    expect((await fetch(`${api()}/docs/${name}`)).status).toBe(404)
})
