// Pending migrations are applied while the API serves: each in a transaction of its own, as long as it takes, and never waiting for a lock for long.
import { setTimeout as pause } from 'node:timers/promises'
import type { Orm } from './orm.ts'

/**
 * For the connections that migrate. A statement may take as long as the table is large. A lock that is not there within two seconds is given up: every
 * statement of the API that comes after the request for it waits behind it.
 */
export const migrationTimeouts = { statementMs: 0, lockMs: 2_000, idleMs: 0 }

const firstPauseMs = 1_000
const pauseMaxMs = 30_000

/** 55P03: the lock was not there in time. 40P01: this transaction was the victim of a deadlock. */
function blocked(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (['55P03', '40P01'].includes((at as { code?: string }).code ?? '')) return true
  return false
}

/**
 * The names of what was applied. One that is blocked is rolled back and tried again, after a pause that doubles up to half a minute, until it is applied or
 * the process is ended; what was applied before stays. A migration of one `create index concurrently` returns false from `isTransactional()`: its statement
 * runs outside of a transaction and lets writers pass; interrupted, it leaves an invalid index, which has to be dropped before it is tried again.
 */
export async function applyMigrations(orm: Orm, say: (line: string) => void): Promise<string[]> {
  const names: string[] = []
  for (let tries = 1; ; tries++) {
    const pending = (await orm.migrator.getPending()).map(({ name }) => name)
    try {
      names.push(...(await orm.migrator.up()).map(({ name }) => name))
      return names
    } catch (error) {
      if (!blocked(error)) throw error
      const left = (await orm.migrator.getPending()).map(({ name }) => name)
      const applied = pending.filter((name) => !left.includes(name))
      names.push(...applied)
      if (applied.length > 0) tries = 1
      const waitMs = Math.min(pauseMaxMs, firstPauseMs * 2 ** (tries - 1))
      say(`${left[0]}: another transaction holds a lock that it needs; attempt ${tries} was rolled back, the next one follows in ${waitMs / 1000} s`)
      await pause(waitMs)
    }
  }
}
