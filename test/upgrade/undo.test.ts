// The migrations of people and memberships can be undone: what orders had stays, and the database is the one of the
// version before.
import { expect, test } from '@jest/globals'
import type pg from 'pg'
import { ownDatabase } from '../kit/database/own-database.ts'
import { recordings, restore } from './recording.ts'

const [before, after] = ['20261122000008_names', '20261122000014_provisions'].map((name) =>
  recordings().find((one) => one.name === name),
)
const own = ownDatabase('undone')

/** Columns, indexes and constraints of the database, as text. */
async function catalogue(db: pg.Pool): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(
    `select concat_ws(' ', table_name, column_name, data_type, character_maximum_length, is_nullable, column_default) as line from information_schema.columns where table_schema = 'public'
     union all select indexdef from pg_indexes where schemaname = 'public'
     union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1`,
  )
  return rows.map(({ line }) => line)
}

const facts = `select (select count(*) from orders) as orders, (select count(*) from payments where order_id is not null) as payments,
  (select count(*) from refunds where order_id is not null) as refunds, (select count(*) from promo_redemptions where order_id is not null) as redemptions`

test('Migrations that are undone leave orders, give codes back, and can be applied again', async () => {
  if (!before || !after) throw new Error('a recording is missing')
  const url = String(own.db.options.connectionString)
  await restore(before, url)
  const older = await catalogue(own.db)
  await own.db.query('drop schema public cascade; create schema public')
  await restore(after, url)
  const { rows: had } = await own.db.query(facts)
  await own.orm.migrator.up()
  await own.orm.migrator.down({ to: '20261122000008_names' })
  expect(await catalogue(own.db)).toEqual(older)
  expect((await own.db.query(facts)).rows).toEqual(had)
  const { rows: codes } = await own.db.query(
    'select uses, (select count(*) from promo_redemptions r where r.promo_code_id = c.id) as redeemed from promo_codes c order by code',
  )
  expect(codes.map(({ uses }) => uses)).toEqual(codes.map(({ redeemed }) => redeemed))
  await own.orm.migrator.up()
  expect(await own.orm.migrator.getPending()).toEqual([])
  expect(
    (await own.orm.schema.getUpdateSchemaSQL())
      .split(/;\s*/)
      .filter((line) => line.trim() !== '' && !/"(migration_lock|mikro_orm_migrations)"/.test(line)),
  ).toEqual([])
})
