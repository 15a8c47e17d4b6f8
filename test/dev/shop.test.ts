// The shop's server: the config of the running stack, a strict content policy, and a page while the shop is built. And
// the shop itself, as it is copied.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import http, { type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { buildShop, serveShop, shopConfig } from '../../dev/web/shop.ts'
import { countries } from '../../rules/stores/countries.ts'

const root = path.resolve(import.meta.dirname, '../..')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-shop-'))
const file = path.join(dir, 'shop.json')
const read = (name: string) => fs.readFileSync(path.join(root, 'examples/shop', name), 'utf8')
const write = (stripe: string | null) =>
  fs.writeFileSync(file, JSON.stringify(shopConfig({ api: 'http://127.0.0.1:8080', stripe }, 'till_pk_x')))
const servers: Server[] = []
async function serve(building: Promise<void>): Promise<string> {
  const server = await serveShop(file, 0, building)
  servers.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let shop: string
beforeAll(async () => {
  write('http://127.0.0.1:8420')
  await buildShop()
  shop = await serve(Promise.resolve())
  await fetch(shop)
}, 60_000)
afterAll(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  fs.rmSync(dir, { recursive: true })
})

const policyOf = async (at = '/') => {
  const text = (await fetch(`${shop}${at}`)).headers.get('content-security-policy') ?? ''
  return Object.fromEntries(text.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]))
}

/** What the page says of the shop. */
const configIn = (page: string) => JSON.parse(/<template id="config">([^<]*)<\/template>/.exec(page)?.[1] ?? '')

test('Every path without a file is a page of the shop, and its assets never change', async () => {
  for (const at of ['/', '/products/oak-stool', '/thanks?cart=1', '/../../package.json', '/.sources']) {
    const answer = await fetch(`${shop}${at}`)
    expect([at, answer.status, answer.headers.get('cache-control')]).toEqual([at, 200, 'no-store'])
    expect(await answer.text()).toContain('<div id="shop"></div>')
  }
  const asset = /src="(\/assets\/[^"]+)"/.exec(await (await fetch(shop)).text())?.[1]
  expect((await fetch(`${shop}${asset}`)).headers.get('cache-control')).toContain('immutable')
  expect((await fetch(`${shop}/assets/none.js`)).status).toBe(404)
})

test('The policy allows the API and the simulator, no inline script and no other host', async () => {
  expect(await policyOf()).toMatchObject({
    'default-src': ["'none'"],
    'script-src': ["'self'", 'http://127.0.0.1:8420'],
    'style-src': ["'self'"],
    'connect-src': ["'self'", 'http://127.0.0.1:8080', 'http://127.0.0.1:8420'],
    'frame-src': ['http://127.0.0.1:8420'],
    'frame-ancestors': ["'none'"],
  })
})

test('Without a simulator the shop names no library, and the policy allows that of Stripe', async () => {
  write(null)
  expect(configIn(await (await fetch(shop)).text())).toEqual({
    ...{ api: 'http://127.0.0.1:8080', publishable_key: 'till_pk_x', market: 'us' },
  })
  expect((await policyOf())['script-src']).toContain('https://js.stripe.com')
  write('http://127.0.0.1:8420')
  expect(read('src/card.tsx')).toContain("'https://js.stripe.com/endive/stripe.js'")
})

test('A value of the config is no markup of the page', async () => {
  const odd = { api: 'http://127.0.0.1:8080', publishable_key: '</template><b>&amp;$&', market: 'us' }
  fs.writeFileSync(file, JSON.stringify(odd))
  const page = await (await fetch(shop)).text()
  write('http://127.0.0.1:8420')
  expect(configIn(page)).toEqual(odd)
  expect(page).not.toMatch(/<b>|&amp;/)
})

test('While the shop is built, and where that failed, a page says so', async () => {
  const waiting = await serve(new Promise(() => {}))
  const first = await fetch(waiting)
  expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1'])
  const failing = Promise.reject(new Error('vite'))
  const broken = await serve(failing)
  expect(await (await fetch(broken)).text()).toContain('could not be built')
})

test('A second build of the same sources does nothing', async () => {
  const built = fs.statSync(path.join(root, 'examples/shop/dist/index.html')).mtimeMs
  await buildShop()
  expect(fs.statSync(path.join(root, 'examples/shop/dist/index.html')).mtimeMs).toBe(built)
})

/** The path as it is: fetch would mend it. */
const statusOf = (at: string): Promise<number | undefined> =>
  new Promise((done, fail) => {
    const { port } = new URL(shop)
    http.get({ host: '127.0.0.1', port, path: at }, (answer) => done(answer.resume().statusCode)).on('error', fail)
  })

test('No request ends the server: strange paths, a folder, a broken config, a missing build', async () => {
  const said = jest.spyOn(console, 'error').mockImplementation(() => {})
  const dist = path.join(root, 'examples/shop/dist')
  try {
    expect(await Promise.all(['//', '//%', '/%E0%A4%A', '/?', '/a//b'].map(statusOf))).toEqual(Array(5).fill(200))
    expect(await Promise.all(['/assets', '/assets/', '/assets//', '/assets/..'].map(statusOf))).toEqual([
      200, 404, 404, 404,
    ])
    for (const broken of ['', '{"api": "http://127.0.0', '{"api": "no address"}']) {
      fs.writeFileSync(file, broken)
      expect([broken, await statusOf('/')]).toEqual([broken, 500])
    }
    fs.rmSync(file)
    expect(await statusOf('/thanks')).toBe(500)
    expect(said.mock.calls.map(String).filter((line) => line.includes(file))).toHaveLength(4)
    write('http://127.0.0.1:8420')
    fs.renameSync(dist, `${dist}-0`)
    expect(await statusOf('/')).toBe(503)
  } finally {
    if (fs.existsSync(`${dist}-0`)) fs.renameSync(`${dist}-0`, dist)
    write('http://127.0.0.1:8420')
    said.mockRestore()
  }
  expect(await statusOf('/')).toBe(200)
})

test('Where a market ships everywhere, the shop offers the countries that the API accepts', () => {
  expect(read('src/countries.txt').trim().split(/\s+/)).toEqual(countries.map(({ code }) => code).sort())
})

/** npm, with the packages of this installation in place of a registry's. */
const npm = `#!/bin/sh
case "$1" in
  ci) ;;
  install)
    mkdir -p node_modules/tillwright-client
    tar -xzf "$2" -C node_modules/tillwright-client --strip-components=1
    ln -s "$MODULES/.bin" node_modules/.bin
    for name in $(node -p 'Object.keys(require("./package.json").devDependencies).join(" ")'); do
      test -e "node_modules/$name" || { mkdir -p "node_modules/$(dirname "$name")"; ln -s "$MODULES/$name" "node_modules/$name"; }
    done ;;
  *) exec "$NPM" "$@" ;;
esac
`

test('The commands of the README build a copied shop with the packed client and its config', async () => {
  // A clone apart from this one, in which other tests pack the client.
  const clone = path.join(dir, 'tillwright')
  const filter = (from: string) => !/\/(node_modules|dist(-\d+)*|[^/]*\.tgz)$/.test(from)
  for (const name of ['client', 'examples/shop', 'package.json', 'LICENSE'])
    fs.cpSync(path.join(root, name), path.join(clone, name), { recursive: true, filter })
  const modules = path.join(root, 'node_modules')
  fs.symlinkSync(modules, path.join(clone, 'node_modules'))
  const bin = path.join(dir, 'bin')
  fs.mkdirSync(bin)
  fs.writeFileSync(path.join(bin, 'npm'), npm, { mode: 0o755 })
  const [, commands = ''] = /```sh\n([^`]+)```/.exec(read('README.md')) ?? []
  const { PATH = '', ...others } = process.env
  const node = path.dirname(process.execPath)
  const find = `PATH="${node}:${PATH}" command -v npm`
  const { stdout } = await promisify(execFile)('sh', ['-c', find])
  const env = { ...others, NODE_OPTIONS: '', MODULES: modules, NPM: stdout.trim(), PATH: `${bin}:${node}:${PATH}` }
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], { cwd: dir, env })
  const dist = path.join(dir, 'my-shop/dist')
  expect(configIn(fs.readFileSync(path.join(dist, 'index.html'), 'utf8'))).toEqual({
    ...{ api: 'https://api.shop.example', publishable_key: 'till_pk_…', market: 'eu' },
  })
  const scripts = fs
    .globSync('assets/*.js', { cwd: dist })
    .map((name) => fs.readFileSync(path.join(dist, name), 'utf8'))
  expect(scripts.join()).toContain('x-service-publishable-key')
}, 120_000)

test('The README of the shop names files that are there, and the package that the client is', () => {
  const named = [...read('README.md').matchAll(/`(src\/[^`]+)`|\]\(([^)]+)\)/g)].map(([, file, link]) => file ?? link)
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((name) => !fs.existsSync(path.join(root, 'examples/shop', String(name))))).toEqual([])
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'client/package.json'), 'utf8'))
  expect(read('README.md')).toContain(`/tillwright-client-${version}.tgz`)
})

// The budget of the design is 1,500 lines. What makes a checkout order once is on top, in a file of its own.
test('The shop has 1,500 lines, its cart 135, and imports the client and React alone', () => {
  const files = fs.globSync('{src/**/*,*}.{ts,tsx}', { cwd: path.join(root, 'examples/shop') })
  const texts = files.map(read)
  expect(texts.length).toBeGreaterThan(10)
  const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
  const ofCart = read('src/cart.ts').split('\n').length - 1
  expect(ofCart).toBeLessThanOrEqual(135)
  expect(lines - ofCart).toBeLessThanOrEqual(1_500)
  const imported = texts.flatMap((text) => [...text.matchAll(/ from '([^.'][^']*)'/g)].map(([, name]) => name))
  expect([...new Set(imported)].sort()).toEqual([
    ...['node:fs', 'node:url', 'react', 'react-dom', 'react-dom/client', 'tillwright-client', 'vite'],
  ])
})
