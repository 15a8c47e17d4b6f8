// Of several starts at once, one builds the Temporal command, and the others wait for it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from '@jest/globals'

const source = path.resolve(import.meta.dirname, '../../dev/servers/temporal-cli.ts')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-temporal-'))
afterAll(() => fs.rmSync(dir, { recursive: true }))

test('A start waits for the command that another start is building, and takes it', async () => {
  const cache = path.join(dir, 'tillwright')
  // The process of the other start: it lives until its input ends.
  const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  const building = path.join(cache, `temporal-1.5.1-sqlite-1.51.0-${other.pid}`)
  fs.mkdirSync(building, { recursive: true })
  const waiting = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { temporalCommand } = await import('${source}')
      console.log(await temporalCommand(console.log))`,
    ],
    { env: { PATH: dir, XDG_CACHE_HOME: dir }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  try {
    const lines = createInterface({ input: waiting.stdout })[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe(
      'Temporal: waiting for the command 1.5.1, which another start is building ...',
    )
    const command = path.join(cache, 'temporal-1.5.1-sqlite-1.51.0', 'temporal')
    fs.mkdirSync(path.dirname(command))
    fs.writeFileSync(command, '#!/bin/sh\necho Server 1.29.1\n', { mode: 0o755 })
    other.stdin.end()
    await once(other, 'exit')
    expect((await lines.next()).value).toBe(command)
  } finally {
    other.kill()
    waiting.kill()
  }
})
