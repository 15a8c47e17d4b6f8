// Rows of a tenant in every table of the database's catalogue, and what is left of them: a new table needs no line
// here.
//   await fillTables(tenant)                  adds a row to each table that has none
//   await rowsOf(tenant)                      → { orders: 3, … }, without tables that have none
import { newId } from '../../../entities/kit/ids.ts'
import { database, unique } from '../shop.ts'

/** Every table with a column `tenant_id`. */
export async function tenantTables(): Promise<string[]> {
  const { rows } = await database().query(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Tables without `tenant_id` whose rows refer to rows of a tenant. */
export async function childrenOfTenantTables(): Promise<string[]> {
  const tables = await tenantTables()
  const { rows } = await database().query(
    `select distinct conrelid::regclass::text as name from pg_constraint where contype = 'f' and confrelid::regclass::text = any ($1) and not conrelid::regclass::text = any ($1)`,
    [tables],
  )
  return rows.map(({ name }) => name)
}

export async function rowsOf(tenant: string): Promise<Record<string, number>> {
  const union = (await tenantTables())
    .map((name) => `select '${name}' as name, count(*)::int as rows from "${name}" where tenant_id = $1`)
    .join(' union all ')
  const { rows } = await database().query(`select * from (${union}) x where rows > 0`, [tenant])
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]))
}

/** All of a tenant's rows, as one digest for each table. */
export async function picture(tenant: string): Promise<Record<string, string>> {
  const union = (await tenantTables())
    .map(
      (name) =>
        `select '${name}' as name, md5(string_agg(t::text, ' ' order by t::text)) as digest from "${name}" t where tenant_id = $1`,
    )
    .join(' union all ')
  const { rows } = await database().query(`select * from (${union}) x where digest is not null`, [tenant])
  const { rows: own } = await database().query('select md5(t::text) as digest from tenants t where id = $1', [tenant])
  return { ...Object.fromEntries(rows.map(({ name, digest }) => [name, digest])), tenants: own[0]?.digest }
}

type Column = { name: string; type: string; refers: string | null; words: string | null }

/**
 * A value of a column that must have one. A foreign key names a row of the same tenant, where its table has tenants;
 * null if there is none yet.
 */
async function sampleFor({ type, refers, words }: Column, tenant: string, tables: readonly string[]): Promise<unknown> {
  if (refers) {
    const { rows } = tables.includes(refers)
      ? await database().query(`select id from ${refers} where tenant_id = $1 limit 1`, [tenant])
      : await database().query(`select id from ${refers} limit 1`)
    return rows[0]?.id ?? null
  }
  const word = words && /'([^']*)'/.exec(words)?.[1]
  if (word) return word
  if (type === 'uuid') return newId()
  if (type === 'jsonb') return []
  if (type === 'boolean') return false
  // Seconds far ahead: no row expires.
  if (type === 'bigint') return 9_999_999_999
  if (type.startsWith('timestamp')) return new Date().toISOString()
  const length = /varying\((\d+)\)/.exec(type)?.[1]
  return /int|double/.test(type) ? 1 : unique().slice(0, Number(length ?? 12))
}

async function fillTable(name: string, tenant: string, tables: readonly string[]): Promise<void> {
  const { rows: checks } = await database().query(
    `select conname from pg_constraint where contype = 'c' and conrelid = $1::regclass and cardinality(conkey) > 1`,
    [name],
  )
  for (const { conname } of checks) await database().query(`alter table "${name}" drop constraint "${conname}"`)
  const { rows: columns } = await database().query<Column>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
       (select f.confrelid::regclass::text from pg_constraint f where f.contype = 'f' and f.conrelid = a.attrelid and f.conkey = array[a.attnum]) as refers,
       (select pg_get_constraintdef(k.oid) from pg_constraint k where k.contype = 'c' and k.conrelid = a.attrelid and k.conkey = array[a.attnum] limit 1) as words
     from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef and a.attname <> 'tenant_id'`,
    [name],
  )
  const values = await Promise.all(
    columns.map(async (column) => [column.name, await sampleFor(column, tenant, tables)]),
  )
  // An effect is over: no worker sends it.
  const { rowCount: isEffect } = await database().query(
    `select 1 from pg_attribute where attrelid = $1::regclass and attname = 'settled_at' and not attisdropped`,
    [name],
  )
  const ended = isEffect ? { status: 'succeeded', settled_at: new Date().toISOString() } : {}
  const row = { ...Object.fromEntries(values), ...ended, tenant_id: tenant }
  // Its parent is filled first.
  if (Object.values(row).includes(null)) return
  const names = Object.keys(row)
    .map((column) => `"${column}"`)
    .join(', ')
  await database().query(
    `insert into "${name}" (${names}) select ${names} from json_populate_record(null::"${name}", $1)`,
    [JSON.stringify(row)],
  )
}

/**
 * A row in every table that has none of the tenant. In a database of the test's own: checks of several columns are
 * dropped there.
 */
export async function fillTables(tenant: string): Promise<void> {
  const tables = await tenantTables()
  // Of no tenant: its members are.
  await database().query(
    `insert into networks (id, created_at, updated_at, key, name) values (gen_random_uuid(), 1, 1, $1, 'A city')`,
    [unique()],
  )
  for (let rounds = 0; rounds < 5; rounds++) {
    const there = await rowsOf(tenant)
    for (const name of tables) if (!there[name]) await fillTable(name, tenant, tables)
  }
}
