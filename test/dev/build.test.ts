// Builds of web applications: which sources they are of, and that those of several processes do not disturb each other.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from '@jest/globals'
import { build, digestOf } from '../../dev/web/build.ts'

const root = path.resolve(import.meta.dirname, '../..')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-build-'))
afterAll(() => fs.rmSync(dir, { recursive: true }))
const folder = path.relative(root, dir)
const put = (name: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
  fs.writeFileSync(path.join(dir, name), text)
}

test('A build is of every source, and of no other build and no package', () => {
  put('index.html', '<!doctype html><title>One</title>')
  const changed = (name: string) => {
    const before = digestOf([folder])
    put(name, 'x')
    return digestOf([folder]) !== before
  }
  for (const source of ['distance.ts', 'src/dist.ts', 'src/distances/a.ts', 'src/node_modules.ts', 'distx/a.ts'])
    expect([source, changed(source)]).toEqual([source, true])
  for (const made of ['dist/a.js', 'dist-12/a.js', 'dist-12-0/a.js', 'node_modules/a/b.js'])
    expect([made, changed(made)]).toEqual([made, false])
  for (const made of ['dist', 'dist-12', 'dist-12-0']) fs.rmSync(path.join(dir, made), { recursive: true })
})

test('A build removes what killed builds have left, and not the build of a living process', async () => {
  const [gone, alive] = ['dist-4194399', `dist-${process.ppid}`]
  for (const made of [gone, alive]) put(`${made}/a.js`, '')
  await build(folder, [])
  expect(fs.existsSync(path.join(dir, 'dist/index.html'))).toBe(true)
  expect([gone, alive].map((made) => fs.existsSync(path.join(dir, made)))).toEqual([false, true])
}, 60_000)

test('Builds of four processes that end at once leave one whole build, and none fails', async () => {
  const { href } = pathToFileURL(path.join(root, 'dev/web/build.ts'))
  const at = path.join(dir, 'raced')
  fs.mkdirSync(at)
  const script = `
    import fs from 'node:fs'
    const { replaceBuild } = await import(${JSON.stringify(href)})
    const [at, name] = process.argv.slice(1)
    for (let n = 0; n < 150; n++) {
      const made = at + '/dist-' + process.pid
      fs.mkdirSync(made)
      // Two processes build the same sources, two others.
      const digest = String(n) + name
      fs.writeFileSync(made + '/index.html', digest)
      fs.writeFileSync(made + '/.sources', digest)
      replaceBuild(made, at + '/dist', digest)
    }`
  const run = (name: string) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, at, name])
  await Promise.all(['a', 'a', 'b', 'b'].map(run))
  expect(fs.readdirSync(at)).toEqual(['dist'])
  const [page, sources] = ['index.html', '.sources'].map((name) => fs.readFileSync(path.join(at, 'dist', name), 'utf8'))
  expect([page, sources]).toEqual([sources, expect.stringMatching(/^\d+[ab]$/)])
}, 60_000)
