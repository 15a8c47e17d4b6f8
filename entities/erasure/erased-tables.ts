// Deletes the rows of a tenant from every table with a column `tenant_id`. The tables are read from the catalogue of
// the database: a table that a migration adds needs no declaration.
import type { EntityManager } from '@mikro-orm/postgresql'
import { deletionOrder, type ErasedTable } from '../../rules/erasure/erasures.ts'
import { column, type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

/** Returns every table with a column `tenant_id`, in the order in which rows can be deleted: referring tables first. */
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

/** Rows that one statement deletes. */
const ROWS_MAX = 1_000
/** Rows of all tenants that one statement reads, where no index finds those of one tenant. */
const READ_MAX = 20_000

/** `last`: the id after which the next statement continues; null after the last one. */
type BatchResult = {
  last: string | null
  deleted: number
  /** Rows that another transaction has locked, or that cannot be deleted yet. */
  kept: number
}

const countRows = async (em: EntityManager, table: string, tenantId: string): Promise<number> => {
  const [count]: { kept: number }[] = await em.execute(
    sql`select count(*)::int as kept from ${column(table)} where tenant_id = ${tenantId}`,
  )
  return count?.kept ?? 0
}

async function deleteRows(em: EntityManager, table: string, tenantId: string, key: Sql, keys: Sql): Promise<number> {
  const statement = sql`delete from ${column(table)} where tenant_id = ${tenantId} and ${key} = any (${keys})`
  return (await em.execute<{ affectedRows: number }>(statement, [], 'run')).affectedRows
}

/** Finds rows by an index on the tenant, until only rows remain that cannot be deleted now. */
async function byTenant(
  em: EntityManager,
  { name }: ErasedTable,
  tenantId: string,
  after: string,
  isKept: Sql,
): Promise<BatchResult> {
  // Rows that another transaction has locked are skipped: the next slice finds them.
  const keys = sql`
    array(
      select ctid
      from ${column(name)}
      where tenant_id = ${tenantId} and not ${isKept}
      limit ${ROWS_MAX}
      for update skip locked
    )
  `
  const deleted = await deleteRows(em, name, tenantId, sql`ctid`, keys)
  return deleted === ROWS_MAX
    ? { last: after, deleted, kept: 0 }
    : { last: null, deleted, kept: await countRows(em, name, tenantId) }
}

/** Walks the primary key, past the rows of other tenants: the table is read once. */
async function byId(
  em: EntityManager,
  { name }: ErasedTable,
  tenantId: string,
  after: string,
  isKept: Sql,
): Promise<BatchResult> {
  const table = column(name)
  // Rows that another transaction has locked are skipped: the next slice finds them.
  const [batch]: { read: number; named: number; last: string | null; last_named: string | null; deleted: number }[] =
    await em.execute(sql`
      with page as materialized (
        select id, tenant_id from ${table} where id > ${after}::uuid order by id limit ${READ_MAX}
      ),
      tenant_rows as materialized (
        select id from page where tenant_id = ${tenantId} order by id limit ${ROWS_MAX}
      ),
      deleted_rows as (
        delete from ${table}
        where tenant_id = ${tenantId}
          and ctid = any (
            array(
              select ctid
              from ${table}
              where id in (select id from tenant_rows) and not ${isKept}
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
  if (!batch) throw new Error('an aggregate returns a row')
  const next = batch.named === ROWS_MAX ? batch.last_named : batch.read === READ_MAX ? batch.last : null
  return { last: next, deleted: batch.deleted, kept: batch.named - batch.deleted }
}

/** Deletes up to 1,000 rows of a tenant, except those of `isKept` (awaited-rows.ts). Requires a transaction. */
export const eraseRows = (
  em: EntityManager,
  table: ErasedTable,
  tenantId: string,
  after: string,
  isKept: Sql,
): Promise<BatchResult> =>
  table.by_tenant || !table.has_id
    ? byTenant(em, table, tenantId, after, isKept)
    : byId(em, table, tenantId, after, isKept)

/** Deletes the rows of a table with these ids. Without ids, the table has only rows that cannot be deleted now. */
export async function eraseThese(
  em: EntityManager,
  { name }: ErasedTable,
  tenantId: string,
  ids: readonly string[],
  after: string,
): Promise<BatchResult> {
  if (ids.length === 0) return { last: null, deleted: 0, kept: await countRows(em, name, tenantId) }
  return { last: after, deleted: await deleteRows(em, name, tenantId, sql`id`, uuids(ids)), kept: 0 }
}
