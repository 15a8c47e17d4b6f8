// One request is one transaction on one connection. Routes never commit: this file does.
//   await unit(orm, async (em) => { … })   → committed, or rolled back
import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { isContention } from '../../entities/kit/database/database-errors.ts'
import { type Orm, unitOf } from '../../entities/kit/database/orm.ts'
import { Refusal } from '../../rules/refusal.ts'

/** A refusal with `commit` is treated as a result until the transaction is committed. */
function committed(error: unknown): Refusal {
  if (error instanceof Refusal && error.details.commit) return error
  throw error
}

/**
 * The database refused to go on, or the work found that another request had changed what it read
 * (`database_unavailable`): nothing is committed.
 */
const isRepeatable = (error: unknown): boolean =>
  isContention(error) || (error instanceof Refusal && error.code === 'database_unavailable')

/** Upper bounds of the random pause before each retry, 2 s in all. No connection is held during a pause. */
const pauses_ms = [10, 25, 50, 100, 200, 400, 600, 600]

/** Waits before the next try, or throws the error. */
async function again(error: unknown, tries: number): Promise<void> {
  const pause_ms = pauses_ms[tries]
  if (!isRepeatable(error) || pause_ms === undefined) throw error
  await pause(Math.random() * pause_ms)
}

/**
 * Runs `work` in a transaction. A refusal with `commit` commits the transaction and is thrown. Serialization failures,
 * deadlocks and 503 `database_unavailable` are retried eight times.
 */
export async function unit<T>(
  orm: Orm,
  work: (em: EntityManager) => Promise<T>,
): Promise<{ em: EntityManager; result: T }> {
  for (let tries = 0; ; tries++) {
    const em = unitOf(orm, null)
    await em.begin()
    let result: T | Refusal
    try {
      result = await work(em).catch(committed)
      await em.commit()
    } catch (error) {
      // A failed commit keeps its connection until it is rolled back.
      await em.rollback().catch(() => {})
      await again(error, tries)
      continue
    }
    if (result instanceof Refusal) throw result
    return { em, result }
  }
}

/**
 * Runs `work` without a transaction, for reads and for changes of one statement. Retried as `unit`: a statement that
 * failed has changed nothing.
 */
export async function look<T>(
  orm: Orm,
  work: (em: EntityManager) => Promise<T>,
): Promise<{ em: EntityManager; result: T }> {
  for (let tries = 0; ; tries++) {
    const em = unitOf(orm, null)
    try {
      return { em, result: await work(em) }
    } catch (error) {
      await again(error, tries)
    }
  }
}
