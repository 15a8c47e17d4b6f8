// A migration that builds indexes concurrently. Interrupted, it continues with the index that is missing or invalid.
import { Migration } from '@mikro-orm/migrations'
import type { PostgreSqlConnection } from '@mikro-orm/postgresql'
import type { PoolClient } from 'pg'
import { text } from './sql.ts'

const shape = /^create (?:unique )?index concurrently "(\w+)" on "(\w+)" /

const indexByName = text(`
  select indisvalid as valid, pg_get_indexdef(indexrelid, 0, true) as definition
  from pg_index
  where indrelid = to_regclass($2) and indexrelid = to_regclass($1)`).sql

type Index = { valid: boolean; definition: string }

/** The name `table` is looked up first, so that a lock request for it reads no catalogue, and holds no snapshot. */
async function indexOf(db: PoolClient, name: string, table: string): Promise<Index | undefined> {
  const { rows } = await db.query<Index>(indexByName, [`"${name}"`, `"${table}"`])
  return rows[0]
}

/** What PostgreSQL calls the index of this statement: it is created on an empty table of the same columns. */
async function definitionOf(db: PoolClient, statement: string, name: string, table: string): Promise<string> {
  await db.query('begin')
  try {
    // An unqualified name means the temporary table from here on.
    await db.query(`create temporary table "${table}" (like "${table}") on commit drop`)
    await db.query(statement.replace(' concurrently ', ' '))
    return (await indexOf(db, name, table))?.definition ?? ''
  } finally {
    await db.query('rollback')
  }
}

async function build(db: PoolClient, statement: string, name: string, table: string): Promise<void> {
  const isWanted = async (index: Index | undefined) =>
    index?.valid && index.definition === (await definitionOf(db, statement, name, table))
  if (await isWanted(await indexOf(db, name, table))) return
  // A migration whose process was ended may still build it. It holds this lock until it is finished.
  await db.query(`begin; lock table "${table}" in share update exclusive mode; commit`)
  const index = await indexOf(db, name, table)
  if (await isWanted(index)) return
  if (index) await db.query(`drop index concurrently "${name}"`)
  await db.query(statement)
}

/**
 * Runs outside of a transaction. Statements are sent in the order in which they are written: `buildIndex` and
 * `dropIndex` send first what `addSql` has collected.
 */
export abstract class IndexMigration extends Migration {
  override isTransactional(): boolean {
    return false
  }

  /**
   * Executes `create [unique] index concurrently "name" on "table" …`, unless there is a valid index of this name and
   * definition. One that is invalid or has another definition is dropped before. Waits for locks and for transactions
   * as long as they last: neither blocks readers and writers.
   */
  async buildIndex(statement: string): Promise<void> {
    const [, name, table] = shape.exec(statement) ?? []
    if (!name || !table) throw new Error(`this statement builds no index concurrently: ${statement}`)
    await this.#withoutTimeouts((db) => build(db, statement, name, table))
  }

  /** Drops an index if it exists. Waits as `buildIndex` does. */
  async dropIndex(name: string): Promise<void> {
    await this.#withoutTimeouts((db) => db.query(`drop index concurrently if exists "${name}"`))
  }

  async #withoutTimeouts(work: (db: PoolClient) => Promise<unknown>): Promise<void> {
    for (const added of this.getQueries().splice(0)) await this.execute(added)
    const pool = await (this.driver.getConnection() as PostgreSqlConnection).getNativeClient()
    const db = await pool.connect()
    try {
      await db.query('set lock_timeout = 0; set statement_timeout = 0')
      await work(db)
      await db.query('reset lock_timeout; reset statement_timeout')
      db.release()
    } catch (error) {
      // Its settings go with it.
      db.release(true)
      throw error
    }
  }
}
