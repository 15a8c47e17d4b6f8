// A database of an older version: schema and rows as plain SQL, with its keys in the first line. Recording the same
// database gives the same file.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { statementsOf } from '../kit/database/migration-statements.ts'

/** Of a development stack that no longer exists: none of these opens anything. */
export type About = { store_id: string; api_token: string; publishable_key: string; secrets_key: string; email: string }
export type Recording = { name: string; about: About; sql: string }

const folder = import.meta.dirname
// A separate transaction locks this row while migrations are applied.
const bookkeeping = 'mikro_orm_migrations'
const quoted = (name: string) => `"${name}"`

export const recordings = (): Recording[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((file) => {
      const text = fs.readFileSync(path.join(folder, file), 'utf8')
      const end = text.indexOf('\n')
      return { name: file.replace('.sql', ''), about: JSON.parse(text.slice(3, end)), sql: text.slice(end + 1) }
    })

/** The statements of a tree's migrations in order, as its own `npm run migrate` sent them. */
async function schemaOf(tree: string): Promise<string[]> {
  const at = path.join(tree, 'entities/migrations')
  const files = fs
    .readdirSync(at)
    .filter((name) => name.endsWith('.ts'))
    .sort()
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(at, file)).href)))
  const said = await Promise.all(modules.map((module) => statementsOf(module)))
  // The recording is one query, so one transaction, in which no index is built concurrently.
  return said
    .flat()
    .map(({ sql }) => sql.replace(/\bindex concurrently\b/gi, 'index'))
    .map((sql) => (sql.trimEnd().endsWith(';') ? sql : `${sql};`))
}

const tables = `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`

/**
 * Rows in the order of their keys, so that two recordings can be compared. A tsvector, a jsonb and a time are written
 * as text; nulls are left out.
 */
async function rowsOf(db: pg.Client, table: string): Promise<string> {
  const row = `(select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(t)) where value <> 'null')`
  const { rows } = await db.query<{ rows: string | null }>(
    `select json_agg(${row} order by to_jsonb(t)::text)::text as rows from ${quoted(table)} t`,
  )
  if (!rows[0]?.rows) return ''
  return `insert into ${quoted(table)} select * from json_populate_recordset(null::${quoted(table)}, '${rows[0].rows.replaceAll("'", "''")}');`
}

/** Records the database of a stack of this tree. */
export async function record(name: string, tree: string, databaseUrl: string, about: About): Promise<string> {
  const schema = await schemaOf(tree)
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  const { rows: found } = await db.query<{ name: string }>(tables)
  const data: string[] = []
  for (const { name: table } of found) if (table !== 'migration_lock') data.push(await rowsOf(db, table))
  await db.end()
  const lines = [
    `-- ${JSON.stringify(about)}`,
    `create table "${bookkeeping}" ("id" serial primary key, "name" varchar(255), "executed_at" timestamptz default current_timestamp);`,
    ...schema,
    // References are checked row by row when rows are written, and here rows come by table.
    'set session_replication_role = replica;',
    ...data.filter((line) => line !== ''),
    'set session_replication_role = default;',
    `select setval(pg_get_serial_sequence('${bookkeeping}', 'id'), (select max(id) from "${bookkeeping}"));`,
  ]
  const file = path.join(folder, `${name}.sql`)
  fs.writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

/** Into a database that is empty. */
export async function restore({ sql }: Recording, databaseUrl: string): Promise<void> {
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  await db.query(sql)
  await db.end()
}
