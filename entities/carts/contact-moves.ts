// The carts of a contact become another one's.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { unavailable } from '../../rules/refusal.ts'
import { sql } from '../kit/database/sql.ts'
import type { ContactMove } from '../kit/table.ts'

/**
 * The current cart with items becomes the current one; if both have items, the one that was changed last. The others
 * stay open.
 */
async function moveOnce(em: EntityManager, tenantId: string, from: string, to: string): Promise<void> {
  // Locked by id: concurrent merges of the same contacts do not deadlock.
  const open: { id: string; contact_id: string; is_current: boolean; filled: boolean; updated_at: number }[] =
    await em.execute(sql`
      select id, contact_id, is_current, updated_at,
        jsonb_array_length(product_items) + jsonb_array_length(booking_items) > 0 as filled
      from carts
      where tenant_id = ${tenantId} and contact_id in (${from}, ${to}) and status = 'open'
      order by id
      for update
    `)
  const currentOf = (contactId: string) => open.find((cart) => cart.contact_id === contactId && cart.is_current)
  const [brought, theirs] = [currentOf(from), currentOf(to)]
  const isOlder = brought?.filled && theirs?.filled && brought.updated_at < theirs.updated_at
  const current = (brought?.filled && !isOlder) || !theirs ? brought : theirs
  if (theirs && current !== theirs)
    await em.execute(sql`update carts set is_current = false where tenant_id = ${tenantId} and id = ${theirs.id}`)
  await em.execute(sql`
    update carts
    set contact_id = ${to},
      is_current = (status = 'open' and id is not distinct from ${current?.id ?? null})
        or (status <> 'open' and is_current)
    where tenant_id = ${tenantId} and contact_id = ${from}
  `)
}

/** Moves them again if the other contact's first cart is created at the same time. 503 database_unavailable. */
export async function moveCarts(em: EntityManager, { tenantId, from, to }: ContactMove): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    await em.execute('savepoint carts_move')
    try {
      await moveOnce(em, tenantId, from.id, to.id)
      await em.execute('release savepoint carts_move')
      return
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error
      await em.execute('rollback to savepoint carts_move')
    }
  }
  throw unavailable('database_unavailable', 'The carts of this visitor are being changed; repeat the request.')
}
