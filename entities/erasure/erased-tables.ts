// The tables with rows of tenants, as the database knows them: a table that a migration adds is erased without being named anywhere.
import type { EntityManager } from '@mikro-orm/postgresql'
import { deletionOrder, type ErasedTable } from '../../rules/erasure/erasures.ts'
import { column, type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

/** Every table with a column `tenant_id`, in the order in which its rows can be deleted. */
export async function erasedTables(em: EntityManager): Promise<ErasedTable[]> {
  const tables: ErasedTable[] = await em.execute(sql`
    select c.relname as name,
      exists (
        select 1
        from pg_attribute i
        where i.attrelid = c.oid and i.attname = 'id' and not i.attisdropped
      ) as has_id,
      exists (
        select 1
        from pg_index x
        where x.indrelid = c.oid and x.indkey[0] = a.attnum and x.indpred is null
      ) as by_tenant,
      array(
        select distinct r.relname::text
        from pg_constraint k
        join pg_class r on r.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and r.oid <> c.oid
      ) as refers
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
  `)
  return deletionOrder(tables)
}

const rowsMax = 1_000
/** Rows of all tenants that one statement looks at, where no index finds those of one tenant. */
const readMax = 20_000

export type Erased = {
  /** Where the next statement goes on; null after the last. */
  last: string | null
  deleted: number
  /** Rows that another transaction has locked, or that cannot be deleted yet. */
  kept: number
}

const keptRows = async (em: EntityManager, table: string, tenantId: string): Promise<number> => {
  const [left]: { kept: number }[] = await em.execute(
    sql`select count(*)::int as kept from ${column(table)} where tenant_id = ${tenantId}`,
  )
  return left?.kept ?? 0
}

async function deleted(em: EntityManager, table: string, tenantId: string, key: Sql, keys: Sql): Promise<number> {
  const statement = sql`delete from ${column(table)} where tenant_id = ${tenantId} and ${key} = any (${keys})`
  return (await em.execute<{ affectedRows: number }>(statement, [], 'run')).affectedRows
}

/** By the index of the tenant, until only rows are left that cannot be deleted now. */
async function byTenant(
  em: EntityManager,
  { name }: ErasedTable,
  tenantId: string,
  after: string,
  kept: Sql,
): Promise<Erased> {
  // Rows that another transaction has locked are skipped: the next slice finds them.
  const found = sql`
    array(
      select ctid
      from ${column(name)}
      where tenant_id = ${tenantId} and not ${kept}
      limit ${rowsMax}
      for update skip locked
    )
  `
  const count = await deleted(em, name, tenantId, sql`ctid`, found)
  return count === rowsMax
    ? { last: after, deleted: count, kept: 0 }
    : { last: null, deleted: count, kept: await keptRows(em, name, tenantId) }
}

/** By the primary key, past the rows of other tenants: the table is read once. */
async function byId(
  em: EntityManager,
  { name }: ErasedTable,
  tenantId: string,
  after: string,
  kept: Sql,
): Promise<Erased> {
  const table = column(name)
  // Rows that another transaction has locked are skipped: the next slice finds them.
  const [found]: { read: number; named: number; last: string | null; last_named: string | null; deleted: number }[] =
    await em.execute(sql`
      with page as materialized (
        select id, tenant_id from ${table} where id > ${after}::uuid order by id limit ${readMax}
      ),
      tenant_rows as materialized (
        select id from page where tenant_id = ${tenantId} order by id limit ${rowsMax}
      ),
      deleted_rows as (
        delete from ${table}
        where tenant_id = ${tenantId}
          and ctid = any (
            array(
              select ctid
              from ${table}
              where id in (select id from tenant_rows) and not ${kept}
              for update skip locked
            )
          )
        returning 1
      )
      select (select count(*)::int from page) as read, (select count(*)::int from tenant_rows) as named,
        (select id from page order by id desc limit 1) as last,
        (select id from tenant_rows order by id desc limit 1) as last_named,
        (select count(*)::int from deleted_rows) as deleted
    `)
  if (!found) throw new Error('an aggregate returns a row')
  const next = found.named === rowsMax ? found.last_named : found.read === readMax ? found.last : null
  return { last: next, deleted: found.deleted, kept: found.named - found.deleted }
}

/** Deletes up to 1,000 rows of a tenant, but for those that are `kept` (awaited-rows.ts). Requires a transaction. */
export const eraseRows = (
  em: EntityManager,
  table: ErasedTable,
  tenantId: string,
  after: string,
  kept: Sql,
): Promise<Erased> =>
  table.by_tenant || !table.has_id ? byTenant(em, table, tenantId, after, kept) : byId(em, table, tenantId, after, kept)

/** Deletes these rows of a table; without any, the table has only rows that cannot be deleted now. */
export async function eraseThese(
  em: EntityManager,
  { name }: ErasedTable,
  tenantId: string,
  ids: readonly string[],
  after: string,
): Promise<Erased> {
  if (ids.length === 0) return { last: null, deleted: 0, kept: await keptRows(em, name, tenantId) }
  return { last: after, deleted: await deleted(em, name, tenantId, sql`id`, uuids(ids)), kept: 0 }
}
