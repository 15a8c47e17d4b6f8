// The process that renders emails starts wherever the project lies; when it cannot start, every request for it fails.
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

/** The project's renderer in another folder, with node_modules as a symbolic link. */
function elsewhere(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-renderer-')))
  folders.push(folder)
  const adapters = ['job-pool', 'contained-process', 'mail-renderer', 'mail-renderer-process'].map(
    (name) => `adapters/${name}.ts`,
  )
  for (const file of ['package.json', 'rules/fair-queue.ts', 'rules/excerpts.ts', ...adapters])
    fs.cpSync(path.join(root, file), path.join(folder, file))
  fs.symlinkSync(fs.realpathSync(path.join(root, 'node_modules')), path.join(folder, 'node_modules'))
  return folder
}

/** Renders three emails at once and returns their results. */
async function threeMails(folder: string): Promise<string[]> {
  const code = `
    const { renderEmail } = await import('./adapters/mail-renderer.ts')
    const source = { format: 'html', subject: 'Hello', body: '<p>{{ name }}</p>' }
    const ended = await Promise.allSettled(['a', 'b', 'c'].map((name) => renderEmail(source, { name }, 'a tenant')))
    console.log(JSON.stringify(ended.map(({ value, reason }) => value?.html ?? reason.message)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    timeout: 25_000,
  })
  return JSON.parse(stdout)
}

test('The renderer starts in a folder whose node_modules is a symbolic link', async () => {
  expect(await threeMails(elsewhere())).toEqual(['<p>a</p>', '<p>b</p>', '<p>c</p>'])
})

test('A renderer that is stopped for a second still renders, since its processor time counts', async () => {
  const code = `
    const fs = await import('node:fs')
    const { renderEmail } = await import('./adapters/mail-renderer.ts')
    const source = { format: 'html', subject: 'Hello', body: '<p>{{ name }}</p>' }
    await renderEmail(source, { name: 'a' }, 'a tenant')
    const pid = Number(fs.readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim())
    process.kill(pid, 'SIGSTOP')
    setTimeout(() => process.kill(pid, 'SIGCONT'), 1_000)
    console.log((await renderEmail(source, { name: 'b' }, 'a tenant')).html)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    timeout: 25_000,
  })
  expect(stdout).toBe('<p>b</p>\n')
})

test('All waiting requests fail when the renderer ends before it is ready', async () => {
  const folder = elsewhere()
  fs.writeFileSync(path.join(folder, 'adapters/mail-renderer-process.ts'), 'process.exit(1)')
  expect(await threeMails(folder)).toEqual(Array.from({ length: 3 }, () => 'the renderer did not start'))
})
