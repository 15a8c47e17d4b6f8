// Applies pending migrations while the API serves, each in a transaction of its own, without waiting for locks for
// long.
import { setTimeout as pause } from 'node:timers/promises'
import type { Orm } from './orm.ts'

/**
 * The timeouts of the connections that migrate. Statements have no time limit. A lock request is given up after two
 * seconds, because later statements of the API queue behind it.
 */
export const migrationTimeouts = { statementMs: 0, lockMs: 2_000, idleMs: 0 }

const firstPauseMs = 1_000
const pauseMaxMs = 30_000

/** 55P03: the lock was not granted in time. 40P01: this transaction was the victim of a deadlock. */
function blocked(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (['55P03', '40P01'].includes((at as { code?: string }).code ?? '')) return true
  return false
}

/**
 * Returns the names of the applied migrations. A migration that is blocked is rolled back and retried, after a pause
 * that doubles up to half a minute, until it is applied or the process ends; earlier migrations stay applied. An
 * `IndexMigration` runs outside of a transaction: its builds wait as long as it takes, and its next attempt keeps the
 * indexes that are valid.
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
      const stillPending = (await orm.migrator.getPending()).map(({ name }) => name)
      const applied = pending.filter((name) => !stillPending.includes(name))
      names.push(...applied)
      if (applied.length > 0) tries = 1
      const waitMs = Math.min(pauseMaxMs, firstPauseMs * 2 ** (tries - 1))
      say(
        `${stillPending[0]}: another transaction holds a lock that it needs; attempt ${tries} was rolled back, the next one follows in ${waitMs / 1000} s`,
      )
      await pause(waitMs)
    }
  }
}
