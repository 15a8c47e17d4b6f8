// Rows of a hot list as they come, with their tenant's filter and without the unit of work: twice as many per second as entities.
import type { EntityManager, EntityName, FilterQuery } from '@mikro-orm/postgresql'

/** For entities whose columns have no types but the database's own: what is encrypted stays so. Lazy columns are left out. */
export async function plainRows(
  em: EntityManager,
  // biome-ignore lint/suspicious/noExplicitAny: the ORM's name of any entity
  entity: EntityName<any>,
  where: FilterQuery<object>,
  { orderBy, limit }: { orderBy: never; limit: number },
): Promise<unknown[]> {
  const fields = em
    .getMetadata()
    .get(entity)
    .props.filter(({ lazy, persist }) => !lazy && persist !== false)
    .map(({ name }) => name)
  // What is looked through are indexes; of the table only the page's rows are read.
  const page = em.createQueryBuilder(entity).select('id').where(where).orderBy(orderBy).limit(limit)
  await page.applyFilters()
  const query = em
    .createQueryBuilder(entity)
    .select(fields)
    .where({ id: { $in: page.toRaw() } })
    .orderBy(orderBy)
  await query.applyFilters()
  return query.execute('all')
}
