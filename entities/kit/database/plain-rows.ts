// Pages of rows with the tenant's filter and without the unit of work, at twice the rate of entities. A page is also
// bounded by its size in bytes.
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql'
import { type AnyEntity, readColumns } from './columns.ts'

/**
 * The bytes of a page as JSON: four concurrent pages of a hundred records of a megabyte would exceed the memory of a
 * process.
 */
const pageBytes = 4 * 1024 * 1024

/** Children that are read with a row: those whose `column` equals the row's `own`. */
export type Child = { entity: AnyEntity; column: string; own: string }
type Window = { sort: string; direction: string; limit: number; children?: readonly Child[] }

/**
 * Bytes of the columns that may be long. Small uncompressed values are not serialized to be measured; the length of a
 * text is known without reading it.
 */
const bytesOf = (em: EntityManager, entity: AnyEntity, alias: string): string =>
  readColumns(em, entity)
    .flatMap(({ fieldNames: [name], columnTypes: [type], enum: word }) => {
      const at = `${alias}."${name}"`
      if (type === 'text' && !word) return [`coalesce(octet_length(${at}), 0)`]
      const small = `pg_column_size(${at}) < 1000 and pg_column_compression(${at}) is null`
      return type === 'jsonb'
        ? [`coalesce(case when ${small} then pg_column_size(${at}) else octet_length(${at}::text) end, 0)`]
        : []
    })
    .join(' + ') || '0'

/**
 * A page: at most `limit` rows, and after the first only rows that less than 4 MiB precede, their children included;
 * `more`: others follow. Walks row by row, so that rows beyond the page are not measured. Lazy columns are left out.
 */
async function pageOf(
  em: EntityManager,
  entity: AnyEntity,
  where: FilterQuery<object>,
  { sort, direction, limit, children = [] }: Window,
) {
  const { tableName } = em.getMetadata().get(entity)
  // The search reads indexes; only the page's rows are read from the table.
  const page = em
    .createQueryBuilder(entity)
    .select('id')
    .where(where)
    .orderBy({ [sort]: direction, id: direction })
    .limit(limit + 1)
  await page.applyFilters()
  const { sql, params } = page.toQuery()
  const names = readColumns(em, entity).map(({ fieldNames }) => `"${fieldNames[0]}"`)
  const columns = names.map((name) => `t.${name}`).join(', ')
  const below = children.map(
    ({ entity: child, column, own }) =>
      `coalesce((select sum(${bytesOf(em, child, 'c')}) from "${em.getMetadata().get(child).tableName}" c where c."${column}" = w."${own}" and c.tenant_id = w.tenant_id), 0)`,
  )
  const rows: Record<string, unknown>[] = await em.execute(
    `with recursive page as materialized (select array(${sql}) as ids), walk as (
       select ${columns}, 1 as place, 0::bigint as before, cardinality(p.ids) > 1 as follows from page p join "${tableName}" t on t.id = p.ids[1]
       union all
       select ${columns}, w.place + 1, (w.before + ${[bytesOf(em, entity, 'w'), ...below].join(' + ')})::bigint, cardinality(p.ids) > w.place + 1
       from walk w cross join page p join "${tableName}" t on t.id = p.ids[w.place + 1] where w.place < ${limit} and w.before < ${pageBytes}
     ) select ${names.join(', ')}, follows from walk where before < ${pageBytes} order by place`,
    [...params],
  )
  const more = rows.at(-1)?.follows === true
  for (const row of rows) delete row.follows
  return { rows, more }
}

/** Plain rows; encrypted columns stay encrypted. */
export async function plainRows(em: EntityManager, entity: AnyEntity, where: FilterQuery<object>, window: Window) {
  const { rows, more } = await pageOf(em, entity, where, window)
  const meta = em.getMetadata().get(entity)
  return { rows: rows.map((row) => em.getDriver().mapResult(row, meta)), more }
}

/** The same rows as entities. */
export async function entityRows(em: EntityManager, entity: AnyEntity, where: FilterQuery<object>, window: Window) {
  const { rows, more } = await pageOf(em, entity, where, window)
  return { rows: rows.map((row) => em.map(entity, row)), more }
}
