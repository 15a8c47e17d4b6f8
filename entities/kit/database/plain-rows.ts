// Pages of rows with the tenant's filter and without the unit of work, at twice the rate of entities. A page is also
// bounded by its size in bytes.
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql'
import { type AnyEntity, readColumns } from './columns.ts'
import { column, join, type Sql, sql, text } from './sql.ts'

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
function bytesOf(em: EntityManager, entity: AnyEntity, alias: string): Sql {
  const lengths = readColumns(em, entity).flatMap(({ fieldNames: [name], columnTypes: [type], enum: word }) => {
    const at = text(`${alias}."${name}"`)
    if (type === 'text' && !word) return [sql`coalesce(octet_length(${at}), 0)`]
    const small = sql`pg_column_size(${at}) < 1000 and pg_column_compression(${at}) is null`
    return type === 'jsonb'
      ? [sql`coalesce(case when ${small} then pg_column_size(${at}) else octet_length(${at}::text) end, 0)`]
      : []
  })
  return lengths.length > 0 ? join(lengths, ' + ') : sql`0`
}

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
  const names = readColumns(em, entity).map(({ fieldNames: [name] }) => column(name as string))
  const columns = join(names.map((name) => sql`t.${name}`))
  const below = children.map(({ entity: child, column: parent, own }) => {
    const table = column(em.getMetadata().get(child).tableName)
    return sql`
      coalesce(
        (
          select sum(${bytesOf(em, child, 'c')})
          from ${table} c
          where c.${column(parent)} = w.${column(own)} and c.tenant_id = w.tenant_id
        ),
        0
      )
    `
  })
  const [most, bytes] = [text(`${limit}`), text(`${pageBytes}`)]
  const rows: Record<string, unknown>[] = await em.execute(sql`
    with recursive page as materialized (select array(${page.toRaw()}) as ids),
    walk as (
      select ${columns}, 1 as place, 0::bigint as before, cardinality(p.ids) > 1 as follows
      from page p
      join ${column(tableName)} t on t.id = p.ids[1]
      union all
      select ${columns}, w.place + 1, (w.before + ${join([bytesOf(em, entity, 'w'), ...below], ' + ')})::bigint,
        cardinality(p.ids) > w.place + 1
      from walk w
      cross join page p
      join ${column(tableName)} t on t.id = p.ids[w.place + 1]
      where w.place < ${most} and w.before < ${bytes}
    )
    select ${join(names)}, follows
    from walk
    where before < ${bytes}
    order by place
  `)
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
