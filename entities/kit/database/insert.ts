// New rows as statements made from the entity, which alone names columns, their types, and which of them are encrypted.
import { isRaw, RawQueryFragment } from '@mikro-orm/core'
import type { EntityManager, EntityName, EntityProperty, RequiredEntityData } from '@mikro-orm/postgresql'
import { Encrypted } from '../encrypted.ts'
import { jsonText, plainValue, type Sql } from './sql.ts'

/** `definition`: its name and type, for a record of JSON. */
type Column = { name: string; definition: string; isJson: boolean; isBytes: boolean; sealed: Encrypted | null }
/** A row to be written: a value may be SQL. */
export type NewRow<Entity> = { [Name in keyof RequiredEntityData<Entity>]: RequiredEntityData<Entity>[Name] | Sql }

type Table = { name: string; columns: Map<string, Column> }

const tables = new WeakMap<object, Table>()

function columnOf({ fieldNames, columnTypes, customType }: EntityProperty): Column {
  const name = `"${fieldNames[0]}"`
  // A cast to varchar(n) would cut the text; the table refuses one that is too long.
  const type = (columnTypes[0] as string).replace(/^(varchar|char)\(\d+\)$/, 'text')
  return {
    name,
    definition: `${name} ${type}`,
    isJson: type === 'jsonb',
    isBytes: type === 'bytea',
    sealed: customType instanceof Encrypted ? customType : null,
  }
}

function tableOf(em: EntityManager, entity: EntityName<object>): Table {
  const meta = em.getMetadata().get(entity)
  let table = tables.get(meta)
  if (!table) {
    const stored = meta.props.filter(({ persist }) => persist !== false)
    table = { name: meta.tableName, columns: new Map(stored.map((property) => [property.name, columnOf(property)])) }
    tables.set(meta, table)
  }
  return table
}

function columnIn({ name: table, columns }: Table, name: string): Column {
  const found = columns.get(name)
  if (!found) throw new Error(`${table} has no column ${name}`)
  return found
}

/** Adds the columns that a row gives a value to, and their values. */
function addRow(table: Table, row: object, names: string[], values: string[], params: unknown[]): void {
  for (const [name, value] of Object.entries(row)) {
    const column = columnIn(table, name)
    if (value === undefined) continue
    names.push(column.name)
    values.push(isRaw(value) ? value.sql : '?')
    if (isRaw(value)) params.push(...value.params)
    else if (value === null) params.push(null)
    else if (column.isJson) params.push(jsonText(value))
    else params.push(column.sealed ? column.sealed.convertToDatabaseValue(value) : plainValue(value))
  }
}

function insert(em: EntityManager, entity: EntityName<object>, row: object, before: string, after: string): Sql {
  const table = tableOf(em, entity)
  const [names, values, params]: [string[], string[], unknown[]] = [[], [], []]
  addRow(table, row, names, values, params)
  return new RawQueryFragment(
    `insert into ${table.name} (${names.join(', ')}) ${before}${values.join(', ')}${after}`,
    params,
  )
}

/**
 * `insert into … values (…)`: a statement, or the beginning of one that continues with `on conflict` or `returning`, or
 * a part of a larger one. A value may be SQL. A column that is left out or undefined gets the default of its table.
 */
export const insertion = <Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  row: NewRow<Entity>,
): Sql => insert(em, entity as EntityName<object>, row, 'values (', ')')

/** `insert into … select …`, which continues with `from`: the same for as many rows as that finds. */
export const insertSelect = <Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  row: NewRow<Entity>,
): Sql => insert(em, entity as EntityName<object>, row, 'select ', '')

/** A value in a record of JSON, where bytes are text. */
function inRecord({ sealed, name }: Column, value: unknown): string | null {
  if (value == null) return null
  if (sealed && typeof value === 'string') return sealed.convertToDatabaseValue(value)
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
  throw new TypeError(`no value of ${name}`)
}

/**
 * `insert into … select …`, one statement however many rows. `same` is what all rows have in common, and may be SQL;
 * all rows name the same other columns, with plain values.
 * Throws for rows of different columns, undefined, SQL, and if there are no rows.
 */
export function insertions<Entity extends object, Same extends Partial<NewRow<Entity>>>(
  em: EntityManager,
  entity: EntityName<Entity>,
  same: Same,
  rows: readonly Omit<RequiredEntityData<Entity>, keyof Same>[],
): Sql {
  const table = tableOf(em, entity as EntityName<object>)
  if (!rows[0]) throw new Error(`no rows for ${table.name}`)
  const [names, values, params]: [string[], string[], unknown[]] = [[], [], []]
  addRow(table, same, names, values, params)
  const shape = Object.keys(rows[0]).sort().join()
  for (const row of rows) {
    if (Object.keys(row).sort().join() !== shape) throw new Error(`rows of ${table.name} with different columns`)
    for (const [name, value] of Object.entries(row))
      if (value === undefined || isRaw(value))
        throw new Error(`${table.name}.${name} of many rows must be a plain value`)
  }
  const own = Object.keys(rows[0]).map((name) => ({ ...columnIn(table, name), property: name }))
  const columns = own.map(({ name }) => name)
  const encoded = own.filter(({ sealed, isBytes }) => sealed || isBytes)
  const records =
    encoded.length === 0
      ? rows
      : rows.map((row) => ({
          ...row,
          ...Object.fromEntries(encoded.map((one) => [one.property, inRecord(one, Reflect.get(row, one.property))])),
        }))
  return new RawQueryFragment(
    `
      insert into ${table.name} (${[...names, ...columns].join(', ')})
      select ${[...values, ...columns].join(', ')}
      from jsonb_to_recordset(?::jsonb) as x (${own.map(({ definition }) => definition).join(', ')})
    `,
    [...params, jsonText(records)],
  )
}

export const insertRow = async <Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  row: NewRow<Entity>,
): Promise<void> => {
  await em.execute(insertion(em, entity, row))
}
