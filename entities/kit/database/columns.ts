// The columns of an entity, for statements that are made from it.
import type { EntityManager, EntityName, EntityProperty } from '@mikro-orm/postgresql'
import { column, join, type Sql, sql, text } from './sql.ts'

// biome-ignore lint/suspicious/noExplicitAny: the ORM's name of any entity
export type AnyEntity = EntityName<any>

/** The columns that a read of the row returns. Lazy columns are returned only if they are named. */
export const readColumns = (em: EntityManager, entity: AnyEntity): EntityProperty[] =>
  em
    .getMetadata()
    .get(entity)
    .props.filter(({ lazy, persist }) => !lazy && persist !== false)

/** The same as a list for `select` or `returning`, of the table or of its alias. */
export const columnsOf = (em: EntityManager, entity: AnyEntity, alias?: string): Sql =>
  join(
    readColumns(em, entity).map(({ fieldNames }) => {
      const name = column(fieldNames[0] as string)
      return alias ? sql`${text(alias)}.${name}` : name
    }),
  )
