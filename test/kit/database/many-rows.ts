// Thousands of rows of any table, for a database of a test's own: its tables lose their checks and references.
//   await dropConstraints(db)
//   await insertMany(db, 'mails', { status: `'succeeded'` }, { tenantId, many: 3_000, id: 'gen_random_uuid()' })
import type pg from 'pg'

/** SQL of values of columns that have to have one, by their type. */
const fillings: Record<string, string> = {
  uuid: 'own.id',
  bigint: '1600000000',
  integer: '1',
  smallint: '1',
  numeric: '1',
  'double precision': '1',
  boolean: 'false',
  jsonb: `'{}'`,
  text: `own.id::text`,
  'character varying': `own.id::text`,
  'timestamp with time zone': 'to_timestamp(1600000000)',
  date: `'2020-09-13'`,
  ARRAY: `'{}'`,
  bytea: `''`,
}

const fillingOf = (type: string, length: number | null): string =>
  length === null ? (fillings[type] as string) : `right(${fillings[type]}, ${length})`

/** Tables lose their checks, references and unique keys. */
export async function dropConstraints(db: pg.Pool): Promise<void> {
  const { rows } = await db.query(
    `select conrelid::regclass as "table", conname as name
     from pg_constraint
     where contype in ('c', 'f', 'u') and connamespace = 'public'::regnamespace
     order by contype desc`,
  )
  for (const { table, name } of rows) await db.query(`alter table ${table} drop constraint if exists "${name}"`)
}

/**
 * `many` rows; columns that are not given, and have to have a value, have one that means nothing. `values` and `id`:
 * SQL of columns and of the ids of the rows, by the number `n`.
 */
export async function insertMany(
  db: pg.Pool,
  table: string,
  values: Record<string, string>,
  { tenantId, many, id }: { tenantId: string; many: number; id: string },
): Promise<void> {
  const { rows: columns } = await db.query(
    `select column_name as name, data_type as type, character_maximum_length as length
     from information_schema.columns
     where table_schema = 'public'
       and table_name = $1
       and (is_nullable = 'NO' and column_default is null or column_name = 'tenant_id')`,
    [table],
  )
  const filled = Object.fromEntries(columns.map(({ name, type, length }) => [name, fillingOf(type, length)]))
  const own = filled.tenant_id ? { tenant_id: '$1::uuid' } : {}
  const all = { ...filled, ...values, id, ...own }
  const names = Object.keys(all).map((name) => `"${name}"`)
  await db.query(
    `insert into ${table} (${names.join(', ')})
     select ${Object.values(all).join(', ')}
     from generate_series(1, ${many}) as n
     cross join lateral (select ${id} as id) as own
     where $1::uuid is not null`,
    [tenantId],
  )
}
