// Migrations are applied beside a running API, however long they take, and block it no longer than their lock timeout.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Migration } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { applyMigrations, migrationTimeouts } from '../../entities/kit/database/apply-migrations.ts'
import { ormConfig } from '../../entities/kit/database/orm.ts'
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
class M4_concurrent extends Migration {
  override isTransactional() {
    return false
  }
  override up() {
    this.addSql('create index concurrently things_id on things (id)')
  }
}

let url = ''
const client = async () => {
  const one = new pg.Client({ connectionString: url })
  await one.connect()
  return one
}
let admin: pg.Client
beforeAll(async () => {
  url = process.env.DATABASE_URL as string
  admin = await client()
  const target = new URL(url)
  target.pathname = `/migrate_${unique()}`
  const name = target.pathname.slice(1)
  await admin.query(`create database ${name}`)
  // The migration takes longer than this; the API's connections have such a limit, the migrations' have none.
  await admin.query(`alter database ${name} set statement_timeout = '1s'`)
  url = target.href
})
afterAll(() => admin.end())

test('A migration that meets a lock lets the API pass and is retried until the lock is released', async () => {
  const [holder, reader] = await Promise.all([client(), client()])
  await holder.query('create table things (id int)')
  const config = ormConfig({ url, pool: 2, timeouts: { ...migrationTimeouts, lockMs: 100 } })
  const migrationsList = [M1_first, M2_blocked, M3_slow, M4_concurrent].map((of) => ({ name: of.name, class: of }))
  const orm = await MikroORM.init({ ...config, logger: () => {}, migrations: { ...config.migrations, migrationsList } })
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
    await Promise.all([holder.end(), reader.end()])
  }
})
