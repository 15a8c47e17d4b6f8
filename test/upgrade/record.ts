// `npm run record-upgrade -- NAME [--tree DIR]`: records the database that `npm start`, `npm run demo` and more.ts
// leave behind in this version, or in another tree.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { start, stopAll } from '../../dev/child.ts'
import { freshFolder } from '../../dev/folder.ts'
import { forget } from '../../dev/servers/postgres-home.ts'
import { record } from './recording.ts'

const root = path.resolve(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  options: { tree: { type: 'string', default: root } },
  allowPositionals: true,
})
const [name] = positionals
if (!name) {
  console.error('which name shall it have? npm run record-upgrade -- NAME [--tree DIR]')
  process.exit(1)
}
const tree = path.resolve(values.tree)
const dir = freshFolder('upgrade')
// A stack of its own: nothing that the environment names is written to.
const { DATABASE_URL: _, TEMPORAL_ADDRESS: __, STRIPE_SECRET_KEY: ___, SMTP_URL: ____, ...outside } = process.env
const env = { ...outside, DEV_DIR: dir }
try {
  const stack = start(process.execPath, ['dev/main.ts'], { name: 'stack', cwd: tree, env })
  await stack.said(/Open this first|Tillwright is up/, 120_000)
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'demo'], { cwd: tree, env })
  console.log(stdout.trimEnd())
  await promisify(execFile)(
    process.execPath,
    [path.join(import.meta.dirname, 'more.ts'), path.join(dir, 'stack.json')],
    { env },
  )
  const { store_id, api_token, publishable_key, database_url } = JSON.parse(
    fs.readFileSync(path.join(dir, 'stack.json'), 'utf8'),
  )
  const { SECRETS_KEY: secrets_key } = JSON.parse(fs.readFileSync(path.join(dir, 'keys.json'), 'utf8'))
  const file = await record(name, tree, database_url, {
    store_id,
    api_token,
    publishable_key,
    secrets_key,
    email: 'demo@tillwright.test',
  })
  console.log(`\n${path.relative(root, file)}: ${Math.ceil(fs.statSync(file).size / 1000)} kB`)
} finally {
  await stopAll()
  forget(path.join(dir, 'pg'))
  fs.rmSync(dir, { recursive: true, force: true })
}
