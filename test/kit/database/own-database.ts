// An empty database for one test file, migrated to just before one migration, so that the test sees what that migration
// does to existing rows.
//   const own = ownDatabase('forms')
//   await own.migrateUntil('_content')
import { afterAll, beforeAll, expect } from '@jest/globals'
import pg from 'pg'
import { type Orm, openOrm } from '../../../entities/kit/database/orm.ts'
import { until } from '../codes.ts'
import { database, unique } from '../shop.ts'

type OwnDatabase = {
  orm: Orm
  db: pg.Pool
  /** Applies the migrations before the one whose name ends so; `orm.migrator.up()` applies the others. */
  migrateUntil(suffix: string): Promise<void>
}

export function ownDatabase(prefix: string): OwnDatabase {
  const name = `${prefix}_${unique()}`
  const own: OwnDatabase = {
    async migrateUntil(suffix) {
      const all = (await own.orm.migrator.getPending()).map((migration) => migration.name)
      const at = all.findIndex((one) => one.endsWith(suffix))
      expect(at).toBeGreaterThan(0)
      await own.orm.migrator.up({ to: all[at - 1] as string })
    },
  } as OwnDatabase
  beforeAll(async () => {
    await database().query(`create database ${name}`)
    const url = new URL(process.env.DATABASE_URL as string)
    url.pathname = `/${name}`
    own.orm = await openOrm({ url: url.href, pool: 2 })
    own.orm.config.set('migrations', { ...own.orm.config.get('migrations'), silent: true })
    own.db = new pg.Pool({ connectionString: url.href, max: 2 })
  })
  afterAll(async () => {
    await own.orm.close(true)
    await own.db.end()
    // Its last connections are still closing: forced out, each would raise an unhandled error.
    await until(() =>
      database()
        .query(`drop database ${name}`)
        .then(
          () => true,
          () => false,
        ),
    )
    await database().end()
  })
  return own
}
