// Statements that PostgreSQL parses once for each connection, and soon plans once: those of every request, and those of
// which hundreds come in a second.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type pg from 'pg'
import type { Sql } from './sql.ts'

type Prepared = { name: string; text: string }
const known = new Map<string, Prepared>()

/** A name that no other text has, also where processes of two versions share connections. */
function preparedOf(statement: string): Prepared {
  const found = known.get(statement)
  if (found) return found
  let at = 0
  const text = statement.replaceAll('?', () => `$${++at}`)
  const made = { name: `till_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, text }
  known.set(statement, made)
  return made
}

const pools = new WeakMap<object, pg.Pool>()
async function openPool(connection: { getNativeClient?(): Promise<unknown> }): Promise<pg.Pool> {
  const pool = (await connection.getNativeClient?.()) as pg.Pool
  pools.set(connection, pool)
  return pool
}

/**
 * The tables are others than those that the plan was made for, or the server does not know the name: the statement was
 * not executed.
 */
const isForgotten = (error: unknown): boolean => ['0A000', '26000'].includes((error as { code?: string }).code ?? '')

/**
 * The rows of a statement. Its text must not depend on what a caller sent, as every connection keeps each text; a value
 * in a list of columns needs a cast, without which it is a text. In a transaction it is sent like any other one: the
 * first statement shares a message with BEGIN.
 */
export async function prepared<Row>(em: EntityManager, statement: Sql): Promise<Row[]> {
  if (em.isInTransaction() || em.config.getLogger().isEnabled('query')) return em.execute(statement)
  const values = [...statement.params]
  const { name, text } = preparedOf(em.config.get('onQuery')(statement.sql, values))
  const connection = em.getConnection()
  let client: pg.PoolClient | undefined
  let forgotten = false
  try {
    client = await (pools.get(connection) ?? (await openPool(connection as object))).connect()
    const { rows } = await client.query({ name, text, values })
    return rows as Row[]
  } catch (error) {
    forgotten = isForgotten(error)
    if (!forgotten)
      throw em
        .getPlatform()
        .getExceptionConverter()
        .convertException(error as Error)
  } finally {
    // A connection that has lost a statement is closed, as it may have lost others.
    client?.release(forgotten)
  }
  return em.execute(statement)
}
