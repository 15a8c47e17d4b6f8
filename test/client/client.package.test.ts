// The client is a package: what `npm pack` makes of it is installed, type-checked and run by a project that has none of
// our sources.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { document } from '../../api/document.ts'
import { typesOf } from '../../client/generate.ts'
import type { OpenApi } from '../../client/openapi.ts'
import { product } from '../kit/orders/buying.ts'
import { api, database, newShop } from '../kit/shop.ts'

const root = path.resolve(import.meta.dirname, '../..')
const tsc = path.join(root, 'node_modules/.bin/tsc')
const env = { ...process.env, NODE_OPTIONS: '', PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` }
const project = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-client-'))
const write = (name: string, text: string) => fs.writeFileSync(path.join(project, name), text)

/** Standard output; throws with all that the program printed. */
async function output(
  file: string,
  args: string[],
  { cwd = project, more = {} }: { cwd?: string; more?: Record<string, string> } = {},
): Promise<string> {
  try {
    return (await promisify(execFile)(file, args, { cwd, env: { ...env, ...more } })).stdout
  } catch (error) {
    const { message, stdout } = error as Error & { stdout: string }
    throw new Error(`${message}\n${stdout}`)
  }
}

beforeAll(async () => {
  await output('npm', ['pack', '--pack-destination', project], { cwd: path.join(root, 'client') })
  write('package.json', '{"name": "scratch", "private": true, "type": "module"}')
  const tarball = fs.readdirSync(project).find((name) => name.endsWith('.tgz'))
  await output('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`])
}, 120_000)
afterAll(async () => {
  fs.rmSync(project, { recursive: true })
  await database().end()
})

test('The types of the client are those of the document of today: npm run openapi writes them', () => {
  const now: OpenApi = JSON.parse(JSON.stringify(document()))
  expect(fs.readFileSync(path.join(root, 'client/api.ts'), 'utf8') === typesOf(now)).toBe(true)
})

test('A keyword of the document that the types cannot express is an error', () => {
  const odd = { paths: {}, components: { schemas: { Odd: { type: 'object', patternProperties: {} } } } } as OpenApi
  expect(() => typesOf(odd)).toThrow('patternProperties')
})

test('The package holds the client, its types and its license, and nothing else', () => {
  const installed = path.join(project, 'node_modules/tillwright-client')
  expect(fs.readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  expect(fs.readdirSync(path.join(installed, 'dist')).sort()).toEqual([
    'api.d.ts',
    'api.js',
    'client.d.ts',
    'client.js',
  ])
  expect(fs.readFileSync(path.join(installed, 'dist/client.js'), 'utf8')).not.toMatch(
    /^import|\bimport\(|\brequire\(|node:/m,
  )
})

test('The README names the package that is packed', () => {
  const tarball = fs.readdirSync(project).find((name) => name.endsWith('.tgz'))
  const named = fs.readFileSync(path.join(root, 'client/README.md'), 'utf8').match(/tillwright-client-\S+\.tgz/g)
  expect(new Set(named)).toEqual(new Set([tarball]))
})

const program = `
import { ApiProblem, client, each, type Answer, type Body, type Order } from 'tillwright-client'

declare const process: { env: Record<string, string> }
const { BASE = '', TOKEN = '', KEY = '', STORE = '' } = process.env
const path = { storeId: STORE }
const call = client({ base: BASE, token: TOKEN })

const made: Body<'POST /v1/stores/{storeId}/products'> = { key: 'apron', variants: [{ sku: 'A', prices: [{ market: 'us', amount: 5 }] }] }
const apron = await call('POST /v1/stores/{storeId}/products', { path, body: made })
const amount: number | undefined = apron.variants[0]?.prices[0]?.amount

const keys: string[] = []
for await (const { key } of each(call, 'GET /v1/stores/{storeId}/products', { path, query: { limit: 1, status: 'active' } })) keys.push(key)
const orders: Order[] = (await call('GET /v1/stores/{storeId}/orders', { path })).items
const page: Answer<'GET /v1/stores/{storeId}/orders'> = await call('GET /v1/stores/{storeId}/orders', { path, query: { statuses: ['pending'] } })

const tokens: string[] = []
const shop = client({ base: BASE, publishableKey: KEY, onVisitorToken: (token) => tokens.push(token) })
const cart = await shop('POST /v1/storefront/carts/current')
const same = await shop('POST /v1/storefront/carts/current')

const problem = await call('POST /v1/stores/{storeId}/products', { path, body: { key: 'apron', variants: [{ weight: -1 }] } }).catch((error: unknown) => error)
const aborted = await call('GET /v1/stores', { signal: AbortSignal.abort() }).catch((error: unknown) => (error as Error).name)
if (!(problem instanceof ApiProblem)) throw new Error('no problem')

async function wrong() {
  // @ts-expect-error: there is no such operation
  await call('GET /v1/nothing')
  // @ts-expect-error: a path parameter is missing
  await call('GET /v1/stores/{storeId}/products')
  // @ts-expect-error: there is no such field
  await call('POST /v1/stores/{storeId}/products', { path, body: { key: 'x', kye: 'y' } })
  // @ts-expect-error: there is no such status
  await call('GET /v1/stores/{storeId}/orders', { path, query: { statuses: ['lost'] } })
  // @ts-expect-error: a cart has no pages
  for await (const _ of each(call, 'GET /v1/storefront/carts/{id}', { path: { id: 'x' } })) throw new Error('unreachable')
}

console.log(JSON.stringify({
  amount, keys: keys.sort(), orders: orders.length, page: page.items.length, tokens: tokens.length, same: cart.id === same.id,
  problem: [problem.status, problem.code, problem.errors.map(({ pointer }) => pointer)], aborted, wrong: typeof wrong,
}))
`

test.each([
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
])(
  'A strict project with moduleResolution $moduleResolution compiles against the package',
  async (resolution) => {
    write('buy.ts', program)
    const compilerOptions = {
      ...resolution,
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    }
    write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['buy.ts'] }))
    expect(await output(tsc, ['-p', 'tsconfig.json'])).toBe('')
  },
  120_000,
)

test('A project without our sources creates, pages, shops, aborts and gets a typed problem', async () => {
  const shop = await newShop()
  await product(shop)
  write('buy.ts', program)
  const more = { BASE: api(), TOKEN: shop.op.token, KEY: shop.publishable_key, STORE: shop.store_id }
  const { keys, ...rest } = JSON.parse(await output(process.execPath, ['buy.ts'], { more }))
  expect(keys).toHaveLength(2)
  expect(rest).toEqual({
    amount: 5,
    orders: 0,
    page: 0,
    tokens: 1,
    same: true,
    problem: [422, 'invalid_input', ['/variants/0/weight']],
    aborted: 'AbortError',
    wrong: 'function',
  })
}, 60_000)
