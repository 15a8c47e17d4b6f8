// Rows of a list as they come, with their tenant's filter and without the unit of work: twice as many per second as entities. A page is bounded by what its rows hold, too.
import type { EntityManager, EntityName, FilterQuery } from '@mikro-orm/postgresql'

/** Of a page, as JSON: a hundred records of a megabyte each would be more than a process can hold for four who ask at once. */
const pageBytes = 4 * 1024 * 1024

// biome-ignore lint/suspicious/noExplicitAny: the ORM's name of any entity
type Any = EntityName<any>
/** Children that come with a row: those whose `column` is what the row has in `own`. */
export type Child = { entity: Any; column: string; own: string }
type Window = { sort: string; direction: string; limit: number; children?: readonly Child[] }

const columnsOf = (em: EntityManager, entity: Any) =>
  em
    .getMetadata()
    .get(entity)
    .props.filter(({ lazy, persist }) => !lazy && persist !== false)

/** Bytes of what may be long. What is small and not compressed is not worth being written out; a text's length is known without reading it. */
const bytesOf = (em: EntityManager, entity: Any, alias: string): string =>
  columnsOf(em, entity)
    .flatMap(({ fieldNames: [name], columnTypes: [type], enum: word }) => {
      const at = `${alias}."${name}"`
      if (type === 'text' && !word) return [`coalesce(octet_length(${at}), 0)`]
      const small = `pg_column_size(${at}) < 1000 and pg_column_compression(${at}) is null`
      return type === 'jsonb' ? [`coalesce(case when ${small} then pg_column_size(${at}) else octet_length(${at}::text) end, 0)`] : []
    })
    .join(' + ') || '0'

/**
 * A page: at most `limit` rows, and after the first only those before which there are less than 4 MiB, their children counted; `more`: others follow.
 * One row after the other, so that what is not shown is not measured either. Lazy columns are left out.
 */
async function pageOf(em: EntityManager, entity: Any, where: FilterQuery<object>, { sort, direction, limit, children = [] }: Window) {
  const { tableName } = em.getMetadata().get(entity)
  // What is looked through are indexes; of the table only the page's rows are read.
  const page = em
    .createQueryBuilder(entity)
    .select('id')
    .where(where)
    .orderBy({ [sort]: direction, id: direction } as never)
    .limit(limit + 1)
  await page.applyFilters()
  const { sql, params } = page.toQuery()
  const names = columnsOf(em, entity).map(({ fieldNames }) => `"${fieldNames[0]}"`)
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

/** Rows as they come: what is encrypted stays so. */
export async function plainRows(em: EntityManager, entity: Any, where: FilterQuery<object>, window: Window) {
  const { rows, more } = await pageOf(em, entity, where, window)
  const meta = em.getMetadata().get(entity)
  return { rows: rows.map((row) => em.getDriver().mapResult(row, meta)), more }
}

/** The same rows as entities. */
export async function entityRows(em: EntityManager, entity: Any, where: FilterQuery<object>, window: Window) {
  const { rows, more } = await pageOf(em, entity, where, window)
  return { rows: rows.map((row) => em.map(entity, row)), more }
}
