// Starts PostgreSQL on the given port with the data of this folder, and returns when it answers.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Child, type ChildOptions, start } from '../child.ts'
import { type Home, home } from './postgres-home.ts'

const run = promisify(execFile)
const database = 'tillwright'

export type Postgres = { url: string; child: Child }

// Without fsync only a power cut loses data. synchronous_commit stays on, because tests kill PostgreSQL.
const fastSettings = ['fsync=off', 'full_page_writes=off']
const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']

// All languages, in code point order, and the same on every system.
const unicode = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']

async function initialize({ native, data, who }: Home, copyOf: string | undefined): Promise<void> {
  if (fs.existsSync(path.join(data, 'PG_VERSION')) && fs.existsSync(path.join(data, 'global/pg_control'))) return
  fs.rmSync(data, { recursive: true, force: true }) // an interrupted initdb leaves files behind
  if (copyOf !== undefined) {
    // Keeps owner and modes, and takes a third of a second instead of three.
    await run('cp', ['-a', (await home(copyOf)).data, data])
    return
  }
  fs.mkdirSync(data, { recursive: true })
  if (who.uid !== undefined && who.gid !== undefined) fs.chownSync(data, who.uid, who.gid)
  const args = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    ...unicode,
    '--no-sync',
    '--no-instructions',
  ]
  await run(path.join(native, 'bin/initdb'), args, { ...who, cwd: '/' })
}

/** Checks the data folder of the server: another server may listen on this port. */
async function answers(port: number, data: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    connectionTimeoutMillis: 1000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    if (fs.realpathSync(String(rows[0]?.data_directory)) !== fs.realpathSync(data))
      throw new Error(`Another PostgreSQL answers on port ${port}.`)
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (!rowCount) await client.query(`create database ${database}`)
    return true
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Another PostgreSQL')) throw error
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** `copyOf`: the folder of a stopped PostgreSQL whose data is copied. */
export async function startPostgres(
  o: ChildOptions & { dir: string; port: number; fast: boolean; copyOf: string | undefined },
): Promise<Postgres> {
  const at = await home(path.resolve(o.dir))
  await initialize(at, o.copyOf && path.resolve(o.copyOf))
  const args = [
    '-D',
    at.data,
    '-p',
    String(o.port),
    ...[...settings, ...(o.fast ? fastSettings : [])].flatMap((s) => ['-c', s]),
  ]
  for (const until = Date.now() + 30_000; ; await sleep(250)) {
    let up = false
    const child = start(path.join(at.native, 'bin/postgres'), args, {
      ...o,
      ...at.who,
      signal: 'INT', // PostgreSQL's fast shutdown
      cwd: '/',
      onDeath: (dead, how) => up && o.onDeath?.(dead, how),
    })
    while (child.running() && !up && Date.now() < until) {
      up = await answers(o.port, at.data)
      if (!up) await sleep(20)
    }
    if (up) return { url: `postgres://postgres@127.0.0.1:${o.port}/${database}`, child }
    await child.stop()
    // A killed predecessor is still shutting down.
    if (Date.now() > until || !/lock file "postmaster.pid" already exists|Address already in use/.test(child.tail()))
      throw new Error(`PostgreSQL did not start:\n${child.tail()}`)
  }
}
