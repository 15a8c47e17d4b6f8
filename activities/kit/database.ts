// The worker's access to PostgreSQL: one connection pool, one short transaction per step.
import { DriverException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'

let opened: Promise<Orm> | undefined

export const database = (): Promise<Orm> => {
  opened ??= openOrm({ url: config.databaseUrl, pool: config.databasePool }).catch((error) => {
    opened = undefined
    throw error
  })
  return opened
}

export const closeDatabase = async (): Promise<void> => (await opened)?.close(true)

/** Committed when it returns. Statements name their tenant or an id of ours. */
export async function transaction<T>(
  work: (em: EntityManager) => Promise<T>,
  tenantId: string | null = null,
): Promise<T> {
  const em = unitOf(await database(), tenantId)
  await em.begin()
  try {
    const result = await work(em)
    await em.commit()
    return result
  } catch (error) {
    await em.rollback().catch(() => {})
    throw error
  }
}

/** Runs a single statement without a transaction around it. */
export async function statement<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
  return work(unitOf(await database(), null))
}

/**
 * What was to be written cannot be: a data exception, or a limit of the program (SQLSTATE classes 22 and 54; PostgreSQL
 * manual, appendix A). No other try has another result.
 */
export const isOfData = (error: unknown): boolean =>
  error instanceof DriverException && /^(22|54)/.test(String((error as { code?: unknown }).code))
