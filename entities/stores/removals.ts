// A market or location is deleted only if it is not in use. A transaction that begins to use it waits for the
// deletion's decision.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict, notFound } from '../../rules/refusal.ts'
import { Location } from './location.ts'
import { Market } from './market.ts'
import { moveEmptyCarts, usersOfLocation, usersOfMarket } from './usage.ts'

/** Deletes a market. 409 market_in_use, and last_market: a cart is always in some market. */
export async function removeMarket(em: EntityManager, tenantId: string, id: string): Promise<void> {
  const markets = await em.find(
    Market,
    {},
    { orderBy: { created_at: 'asc', id: 'asc' }, fields: ['key'], lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  const market = markets.find((one) => one.id === id)
  if (!market) throw notFound('market')
  const users = await usersOfMarket(em, tenantId, market.key)
  if (users.length > 0)
    throw conflict('market_in_use', `The market is in use: ${users.join(', ')}.`, { members: { used_by: users } })
  const heir = markets.find((one) => one !== market)
  if (!heir) throw conflict('last_market', 'A {store} needs a market.')
  await moveEmptyCarts(em, tenantId, market.key, heir.key)
  await em.nativeDelete(Market, { id })
}

/** Deletes a location. 409 location_in_use. */
export async function removeLocation(em: EntityManager, tenantId: string, id: string): Promise<void> {
  await em.findOneOrFail(
    Location,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('location') },
  )
  const users = await usersOfLocation(em, tenantId, id)
  if (users.length > 0)
    throw conflict('location_in_use', `The location is in use: ${users.join(', ')}.`, { members: { used_by: users } })
  await em.nativeDelete(Location, { id })
}
