// The console's files come from its build and from nowhere else, and its page under a policy without inline scripts.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { consolePages } from '../../api/platform/console.ts'
import { servePages } from '../kit/stack/pages.ts'
import { onWire } from '../kit/wire.ts'

const page = '<!doctype html><title>Console</title><script type="module" src="/console/assets/app-B1.js"></script>'
const script = `console.log('${'a'.repeat(2_000)}')`
const picture = Buffer.from('89504e470d0a1a0a', 'hex')

/** A build, with a file beside it that must not be read. */
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-console-'))
const dist = path.join(root, 'dist')
const write = (name: string, content: string | Buffer) => {
  fs.mkdirSync(path.dirname(path.join(dist, name)), { recursive: true })
  fs.writeFileSync(path.join(dist, name), content)
}
const stops: (() => void)[] = []
async function apiWith(folder: string | null, publicUrl = 'https://shop.example'): Promise<string> {
  const { url, stop } = await servePages((router) => consolePages(router, folder, publicUrl))
  stops.push(stop)
  return url
}
let api = ''
beforeAll(async () => {
  fs.writeFileSync(path.join(root, 'secret.txt'), 'SECRET')
  write('index.html', page)
  write('assets/app-B1.js', script)
  write('assets/picture-C2.png', picture)
  write('icon.svg', '<svg/>')
  write('.hidden.js', 'SECRET')
  api = await apiWith(dist)
})
afterAll(() => {
  for (const stop of stops) stop()
  fs.rmSync(root, { recursive: true })
})
const get = async (at: string, headers: Record<string, string> = {}, base = api) => {
  const answer = await fetch(`${base}${at}`, { headers, redirect: 'manual' })
  return { status: answer.status, text: await answer.text(), header: (name: string) => answer.headers.get(name) }
}

test.each([
  '/console/',
  '/console/index.html',
  '/console/orders/0199c3a1',
  '/console/data/stores.b/x',
  '/console/a/b/c/d/',
])('The path %s is answered with the page, which no cache keeps and no site frames', async (at) => {
  const { status, text, header } = await get(at)
  expect([status, text, header('content-type')]).toEqual([200, page, 'text/html; charset=utf-8'])
  expect([header('cache-control'), header('x-content-type-options'), header('referrer-policy')]).toEqual([
    'no-store',
    'nosniff',
    'same-origin',
  ])
  expect(header('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
})

test('Assets are kept for a year and compressed, unless they are pictures', async () => {
  const asset = await get('/console/assets/app-B1.js', { 'accept-encoding': 'gzip' })
  const etag = asset.header('etag') as string
  expect([asset.status, asset.text, asset.header('content-encoding')]).toEqual([200, script, 'gzip'])
  expect([asset.header('content-type'), asset.header('cache-control'), asset.header('x-content-type-options')]).toEqual(
    ['text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'nosniff'],
  )
  const again = await onWire(api, [
    `GET /console/assets/app-B1.js HTTP/1.1\r\nhost: a\r\nif-none-match: ${etag}\r\nconnection: close\r\n\r\n`,
  ])
  expect(again.status).toBe(304)
  const image = await get('/console/assets/picture-C2.png', { 'accept-encoding': 'gzip, br' })
  expect([image.status, image.header('content-type'), image.header('content-encoding'), image.header('vary')]).toEqual([
    200,
    'image/png',
    null,
    null,
  ])
})

test('A file whose name has no hash is asked for again, also after the next build', async () => {
  const before = await get('/console/icon.svg')
  expect([before.status, before.text, before.header('cache-control')]).toEqual([200, '<svg/>', 'public, no-cache'])
  write('icon.svg', '<svg id="new"/>')
  write('index.html', `${page}<!-- new -->`)
  const after = await get('/console/icon.svg')
  expect([after.text, after.header('etag') === before.header('etag')]).toEqual(['<svg id="new"/>', false])
  expect((await get('/console/')).text).toContain('new')
  write('index.html', page)
})

test('An asset that the build does not have is no page of the application', async () => {
  for (const at of ['/console/assets/app-A0.js', '/console/assets/', '/console/assets/app-B1.js/x']) {
    const { status, text } = await get(at)
    expect([at, status, JSON.parse(text).code]).toEqual([at, 404, 'no_route'])
  }
})

test.each([
  '/console/../secret.txt',
  '/console/../dist/../secret.txt',
  '/console/assets/../../secret.txt',
  '/console/%2e%2e/secret.txt',
  '/console/..%2fsecret.txt',
  '/console/..%5csecret.txt',
  '/console/assets/..%2f..%2fsecret.txt',
  '/console//etc/hostname',
  '/console/.hidden.js',
  '/console/assets/%00',
])('No file outside of the build is answered for %s', async (at) => {
  const { status, text } = await onWire(api, [`GET ${at} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`])
  expect([400, 404, 200]).toContain(status)
  expect(text).not.toContain('SECRET')
  if (status === 200) expect(text).toContain('<title>Console</title>')
})

test('The address without a slash leads to the one with it, and nothing can be written', async () => {
  const { status, header } = await get('/console')
  expect([status, header('location')]).toEqual([302, 'console/'])
  expect((await fetch(`${api}/console/orders`, { method: 'POST' })).status).toBe(405)
})

describe('Without an application', () => {
  test('A missing build is answered with one line that says how to make it', async () => {
    const { status, text, header } = await get('/console/', {}, await apiWith(path.join(root, 'none')))
    expect([status, header('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
    expect(text).toBe('The console is not built. `npm run console:build` builds it.\n')
  })

  test('Under a public address with a path one line says that the console needs one without', async () => {
    const base = await apiWith(dist, 'https://shop.example/shop')
    for (const at of ['/console', '/console/', '/console/assets/app-B1.js']) {
      const { status, text } = await get(at, {}, base)
      expect([at, status, text]).toEqual([at, 404, 'The console needs a PUBLIC_URL without a path.\n'])
    }
  })

  test('A console that is turned off is no path of the API', async () => {
    const { status, text } = await get('/console/', {}, await apiWith(null))
    expect([status, JSON.parse(text).code]).toEqual([404, 'no_route'])
  })
})
