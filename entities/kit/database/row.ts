// Columns of every row: our own id, times in Unix seconds, and, except in the global tables, its tenant.
import { p } from '@mikro-orm/core'

export const globalRow = {
  id: p.uuid().primary(),
  created_at: p.bigint('number'),
  updated_at: p.bigint('number'),
}

export const tenantRow = { ...globalRow, tenant_id: p.uuid() }

/** A row as a statement returns it: a column without a value is null, never undefined. */
export type RowOf<Entity, Names extends keyof Entity & string = keyof Entity & string> = {
  [Name in Names]-?: Exclude<Entity[Name], undefined>
}

/** The entity that was read, or made with all columns, as such a row. */
export const asRow = <Entity extends object>(entity: Entity): RowOf<Entity> => entity as Entity & RowOf<Entity>
