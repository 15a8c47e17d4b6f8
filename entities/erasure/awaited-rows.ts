// The rows that the erasure of a tenant waits for, as the register of tables declares them. An awaited row is deleted
// only after an operator continued the erasure without it, and the erasure has a copy of it.
import type { EntityManager } from '@mikro-orm/postgresql'
import { effects } from '../../rules/effects.ts'
import type { Continued, ErasureStatus, OpenOutcomes, OpenRow } from '../../rules/erasure/erasures.ts'
import { column, join, type Sql, sql } from '../kit/database/sql.ts'
import { isInFlight } from '../kit/erasure-conditions.ts'
import { uuids } from '../kit/ids.ts'
import type { CopiedColumns } from '../kit/table.ts'
import { tables } from '../tables.ts'

const effectTables = new Set<string>(Object.values(effects).map(({ table }) => table))

const copiedIds = (open: OpenOutcomes | null, table: string): string[] =>
  (open?.rows ?? []).filter((row) => row.table === table).map(({ id }) => id)

/**
 * The row cannot be deleted now: it is in flight, or is awaited and the erasure has no copy of it. A condition on
 * rows of this table, which has no alias. `now` in Unix seconds.
 */
export function isKept(
  table: string,
  { status, open }: { status: ErasureStatus; open: OpenOutcomes | null },
  now: number,
): Sql {
  const { awaits, money } = tables[table]?.erasure ?? {}
  const inFlight = effectTables.has(table)
    ? sql`(${isInFlight} and not ${money?.isAccepted ?? sql`false`})`
    : sql`false`
  if (!awaits || !money || (status !== 'deleting' && !money.includesLate)) return inFlight
  const isAwaited = sql`coalesce(${awaits(now)}, false) and id <> all (${uuids(copiedIds(open, table))})`
  return money.isReferred ? sql`(${isAwaited} or ${money.isReferred})` : sql`(${inFlight} or ${isAwaited})`
}

/** Rows by table. */
export type Counts = Record<string, number>

/** A condition: the awaited rows of a table without which the erasure does not continue. */
function isRequired(table: string, continued: Continued | null, now: number): Sql {
  const money = tables[table]?.erasure.money
  if (money && continued)
    return continued.plans ? money.proceeds(now) : sql`(${money.proceeds(now)} or ${money.isOfPlan})`
  const all = continued ? sql`false` : sql`true`
  return effectTables.has(table) && !money ? sql`${all} or ${isInFlight}` : all
}

/**
 * Counts the rows that the erasure waits for, by table, in one statement. After an operator continued it, these are
 * only rows that proceed without one, and those of plans unless `plans` is set. `now` in Unix seconds.
 */
export async function awaitedRows(
  em: EntityManager,
  tenantId: string,
  continued: Continued | null,
  now: number,
): Promise<Counts> {
  const counts = Object.entries(tables).flatMap(([table, { erasure }]) =>
    erasure.awaits
      ? sql`
          select ${table}::text as name, count(*)::int as rows
          from ${column(table)}
          where tenant_id = ${tenantId}
            and (${erasure.awaits(now)})
            and (${isRequired(table, continued, now)})
        `
      : [],
  )
  const rows: { name: string; rows: number }[] = await em.execute(sql`
    select name, rows
    from (${join(counts, ' union all ')}) a
    where rows > 0
  `)
  return Object.fromEntries(rows.map((row) => [row.name, row.rows]))
}

const copiedColumns = (
  table: string,
  { status, amount, currency, account, intent, object, order, subscription }: CopiedColumns,
): Sql => {
  const none = sql`null`
  return sql`
    ${table}::text as table, id, ${status ?? none}::text as status, ${amount ?? none}::float8 as amount,
    ${currency ?? none}::text as currency, ${order ?? none}::uuid as order_id,
    ${subscription ?? none}::uuid as subscription_id, ${account ?? none}::text as provider_account_id,
    ${intent ?? none}::text as provider_payment_id, ${object ?? none}::text as provider_object_id
  `
}

/** Reads the awaited rows about money, or those with some ids, as the erasure copies them. `now` in Unix seconds. */
export async function openRows(
  em: EntityManager,
  tenantId: string,
  of: 'awaited' | readonly string[],
  now: number,
): Promise<OpenRow[]> {
  const parts = Object.entries(tables).flatMap(([table, { erasure }]) => {
    if (!erasure.money) return []
    const where = of === 'awaited' ? erasure.awaits(now) : sql`id = any (${uuids(of)})`
    return sql`
      select ${copiedColumns(table, erasure.money.copy)}
      from ${column(table)}
      where tenant_id = ${tenantId} and ${where}
    `
  })
  return em.execute(sql`select * from (${join(parts, ' union all ')}) a order by id`)
}
