// The lifetime of every table's rows: a new table must be listed in tables.tsv, unless rules/effects.ts declares it.
import fs from 'node:fs'
import type pg from 'pg'
import { effects } from '../../rules/effects.ts'

/** `record`: kept until a caller deletes it. `bounded`: by records. `swept`: a job deletes expired rows. `emptied`: rows are pending work. */
export type Table = {
  table: string
  kind: 'record' | 'bounded' | 'swept' | 'emptied'
  job: string
  setting: string
  why: string
}

const written: Table[] = fs
  .readFileSync(new URL('../tables.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
  .map(([table = '', kind, job = '', setting = '', why = '']) => ({
    table,
    kind: kind as Table['kind'],
    job,
    setting,
    why,
  }))

const ofEffects: Table[] = Object.values(effects)
  .filter(({ table }) => !written.some((one) => one.table === table))
  .map(({ table, keep_days }) =>
    keep_days === null
      ? { table, kind: 'record', job: '', setting: '', why: 'kept with the record that it belongs to' }
      : { table, kind: 'swept', job: table, setting: `KEEP_${table.toUpperCase()}_DAYS`, why: '' },
  )
export const listed = [...written, ...ofEffects]

const bookkeeping = ['migration_lock', 'mikro_orm_migrations']

export async function tablesOf(db: pg.Pool): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  )
  return rows.map(({ name }) => name).filter((name) => !bookkeeping.includes(name))
}
