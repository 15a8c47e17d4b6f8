// Locks a record for a change: changes of it are serialized, and transactions that only refer to it do not wait.
import type { EntityKey, EntityManager, EntityName, QBFilterQuery } from '@mikro-orm/postgresql'
import { notFound } from '../../rules/refusal.ts'
import { readColumns } from './database/columns.ts'
import { sql } from './database/sql.ts'

/**
 * Reads and locks the tenant's record until the transaction ends. The ORM's own lock is `for update`, which also blocks
 * transactions that begin to refer to the record: two records that refer to each other could not be changed
 * concurrently. 404, as `what`.
 */
export async function lockForChange<Row extends { id: string }>(
  em: EntityManager,
  entity: EntityName<Row>,
  id: string,
  what: string,
): Promise<Row> {
  const columns = readColumns(em, entity).map(({ name }) => name)
  const query = em
    .createQueryBuilder(entity)
    .select(columns as EntityKey<Row>[])
    .where({ id } as QBFilterQuery<Row>)
  await query.applyFilters()
  const rows: Row[] = await em.execute(sql`${query.toRaw()} for no key update`)
  if (!rows[0]) throw notFound(what)
  return em.map(entity, rows[0])
}
