// A database of a test's own for rows that have only what a statement reads of them: its tables have neither checks nor
// references.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll } from '@jest/globals'
import { ownDatabase } from './own-database.ts'

/** Values of columns that have to have one, by their type. */
const fillings: Record<string, () => unknown> = {
  uuid: randomUUID,
  bigint: () => 5,
  integer: () => 1,
  smallint: () => 1,
  numeric: () => 1,
  'double precision': () => 1,
  boolean: () => false,
  jsonb: () => '{}',
  text: () => '',
  'character varying': () => '',
  'timestamp with time zone': () => new Date(5_000),
  ARRAY: () => '{}',
  bytea: () => Buffer.alloc(0),
}

/** The rows of a test are deleted after it. */
export function bareRows(prefix: string) {
  const own = ownDatabase(prefix)
  const tenant = randomUUID()
  const written = new Set<string>()
  beforeAll(async () => {
    await own.orm.migrator.up()
    const { rows } = await own.db.query(
      `select conrelid::regclass as "table", conname as name
       from pg_constraint
       where contype in ('c', 'f') and connamespace = 'public'::regnamespace
       order by contype desc`,
    )
    for (const { table, name } of rows) await own.db.query(`alter table ${table} drop constraint if exists "${name}"`)
  }, 120_000)
  afterEach(async () => {
    if (written.size > 0) await own.db.query(`truncate ${[...written].join(', ')}`)
    written.clear()
  })

  /** Inserts a row; columns that are not given, and have to have a value, have one that means nothing. */
  async function row(table: string, values: Record<string, unknown>): Promise<string> {
    const { rows } = await own.db.query(
      `select column_name as name, data_type as type
       from information_schema.columns
       where table_schema = 'public' and table_name = $1 and is_nullable = 'NO' and column_default is null`,
      [table],
    )
    const filled = Object.fromEntries(rows.map(({ name, type }) => [name, fillings[type]?.()]))
    const all: Record<string, unknown> = {
      ...filled,
      ...('tenant_id' in filled ? { tenant_id: tenant } : {}),
      ...values,
    }
    const names = Object.keys(all)
    await own.db.query(
      `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')})
       values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(all),
    )
    written.add(table)
    return all.id as string
  }
  return { own, tenant, row }
}
