// What reaches the log of an error, and that no line is lost with the process.
import { spawn, spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DriverException } from '@mikro-orm/core'
import { errorFields } from '../../adapters/log.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'

let orm: Orm
beforeAll(async () => {
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 1 })
})
afterAll(() => orm.close(true))

const failing = (statement: string): Promise<Error> =>
  unitOf(orm, null)
    .execute(statement)
    .then(
      () => Promise.reject(new Error('no error')),
      (error: Error) => error,
    )

test.each([
  ['a value of a wrong type', "select 'ada@example.com'::uuid", '22P02'],
  ['a value with a line like a frame', "select E'x\\n    at ada@example.com (file:1:1)'::uuid", '22P02'],
])('The log of a database error has its code and no value of its statement: %s', async (_, statement, code) => {
  const error = await failing(statement)
  expect(error.message).toContain('ada@example.com')
  for (const one of [error, new Error('above', { cause: error })]) {
    const fields = errorFields(one)
    expect(fields).toMatchObject({ code, message: `database error ${code}` })
    expect(JSON.stringify(fields)).not.toContain('ada@example.com')
    expect(JSON.stringify(fields)).toContain('log.test.ts')
  }
})

test('The log of a lost connection names its cause and no statement', async () => {
  const cause = new Error("select 'ada@example.com' - timeout exceeded when trying to connect")
  expect(errorFields(new DriverException(cause))).toMatchObject({
    message: 'database error timeout exceeded when trying to connect',
  })
})

test('The log of any other error has its message, its stack and its cause', () => {
  expect(errorFields(new Error('above', { cause: new Error('below') }))).toMatchObject({
    message: 'above: below',
    stack: expect.stringContaining('log.test.ts'),
  })
})

test.each([
  ['its process exits', "log.info('first'); log.info('last'); process.exit(3)"],
  ['its process ends by an error', "log.info('first'); log.info('last'); throw new Error('thrown')"],
  [
    'an error is logged and the process is killed',
    "log.info('first'); log.error('last'); process.kill(process.pid, 'SIGKILL')",
  ],
])('Logged lines are written if %s', (_, code) => {
  const file = new URL('../../adapters/log.ts', import.meta.url).href
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `const { log } = await import('${file}'); ${code}`],
    {
      encoding: 'utf8',
      env: { ...process.env, LOG_LEVEL: 'info' },
    },
  )
  const lines = stdout.trim().split('\n')
  expect([lines.map((line) => line && JSON.parse(line).msg), stderr.includes('thrown')]).toEqual([
    ['first', 'last'],
    code.includes('thrown'),
  ])
})

test('Logged lines are written while their process waits', async () => {
  const file = new URL('../../adapters/log.ts', import.meta.url).href
  const code = `const { log } = await import('${file}'); log.info('first'); log.info('last'); process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  let text = ''
  for await (const bytes of child.stdout) {
    text += bytes
    if (text.includes('last')) break
  }
  child.kill('SIGKILL')
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg),
  ).toEqual(['first', 'last'])
})

test('A process whose log has no reader any more goes on, and ends by itself', async () => {
  const file = new URL('../../adapters/log.ts', import.meta.url).href
  const code = `const { log } = await import('${file}'); process.stdin.once('data', () => {
    for (let n = 0; n < 1_000; n++) log.error('a line that is lost')
    process.stderr.write('still here')
    process.exit(7)
  })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  // Its reader is gone before the first line.
  child.stdout.destroy()
  child.stdin.write('go')
  let said = ''
  child.stderr.on('data', (bytes) => {
    said += bytes
  })
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
  const status = await new Promise((done) => child.once('close', done))
  clearTimeout(late)
  expect([status, said]).toEqual([7, 'still here'])
})

test('Lines that are logged together are one write', () => {
  const file = new URL('../../adapters/log.ts', import.meta.url).href
  const code = `const fs = (await import('node:fs')).default; const write = fs.writeSync; let writes = 0
    fs.writeSync = (...given) => { writes++; return write(...given) }
    const { log } = await import('${file}'); for (let n = 0; n < 50; n++) log.info('line'); process.on('exit', () => write(2, String(writes)))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  expect([stdout.trim().split('\n').length, stderr]).toEqual([50, '1'])
})
