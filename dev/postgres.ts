// A PostgreSQL of our own: answering when this returns, on the port that was asked for, with the data of this folder and no other.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Child, type ChildOptions, start } from './child.ts'
import { type Home, home } from './postgres-home.ts'

const run = promisify(execFile)
const database = 'tillwright'

export type Postgres = { url: string; child: Child }

// A kill of our processes loses nothing with fsync off, only a power cut does; synchronous_commit stays on, because tests kill PostgreSQL.
const fastSettings = ['fsync=off', 'full_page_writes=off']
const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']

// Letters of all languages, in code point order, and the same on every system.
const unicode = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']

async function initialize({ native, data, who }: Home, copyOf: string | undefined): Promise<void> {
  if (fs.existsSync(path.join(data, 'PG_VERSION')) && fs.existsSync(path.join(data, 'global/pg_control'))) return
  fs.rmSync(data, { recursive: true, force: true }) // an interrupted initdb leaves a part
  if (copyOf !== undefined) {
    // With its owner and modes; one third of a second instead of three.
    await run('cp', ['-a', (await home(copyOf)).data, data])
    return
  }
  fs.mkdirSync(data, { recursive: true })
  if (who.uid !== undefined && who.gid !== undefined) fs.chownSync(data, who.uid, who.gid)
  const args = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', ...unicode, '--no-sync', '--no-instructions']
  await run(path.join(native, 'bin/initdb'), args, { ...who, cwd: '/' })
}

/** Asks the server for its folder: a foreign server on this port must not pass. */
async function answers(port: number, data: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`, connectionTimeoutMillis: 1000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    if (fs.realpathSync(String(rows[0]?.data_directory)) !== fs.realpathSync(data)) throw new Error(`another PostgreSQL answers on port ${port}`)
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (!rowCount) await client.query(`create database ${database}`)
    return true
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('another PostgreSQL')) throw error
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** `copyOf`: the folder of another one, which was stopped; what it knows is known here from the beginning. */
export async function startPostgres(o: ChildOptions & { dir: string; port: number; fast: boolean; copyOf: string | undefined }): Promise<Postgres> {
  const at = await home(path.resolve(o.dir))
  await initialize(at, o.copyOf && path.resolve(o.copyOf))
  const args = ['-D', at.data, '-p', String(o.port), ...[...settings, ...(o.fast ? fastSettings : [])].flatMap((s) => ['-c', s])]
  for (const until = Date.now() + 30_000; ; await sleep(250)) {
    let up = false
    const child = start(path.join(at.native, 'bin/postgres'), args, {
      ...o,
      ...at.who,
      signal: 'INT', // what PostgreSQL calls a fast shutdown
      cwd: '/',
      onDeath: (dead, how) => up && o.onDeath?.(dead, how),
    })
    while (child.running() && !up && Date.now() < until) {
      up = await answers(o.port, at.data)
      if (!up) await sleep(20)
    }
    if (up) return { url: `postgres://postgres@127.0.0.1:${o.port}/${database}`, child }
    await child.stop()
    // One that was killed with its starter is still on its way out.
    if (Date.now() > until || !/lock file "postmaster.pid" already exists|Address already in use/.test(child.tail()))
      throw new Error(`PostgreSQL did not start:\n${child.tail()}`)
  }
}
