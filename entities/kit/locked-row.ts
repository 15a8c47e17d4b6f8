// A record that is about to change is held so that two changes of it go one after the other, and whoever merely refers to it waits for neither.
import type { EntityManager, EntityName } from '@mikro-orm/postgresql'
import { notFound } from '../../rules/refusal.ts'

/**
 * The tenant's record, held until the transaction ends. The ORM's own lock is `for update`, which keeps those out who begin to refer to the record too: two
 * that refer to each other could not be changed at once. 404, as `what`.
 */
export async function heldForChange<Row extends { id: string }>(em: EntityManager, entity: EntityName<Row>, id: string, what: string): Promise<Row> {
  const columns = em
    .getMetadata()
    .get(entity)
    .props.filter(({ lazy, persist }) => !lazy && persist !== false)
    .map(({ name }) => name)
  const query = em
    .createQueryBuilder(entity)
    .select(columns as never)
    .where({ id } as never)
  await query.applyFilters()
  const { sql, params } = query.toQuery()
  const rows: Row[] = await em.execute(`${sql} for no key update`, [...params])
  if (!rows[0]) throw notFound(what)
  return em.map(entity, rows[0] as never) as unknown as Row
}
