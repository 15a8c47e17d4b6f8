// One request is one transaction on one connection; nobody but this file commits.
//   await unit(orm, async (em) => { … })   → committed, or nothing happened
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Orm, unitOf } from '../../entities/orm.ts'
import { Refusal } from '../../rules/refusal.ts'
import { isContention } from './errors.ts'

/** Runs it in a transaction; a refusal that must leave a trace commits and is thrown all the same. Contention is tried again, twice. */
export async function unit<T>(orm: Orm, work: (em: EntityManager) => Promise<T>): Promise<{ em: EntityManager; result: T }> {
  for (let tries = 0; ; tries++) {
    const em = unitOf(orm, null)
    await em.begin()
    try {
      const result = await work(em)
      await em.commit()
      return { em, result }
    } catch (error) {
      if (error instanceof Refusal && error.details.kept) {
        await em.commit()
        throw error
      }
      await em.rollback().catch(() => {})
      if (isContention(error) && tries < 2) continue
      throw error
    }
  }
}

/** For reads: no transaction, so no begin and commit either. */
export async function look<T>(orm: Orm, work: (em: EntityManager) => Promise<T>): Promise<{ em: EntityManager; result: T }> {
  const em = unitOf(orm, null)
  return { em, result: await work(em) }
}
