// A key is unique among the records of a kind in a store: a duplicate is refused with 409.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { keysInPaths, pathNameFault } from '../../rules/input/path-names.ts'
import { conflict, invalidInput, type Refusal } from '../../rules/refusal.ts'

/** Flushes; throws the refusal of `taken` if the constraint is violated, which ends the transaction. */
export async function flushUnique(em: EntityManager, constraint: RegExp, taken: () => Refusal): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException) || !constraint.test(error.message)) throw error
    throw taken()
  }
}

/** Checks new keys. 422 `reserved` for a new key that cannot stand in a path. One that is stored may be sent again. */
function checkKeys(em: EntityManager, what: string): void {
  const unit = em.getUnitOfWork()
  unit.computeChangeSets()
  for (const { payload } of unit.getChangeSets()) {
    const { key } = payload as { key?: unknown }
    const detail = typeof key === 'string' ? pathNameFault(what, key) : undefined
    if (detail) throw invalidInput([{ pointer: '/key', code: 'reserved', detail }])
  }
}

/** Flushes; 422 reserved; 409 key_taken if another such record of the store has the key. */
export function flushKeyed(em: EntityManager, what: string): Promise<void> {
  if (keysInPaths.has(what)) checkKeys(em, what)
  return flushUnique(em, /_tenant_id_key_unique/, () => {
    const detail = `Another ${what} has this key.`
    return conflict('key_taken', detail, { faults: [{ pointer: '/key', code: 'key_taken', detail }] })
  })
}
