// One request is one transaction on one connection; nobody but this file commits.
//   await unit(orm, async (em) => { … })   → committed, or nothing happened
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Orm, unitOf } from '../../entities/orm.ts'
import { Refusal } from '../../rules/refusal.ts'
import { isContention } from './errors.ts'

/** A refusal that must leave a trace is a result until it is committed. */
function kept(error: unknown): Refusal {
  if (error instanceof Refusal && error.details.kept) return error
  throw error
}

/** Runs it in a transaction; a refusal that must leave a trace commits and is thrown all the same. Contention is tried again, twice. */
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
      if (isContention(error) && tries < 2) continue
      throw error
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
