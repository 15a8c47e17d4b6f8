// Migrations are applied beside a running API, however long they take, and block it no longer than their lock timeout.
// One that builds indexes and is interrupted continues.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Migration } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { applyMigrations, migrationTimeouts } from '../../entities/kit/database/apply-migrations.ts'
import { IndexMigration } from '../../entities/kit/database/build-index.ts'
import { ormConfig } from '../../entities/kit/database/orm.ts'
import { until } from '../kit/codes.ts'
import { statementsOf } from '../kit/database/migration-statements.ts'
import { unique } from '../kit/shop.ts'

class M1_first extends Migration {
  override up() {
    this.addSql('create table applied (name text)')
  }
}
class M2_blocked extends Migration {
  override up() {
    this.addSql('alter table things add column more int')
  }
}
class M3_slow extends Migration {
  override up() {
    this.addSql('select pg_sleep(1.5)')
  }
}
class M4_concurrent extends IndexMigration {
  override async up() {
    await this.buildIndex('create index concurrently "things_id" on "things" ("id")')
  }
}

const [first, second] = [
  `create index concurrently "first" on "things" ("more", ("id" + 1)) where state in ('new', 'old')`,
  'create unique index concurrently "second" on "others" ("id") include ("state")',
]
class M5_traffic extends Migration {
  override up() {
    this.addSql('alter table applied add column more int')
  }
}
class Indexes extends IndexMigration {
  override async up() {
    this.addSql('alter table things add column if not exists more int')
    await this.buildIndex(first)
    await this.buildIndex(second)
    this.addSql(`insert into applied select string_agg(indexname, ', ' order by indexname) from pg_indexes
                 where indexname in ('first', 'second', 'former')`)
    await this.dropIndex('former')
  }
}

const lockMs = 100
const ormOf = (...list: (new (...of: ConstructorParameters<typeof Migration>) => Migration)[]) => {
  // With one connection, what a build sets for its session would reach the statements after it.
  const config = ormConfig({ url, pool: 1, timeouts: { ...migrationTimeouts, lockMs } })
  const migrationsList = list.map((of) => ({ name: of.name, class: of }))
  return MikroORM.init({ ...config, logger: () => {}, migrations: { ...config.migrations, migrationsList } })
}

let url = ''
const clients: pg.Client[] = []
const client = async () => {
  const one = new pg.Client({ connectionString: url })
  clients.push(one)
  await one.connect()
  return one
}
let admin: pg.Client
beforeAll(async () => {
  admin = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await admin.connect()
})
beforeEach(async () => {
  const target = new URL(process.env.DATABASE_URL as string)
  target.pathname = `/migrate_${unique()}`
  const name = target.pathname.slice(1)
  await admin.query(`create database ${name}`)
  // The migration takes longer than this; the API's connections have such a limit, the migrations' have none.
  await admin.query(`alter database ${name} set statement_timeout = '1s'`)
  url = target.href
})
// Transactions that a failed test has left open end with their connections.
afterEach(() => Promise.all(clients.splice(0).map((one) => one.end())))
afterAll(() => admin.end())

test('A migration that meets a lock lets the API pass and is retried until the lock is released', async () => {
  const [holder, reader] = await Promise.all([client(), client()])
  await holder.query('create table things (id int)')
  const orm = await ormOf(M1_first, M2_blocked, M3_slow, M4_concurrent)
  try {
    await holder.query('begin')
    await holder.query('insert into things values (1)')
    const lines: string[] = []
    let told = () => {}
    const twice = new Promise<void>((resolve) => {
      told = () => lines.length === 2 && resolve()
    })
    const applying = applyMigrations(orm as never, (line) => {
      lines.push(line)
      told()
    })
    await twice
    // The first is applied and stays, the second was rolled back, and the table can be read and written.
    expect((await reader.query('select count(*)::int as n from things')).rows).toEqual([{ n: 0 }])
    await reader.query('insert into applied values ($1)', ['beside it'])
    expect(lines).toEqual([
      expect.stringMatching(/^M2_blocked: .* attempt 1 .* in 1 s$/),
      expect.stringMatching(/^M2_blocked: .* attempt 2 .* in 2 s$/),
    ])
    await holder.query('commit')
    expect(await applying).toEqual(['M1_first', 'M2_blocked', 'M3_slow', 'M4_concurrent'])
    expect((await reader.query('select more from things')).rows).toEqual([{ more: null }])
    expect(
      (await reader.query("select indisvalid from pg_index where indexrelid = 'things_id'::regclass")).rows,
    ).toEqual([{ indisvalid: true }])
    expect(await applyMigrations(orm as never, () => {})).toEqual([])
  } finally {
    await orm.close(true)
  }
})

/** The tables of `Indexes`. The holder has an open transaction that wrote to the second one. */
async function tables() {
  const [holder, reader] = await Promise.all([client(), client()])
  await holder.query(`create table things (id int, state text); create table others (id int, state text);
                      create table applied (indexes text); create index former on things (id)`)
  await holder.query("insert into things select n, 'new' from generate_series(1, 100) n")
  await holder.query('begin')
  await holder.query("insert into others values (1, 'held')")
  /** A statement that waits for longer than other statements of migrations may wait for a lock. */
  const waiting = (like: string, ms = 3 * lockMs) =>
    until(async () => {
      const { rows } = await reader.query<{ pid: number; event: string }>(
        `select pid, wait_event as event
         from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like $1
           and clock_timestamp() - query_start > $2 * interval '1 ms'`,
        [`${like}%`, ms],
      )
      return rows[0]
    })
  /** By name: the file of the index, which another build of it replaces, and whether it is valid. */
  const indexes = async () => {
    const { rows } = await reader.query<{ name: string; file: number; valid: boolean }>(
      `select c.relname as name, c.relfilenode::int as file, i.indisvalid as valid
       from pg_index i join pg_class c on c.oid = i.indexrelid
       where i.indrelid in ('things'::regclass, 'others'::regclass)
       order by 1`,
    )
    return Object.fromEntries(rows.map(({ name, file, valid }) => [name, { file, valid }]))
  }
  return { holder, reader, waiting, indexes }
}

test('An interrupted migration keeps its valid indexes, and builds only the others again', async () => {
  const { holder, reader, waiting, indexes } = await tables()
  const orm = await ormOf(Indexes)
  try {
    const applying = applyMigrations(orm as never, () => {})
    const refused = expect(applying).rejects.toThrow(/canceling statement due to user request/)
    const { pid } = await waiting('create unique index concurrently')
    await reader.query('select pg_cancel_backend($1)', [pid])
    await refused
    const before = await indexes()
    expect(before).toMatchObject({ first: { valid: true }, second: { valid: false }, former: { valid: true } })
    await holder.query('commit')
    expect(await applyMigrations(orm as never, () => {})).toEqual(['Indexes'])
    const after = await indexes()
    expect(after).toEqual({ first: before.first, second: { file: expect.any(Number), valid: true } })
    expect(after.second?.file).not.toBe(before.second?.file)
    // Statements are sent in the order in which they are written.
    expect((await reader.query('select * from applied')).rows).toEqual([{ indexes: 'first, former, second' }])
  } finally {
    await orm.close(true)
  }
})

test('A build waits for a long transaction beyond the lock timeout, and blocks no writer', async () => {
  const { holder, reader, waiting, indexes } = await tables()
  const orm = await ormOf(Indexes, M5_traffic)
  try {
    const line = Promise.withResolvers<string>()
    const applying = applyMigrations(orm as never, line.resolve)
    expect((await waiting('create unique index concurrently')).event).toBe('virtualxid')
    await reader.query("insert into others values (2, 'beside it')")
    const before = await indexes()
    await reader.query('begin')
    await reader.query("insert into applied values ('beside it')")
    await holder.query('commit')
    // The connection that has built it gives up its next lock in time, for the sake of others.
    expect(await line.promise).toMatch(/^M5_traffic: .* attempt 1 /)
    await reader.query('commit')
    expect(await applying).toEqual(['Indexes', 'M5_traffic'])
    expect(await indexes()).toEqual({ first: before.first, second: { file: before.second?.file, valid: true } })
  } finally {
    await orm.close(true)
  }
})

test('A build that the server goes on with after its migration was ended is awaited', async () => {
  const { holder, reader, waiting, indexes } = await tables()
  const [abandoned, orm] = await Promise.all([client(), ormOf(Indexes)])
  try {
    await abandoned.query('set statement_timeout = 0')
    const building = abandoned.query(second)
    await waiting('create unique index concurrently')
    const before = await indexes()
    const lines: string[] = []
    const applying = applyMigrations(orm as never, (line) => lines.push(line))
    // Longer than PostgreSQL takes to find a deadlock.
    const { rows } = await reader.query<{ ms: number }>(
      "select 1.5 * setting::int as ms from pg_settings where name = 'deadlock_timeout'",
    )
    expect((await waiting('begin; lock table', Number(rows[0]?.ms))).event).toBe('relation')
    await holder.query('commit')
    await building
    expect([await applying, lines]).toEqual([['Indexes'], []])
    expect((await indexes()).second).toEqual({ file: before.second?.file, valid: true })
  } finally {
    await orm.close(true)
  }
})

test('An index of another definition is built again, and one of the same definition is kept', async () => {
  const { holder, reader, indexes } = await tables()
  const orm = await ormOf(Indexes)
  try {
    await holder.query('commit')
    await reader.query('alter table things add column more int')
    await reader.query(`create index first on things (more, (1 + id)) where state in ('new', 'old')`)
    await reader.query('CREATE UNIQUE INDEX second ON public.others USING btree (id asc) INCLUDE (state)')
    const before = await indexes()
    expect(await applyMigrations(orm as never, () => {})).toEqual(['Indexes'])
    const after = await indexes()
    expect(after.second).toEqual(before.second)
    expect(after.first?.file).not.toBe(before.first?.file)
    expect((await reader.query("select pg_get_indexdef('first'::regclass, 2, true) as on")).rows).toEqual([
      { on: '(id + 1)' },
    ])
  } finally {
    await orm.close(true)
  }
})

test('Migrations build and drop indexes concurrently only so that they continue', async () => {
  const folder = path.resolve(import.meta.dirname, '../../entities/migrations')
  const files = fs.readdirSync(folder).sort()
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(folder, file)).href)))
  const concurrently: [string, string][] = []
  for (const [at, file] of files.entries())
    for (const direction of ['up', 'down'] as const)
      for (const { by, sql } of await statementsOf(modules[at], direction))
        if (/\bindex\s+concurrently\b/i.test(sql)) concurrently.push([`${file} ${direction}`, by])
  expect(concurrently.length).toBeGreaterThan(250)
  expect(concurrently.filter(([, by]) => by !== 'buildIndex' && by !== 'dropIndex')).toEqual([])
})
