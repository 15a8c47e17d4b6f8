// The process that makes mails starts wherever the project lies; where it cannot start, everybody who waits is told.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from '@jest/globals'

const root = path.resolve(import.meta.dirname, '../..')
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

/** The project's renderer in another folder, whose packages are a link. */
function elsewhere(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-renderer-')))
  folders.push(folder)
  for (const file of ['package.json', 'rules/fair-queue.ts', 'adapters/mail-renderer.ts', 'adapters/mail-renderer-process.ts'])
    fs.cpSync(path.join(root, file), path.join(folder, file))
  fs.symlinkSync(fs.realpathSync(path.join(root, 'node_modules')), path.join(folder, 'node_modules'))
  return folder
}

/** Three mails at once; how each of them ended. */
async function threeMails(folder: string): Promise<string[]> {
  const code = `
    const { renderEmail } = await import('./adapters/mail-renderer.ts')
    const source = { format: 'html', subject: 'Hello', body: '<p>{{ name }}</p>' }
    const ended = await Promise.allSettled(['a', 'b', 'c'].map((name) => renderEmail(source, { name }, 'a tenant')))
    console.log(JSON.stringify(ended.map(({ value, reason }) => value?.html ?? reason.message)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, timeout: 25_000 })
  return JSON.parse(stdout)
}

test('where packages are a link to elsewhere', async () => {
  expect(await threeMails(elsewhere())).toEqual(['<p>a</p>', '<p>b</p>', '<p>c</p>'])
})

test('A template whose process is stopped for a second becomes a mail: its own time counts, not the clock', async () => {
  const code = `
    const fs = await import('node:fs')
    const { renderEmail } = await import('./adapters/mail-renderer.ts')
    const source = { format: 'html', subject: 'Hello', body: '<p>{{ name }}</p>' }
    await renderEmail(source, { name: 'a' }, 'a tenant')
    const pid = Number(fs.readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim())
    process.kill(pid, 'SIGSTOP')
    setTimeout(() => process.kill(pid, 'SIGCONT'), 1_000)
    console.log((await renderEmail(source, { name: 'b' }, 'a tenant')).html)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: root, timeout: 25_000 })
  expect(stdout).toBe('<p>b</p>\n')
})

test('it ends before it is ready: nobody waits for ever', async () => {
  const folder = elsewhere()
  fs.writeFileSync(path.join(folder, 'adapters/mail-renderer-process.ts'), 'process.exit(1)')
  expect(await threeMails(folder)).toEqual(Array.from({ length: 3 }, () => 'the renderer did not start'))
})
