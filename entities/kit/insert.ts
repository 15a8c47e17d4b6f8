// New rows as statements made from the entity, which alone names columns, their types, and which of them are encrypted.

import { isRaw } from '@mikro-orm/core'
import type { EntityManager, EntityName, EntityProperty, RequiredEntityData } from '@mikro-orm/postgresql'
import { Encrypted } from './encrypted.ts'
import { column, join, type Sql, sql, text } from './sql.ts'

type Column = { name: string; type: string; toDatabase: (value: unknown) => unknown }
type Table = { name: string; columns: Map<string, Column> }

const tables = new WeakMap<object, Table>()

function columnOf({ fieldNames, columnTypes, customType }: EntityProperty): Column {
  // A cast to varchar(n) would cut the text; the table refuses one that is too long.
  const type = (columnTypes[0] as string).replace(/^(varchar|char)\(\d+\)$/, 'text')
  const sealed = customType instanceof Encrypted ? customType : null
  return { name: fieldNames[0] as string, type, toDatabase: (value) => (sealed ? sealed.convertToDatabaseValue(value as string | null) : value) }
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

/** The columns that a row gives a value to, in its order. Throws for a name that is no column. */
function columnsIn({ name: table, columns }: Table, row: object): { column: Column; value: unknown }[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const found = columns.get(name)
    if (!found) throw new Error(`${table} has no column ${name}`)
    return value === undefined ? [] : [{ column: found, value }]
  })
}

const literal = ({ column: { type, toDatabase }, value }: { column: Column; value: unknown }): Sql => {
  if (isRaw(value)) return value
  const stored = toDatabase(value)
  return sql`${(type === 'jsonb' && stored !== null ? JSON.stringify(stored) : stored) as string | null}`
}

const names = (columns: readonly Column[]): Sql => join(columns.map(({ name }) => column(name)))

function parts<Entity extends object>(em: EntityManager, entity: EntityName<Entity>, row: RequiredEntityData<Entity>) {
  const table = tableOf(em, entity as EntityName<object>)
  const given = columnsIn(table, row)
  return { into: sql`insert into ${text(table.name)} (${names(given.map(({ column }) => column))})`, values: join(given.map(literal)) }
}

/**
 * `insert into … values (…)`: a statement, or the beginning of one that goes on with `on conflict` or `returning`, or a part of a larger one. A value may be
 * SQL. A column that is left out or undefined gets the default of its table.
 */
export function insertion<Entity extends object>(em: EntityManager, entity: EntityName<Entity>, row: RequiredEntityData<Entity>): Sql {
  const { into, values } = parts(em, entity, row)
  return sql`${into} values (${values})`
}

/** `insert into … select …`, which goes on with `from`: the same for as many rows as that finds. */
export function insertSelect<Entity extends object>(em: EntityManager, entity: EntityName<Entity>, row: RequiredEntityData<Entity>): Sql {
  const { into, values } = parts(em, entity, row)
  return sql`${into} select ${values}`
}

/**
 * `insert into … select …`, one statement however many rows. `same` is what all rows have in common, and may be SQL; every row names the same other columns.
 * Throws if there are no rows.
 */
export function insertions<Entity extends object, Same extends Partial<RequiredEntityData<Entity>>>(
  em: EntityManager,
  entity: EntityName<Entity>,
  same: Same,
  rows: readonly Omit<RequiredEntityData<Entity>, keyof Same>[],
): Sql {
  const table = tableOf(em, entity as EntityName<object>)
  if (!rows[0]) throw new Error(`no rows for ${table.name}`)
  const common = columnsIn(table, same)
  const own = columnsIn(table, rows[0]).map(({ column }) => column)
  const values = rows.map((row) => Object.fromEntries(columnsIn(table, row).map(({ column, value }) => [column.name, column.toDatabase(value)])))
  return sql`insert into ${text(table.name)} (${names([...common.map(({ column }) => column), ...own])})
    select ${join([...common.map(literal), ...own.map(({ name }) => column(name))])}
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as x (${join(own.map(({ name, type }) => text(`"${name}" ${type}`)))})`
}

export const insertRow = async <Entity extends object>(em: EntityManager, entity: EntityName<Entity>, row: RequiredEntityData<Entity>): Promise<void> => {
  await em.execute(insertion(em, entity, row))
}
