// Statements that delete expired rows in small batches. A row whose outcome is unknown is never deleted.
import type { EntityManager } from '@mikro-orm/postgresql'
import { column, type Sql, sql } from './database/sql.ts'
import type { Round, Sweep } from './table.ts'

/** The number of rows that a statement has changed. */
export const count = async (em: EntityManager, statement: Sql): Promise<number> =>
  (await em.execute<{ affectedRows: number }>(statement, [], 'run')).affectedRows

// `offset 0` keeps the planner from making a join of it: evaluated only for the rows that are read.
export const none = (query: Sql): Sql => sql`not exists (select 1 from ${query} offset 0)`

/**
 * Locked rows are skipped: another transaction uses or deletes them. The keys are an array, so that the planner fetches
 * the rows by them.
 */
const deletion = (table: string, condition: Sql, order: Sql, batch: number): Sql =>
  sql`
    delete from ${column(table)}
    where id = any (
      array(
        select id
        from ${column(table)}
        where ${condition}
        order by ${order}
        limit ${batch}
        for update skip locked
      )
    )
  `

/** Deletes the first rows, in this order, of which the condition holds: an index has to find them. */
export const expired =
  (order: Sql, condition: (round: Round) => Sql): Sweep =>
  (em, round, table) =>
    count(em, deletion(table, condition(round), order, round.batch))

/**
 * Rows that were settled before, of which `condition` holds; `unused`: rows that wait for a visitor who never came
 * back, for whom nothing will be sent. Ids are ordered by time, and a row is made before it is settled: the primary key
 * finds the rows without another index.
 */
export const settled = (condition = sql`status <> 'unknown'`, unused = sql`false`): Sweep =>
  expired(
    sql`id`,
    ({ floor, before }) => sql`id < ${floor} and (settled_at < to_timestamp(${before}) and ${condition} or ${unused})`,
  )
