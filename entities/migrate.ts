// Applies the pending migrations: `npm run migrate`. Concurrent runs wait for each other.
// `npm run migrate -- --create NAME` writes a migration for the differences between the entities and the database.
import pg from 'pg'
import { applyMigrations, migrationTimeouts } from './kit/database/apply-migrations.ts'
import { openOrm } from './kit/database/orm.ts'

const url = process.env.DATABASE_URL
if (!url) {
  console.error('settings: DATABASE_URL is missing')
  process.exit(1)
}

/** Creates the database if it does not exist. */
async function createDatabase(address: string): Promise<void> {
  const target = new URL(address)
  const name = decodeURIComponent(target.pathname.slice(1))
  target.pathname = '/postgres'
  const client = new pg.Client({ connectionString: target.href })
  await client.connect()
  await client.query(`create database "${name.replaceAll('"', '""')}"`).catch((error: { code?: string }) => {
    // 42P04 and 23505: another process created it at the same time.
    if (error.code !== '42P04' && error.code !== '23505') throw error
  })
  await client.end()
}

const probe = new pg.Client({ connectionString: url })
try {
  await probe.connect()
} catch (error) {
  if ((error as { code?: string }).code !== '3D000') throw error
  await createDatabase(url)
}
await probe.end().catch(() => {})

const orm = await openOrm({ url, pool: 4, timeouts: migrationTimeouts })
const create = process.argv.indexOf('--create')
if (create > 0) {
  const { fileName } = await orm.migrator.create(undefined, false, false, process.argv[create + 1])
  console.log(fileName || 'nothing to change')
} else {
  // The second of two concurrent runs waits for the table's lock and finds nothing pending.
  // It may wait for hours of index builds, and is idle during its own.
  const options = '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0'
  const lock = new pg.Client({ connectionString: url, keepAlive: true, options })
  await lock.connect()
  await lock.query('create table if not exists migration_lock (id int primary key)')
  await lock.query('begin')
  await lock.query('lock table migration_lock in exclusive mode')
  const done = await applyMigrations(orm, (line) => console.error(line))
  await lock.query('commit')
  await lock.end()
  console.log(done.length > 0 ? `applied ${done.join(', ')}` : 'nothing to apply')
}
await orm.close()
