// Where no renderer can start, whoever waits for a mail is told, however many wait: nobody hangs, and no process is started over and over.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from '@jest/globals'

const root = path.resolve(import.meta.dirname, '../..')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-renderer-'))
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }))

/** The same files, but for a renderer that ends as soon as it starts. */
function brokenCopy(): string {
  for (const file of ['package.json', 'rules/turns.ts', 'entities/automation/rendering.ts']) {
    fs.mkdirSync(path.dirname(path.join(dir, file)), { recursive: true })
    fs.copyFileSync(path.join(root, file), path.join(dir, file))
  }
  fs.writeFileSync(path.join(dir, 'entities/automation/rendering-process.ts'), 'process.exit(1)\n')
  return path.join(dir, 'entities/automation/rendering.ts')
}

test('five who wait at once are all told that there is none', async () => {
  const ask = `const { checkEmail } = await import(${JSON.stringify(brokenCopy())})
    const source = { format: 'html', subject: 'a', body: 'a' }
    const all = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((tenant) => checkEmail(source, tenant)))
    console.log(JSON.stringify(all.map(({ status, reason }) => [status, reason?.message])))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', ask], {
    timeout: 25_000,
  })
  expect(JSON.parse(stdout)).toEqual(Array(5).fill(['rejected', 'the renderer did not start']))
})
