// A key is unique among the records of a kind in a store: a duplicate is refused with 409.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict, type Refusal } from '../../rules/refusal.ts'

/** Flushes; throws the refusal of `taken` if the constraint is violated, which ends the transaction. */
export async function flushUnique(em: EntityManager, constraint: RegExp, taken: () => Refusal): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException) || !constraint.test(error.message)) throw error
    throw taken()
  }
}

/** Flushes; 409 key_taken if another such record of the store has the key. */
export const flushKeyed = (em: EntityManager, what: string): Promise<void> =>
  flushUnique(em, /_tenant_id_key_unique/, () => {
    const detail = `Another ${what} has this key.`
    return conflict('key_taken', detail, { faults: [{ pointer: '/key', code: 'key_taken', detail }] })
  })
