// Internals of libraries that the code depends on (docs/dependencies.md): each test fails when an update changes one of
// them.
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { expect, jest, test } from '@jest/globals'
import Router from '@koa/router'
import { Worker } from '@temporalio/worker'
import Koa from 'koa'
import { Context, Liquid } from 'liquidjs'
import addressparser from 'nodemailer/lib/addressparser'
import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord, foldLines, quoteString } from 'nodemailer/lib/mime-funcs'
import { pino } from 'pino'
import { z } from 'zod'
import { openOrm } from '../../entities/kit/database/orm.ts'
import { Tenant } from '../../entities/stores/tenant.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')
type Packages = Record<string, string>
const own: {
  dependencies: Packages
  devDependencies: Packages
  overrides?: Packages
  workspaces: string[]
} = JSON.parse(read('package.json'))
const lock: { packages: Record<string, { version: string; dependencies?: Packages; resolved?: string }> } = JSON.parse(
  read('package-lock.json'),
)
/** The rows of the table of docs/dependencies.md: packages, what is used of them, where, and the test. */
const listed = read('docs/dependencies.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text as string)))
  .map(([, packages = [], , places = [], tests = []]) => ({ packages, places, tests }))

test('Each package of the list of internals has an exact version, and its file and test exist', () => {
  expect(listed.length).toBeGreaterThan(5)
  for (const { packages, places, tests } of listed) {
    for (const name of packages)
      expect([name, own.dependencies[name]]).toEqual([name, lock.packages[`node_modules/${name}`]?.version])
    for (const file of [...places, ...tests]) expect([file, fs.existsSync(path.join(root, file))]).toEqual([file, true])
    expect([packages, places.length, tests.length]).not.toContain(0)
  }
})

test('Every import of a file inside a package is listed with its place', () => {
  const rows = read('docs/dependencies.md')
    .split('\n')
    .map((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, text]) => text as string))
  const files = fs.globSync('{activities,adapters,api,entities,rules,workers,workflows}/**/*.ts', { cwd: root })
  const imported = files.flatMap((file) =>
    [...read(file).matchAll(/(?:from |import\()'((?:@[\w.-]+\/)?[a-z][\w.-]*)\/([^']+)'/g)].map(
      ([, name, inner]) => [file, `${name}/${inner}`] as const,
    ),
  )
  expect(imported.length).toBeGreaterThan(4)
  const isListed = (file: string, name: string) =>
    rows.some((texts) => texts.includes(file) && texts.some((text) => text.includes('/lib/') && name.startsWith(text)))
  expect(imported.filter(([file, name]) => !isListed(file, name))).toEqual([])
})

test('No package has an open range, and the lock file names no registry', () => {
  for (const folder of ['.', ...own.workspaces]) {
    const { dependencies, devDependencies } = JSON.parse(read(`${folder}/package.json`))
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies }))
      expect([folder, name, range]).toEqual([folder, name, expect.stringMatching(/^\^?\d/)])
  }
  // A workspace is linked to its folder.
  const links = Object.entries(lock.packages).flatMap(([, { resolved }]) => resolved ?? [])
  expect(links.sort()).toEqual([...own.workspaces].sort())
})

test('One `pg` is installed, in the version of MikroORM', () => {
  expect(Object.keys(lock.packages).filter((place) => place.endsWith('node_modules/pg'))).toEqual(['node_modules/pg'])
  expect(Object.keys(lock.packages).filter((place) => place.endsWith('/pg-types'))).toEqual(['node_modules/pg-types'])
  expect(lock.packages['node_modules/@mikro-orm/postgresql']?.dependencies?.pg).toBe(own.dependencies.pg)
})

test('@koa/router asks `match` for the layers of a request, of those in `stack`', async () => {
  const asked: unknown[] = []
  class Few extends Router {
    override match(at: string, method: string): ReturnType<Router['match']> {
      asked.push([at, method])
      const found = this.stack.filter((layer) => layer.match(at) && layer.methods.includes(method)).slice(1)
      return { path: found, pathAndMethod: found, route: found.length > 0 }
    }
  }
  const router = new Few()
  const served: unknown[] = []
  for (const name of ['first', 'second']) router.get(`/:${name}`, (context) => void served.push(name, context.params))
  expect(router.stack.map(({ path: at }) => at)).toEqual(['/:first', '/:second'])
  const request = Object.assign(new http.IncomingMessage(new net.Socket()), { method: 'GET', url: '/a' })
  const context = new Koa().createContext(request, new http.ServerResponse(request))
  await router.routes()(context as Parameters<ReturnType<typeof router.routes>>[0], async () => {})
  expect([asked, served]).toEqual([[['/a', 'GET']], ['second', { second: 'a' }]])
})

test('Zod notes the issues of `_zod.run` without their messages until they are finalized', () => {
  const message = jest.fn(() => 'own')
  const shape = z.object({ a: z.number({ error: message }), b: z.string().default('x') })
  const context = { async: false }
  const bad = shape._zod.run({ value: { a: 'no' }, issues: [] }, context) as z.core.ParsePayload
  expect([bad.issues.length, message.mock.calls.length]).toEqual([1, 0])
  const [issue] = bad.issues.map((one) => z.core.util.finalizeIssue(one, context, z.core.config()))
  expect(issue).toEqual(shape.safeParse({ a: 'no' }).error?.issues[0])
  expect(shape._zod.run({ value: { a: 1 }, issues: [] }, context)).toMatchObject({
    value: { a: 1, b: 'x' },
    issues: [],
  })
})

test('Zod names the shape that another one was derived from as `_zod.parent`', () => {
  const shape = z.string()
  for (const derived of [
    shape.describe('a text'),
    shape.meta({ id: 'internals' }),
    shape.max(3),
    shape.clone(undefined, { parent: true }),
  ])
    expect(derived._zod.parent).toBe(shape)
  expect(z.string().optional()._zod.parent).toBeUndefined()
})

test('MikroORM escapes texts by `escapeLiteral` of its platform and maps rows by `mapResult`', async () => {
  const orm = await openOrm({ url: 'postgres://reader@127.0.0.1:1/none', pool: 1 })
  const platform = orm.em.getPlatform()
  Object.assign(platform, { escapeLiteral: (text: string) => `<${text}>` })
  expect(platform.formatQuery('select ?, ?', ['a', 1])).toBe('select <a>, 1')
  const meta = orm.getMetadata().get(Tenant)
  const row = orm.em.getDriver().mapResult({ id: 'a', created_at: 7 }, meta)
  expect(row).toEqual({ id: 'a', created_at: 7 })
})

test('The worker of Temporal makes its workflow thread by `createWorkflowCreator` of its class', async () => {
  class Probe extends Worker {
    protected static override async createWorkflowCreator(): Promise<never> {
      throw new Error('asked')
    }
  }
  const map = Buffer.from(JSON.stringify({ version: 3, file: 'bundle.js', sources: [], mappings: '' })).toString(
    'base64',
  )
  const bundle = { code: `;//# sourceMappingURL=data:application/json;charset=utf-8;base64,${map}` }
  await expect(Probe.create({ taskQueue: 'internals', workflowBundle: bundle })).rejects.toThrow('asked')
})

test('LiquidJS checks its time limit by `renderLimit.check` of the context', () => {
  const liquid = new Liquid({ renderLimit: 1_000 })
  const context = new Context({}, liquid.options, { sync: true }, { liquid })
  const check = jest.fn<(now: number) => void>()
  context.renderLimit.check = check
  const loop = liquid.parse('{% for n in (1..50) %}{{ n }}{% endfor %}')
  liquid.renderSync(loop, context)
  expect(check.mock.calls.length).toBeGreaterThan(50)
  expect(check.mock.calls.every(([now]) => Math.abs(now - performance.now()) < 60_000)).toBe(true)
  check.mockImplementation(() => {
    throw new Error('over')
  })
  expect(() => liquid.renderSync(loop, context)).toThrow('over')
})

test('Words are encoded, lines folded and names quoted by `lib/mime-funcs` of nodemailer', () => {
  expect([encodeWord('é', 'B', 52), quoteString('a "b"')]).toEqual(['=?UTF-8?B?w6k=?=', '"a \\"b\\""'])
  const lines = foldLines(`Subject: ${'word '.repeat(30)}`, 76).split('\r\n')
  expect([lines.length > 2, lines.slice(1).every((line) => line.startsWith(' '))]).toEqual([true, true])
  expect(lines.every((line) => line.length <= 76)).toBe(true)
})

test('A message is made by `compile().build()` of nodemailer, and a sender read by its parser', async () => {
  const message = new MailComposer({
    from: 'a@example.com',
    to: 'b@example.com',
    subject: 'One',
    text: 'Two',
  }).compile()
  const bytes = await message.build()
  expect(bytes.toString()).toMatch(/^From: a@example\.com\r\n[\s\S]*Subject: One\r\n[\s\S]*\r\n\r\nTwo\r\n$/)
  expect(addressparser('Shop <shop@example.com>', { flatten: true })).toEqual([
    { name: 'Shop', address: 'shop@example.com' },
  ])
})

test('The `lastLevel` of a stream that asks for metadata is set by pino before each line', () => {
  const levels: number[] = []
  const stream = {
    lastLevel: 0,
    [Symbol.for('pino.metadata')]: true,
    write: () => void levels.push(stream.lastLevel),
  }
  const logger = pino({}, stream)
  logger.info('one')
  logger.error('two')
  expect(levels).toEqual([30, 50])
})
