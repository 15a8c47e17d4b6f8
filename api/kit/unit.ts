// One request is one transaction on one connection; nobody but this file commits.
//   await unit(orm, async (em) => { … })   → committed, or nothing happened
import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Orm, unitOf } from '../../entities/kit/orm.ts'
import { Refusal } from '../../rules/refusal.ts'
import { isContention } from './errors.ts'

/** A refusal that must leave a trace is a result until it is committed. */
function kept(error: unknown): Refusal {
  if (error instanceof Refusal && error.details.kept) return error
  throw error
}

/** At most, before each other try; at random, so that those who were in each other's way do not meet again. Without a connection, and 2 s in all. */
const pauses_ms = [10, 25, 50, 100, 200, 400, 600, 600]

/** Runs it in a transaction; a refusal that must leave a trace commits and is thrown all the same. Contention is tried again, eight times. */
export async function unit<T>(orm: Orm, work: (em: EntityManager) => Promise<T>): Promise<{ em: EntityManager; result: T }> {
  for (let tries = 0; ; tries++) {
    const em = unitOf(orm, null)
    await em.begin()
    let result: T | Refusal
    try {
      result = await work(em).catch(kept)
      await em.commit()
    } catch (error) {
      // Without it, what could not be committed would keep its connection for ever.
      await em.rollback().catch(() => {})
      const pause_ms = pauses_ms[tries]
      if (!isContention(error) || pause_ms === undefined) throw error
      await pause(Math.random() * pause_ms)
      continue
    }
    if (result instanceof Refusal) throw result
    return { em, result }
  }
}

/** For reads: no transaction, so no begin and commit either. */
export async function look<T>(orm: Orm, work: (em: EntityManager) => Promise<T>): Promise<{ em: EntityManager; result: T }> {
  const em = unitOf(orm, null)
  return { em, result: await work(em) }
}
