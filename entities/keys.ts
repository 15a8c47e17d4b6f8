// A key names one record of a store: whoever comes second with it is told so.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict } from '../rules/refusal.ts'

/** Writes what is pending; 409 key_taken if another such record of the store has the key. The transaction is over then. */
export async function flushKeyed(em: EntityManager, what: string): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException) || !/_tenant_id_key_unique/.test(error.message)) throw error
    const detail = `Another ${what} has this key.`
    throw conflict('key_taken', detail, { faults: [{ pointer: '/key', code: 'key_taken', detail }] })
  }
}
