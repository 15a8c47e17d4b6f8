// The lifetime of every table's rows, as the register of tables has it.
import type pg from 'pg'
import type { Lifetime } from '../../../entities/kit/table.ts'
import { tables } from '../../../entities/tables.ts'

export type Listed = { table: string; kind: Lifetime['kind']; job: string; setting: string }

/** `job`: the table whose job deletes the rows. */
function listedOf(table: string, rows: Lifetime): Listed {
  if (rows.kind !== 'swept') return { table, kind: rows.kind, job: '', setting: '' }
  const job = 'with' in rows ? rows.with : table
  const swept = tables[job]?.rows
  const keep = swept && 'job' in swept ? swept.job?.keep : undefined
  return { table, kind: rows.kind, job, setting: keep ? `KEEP_${keep.toUpperCase()}_DAYS` : '' }
}

export const listed: readonly Listed[] = Object.entries(tables).map(([table, { rows }]) => listedOf(table, rows))

const bookkeeping = ['migration_lock', 'mikro_orm_migrations']

export async function tablesOf(db: pg.Pool): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  )
  return rows.map(({ name }) => name).filter((name) => !bookkeeping.includes(name))
}
