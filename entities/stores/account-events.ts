// account.updated: a store hears of every change of itself and of its team, always in one shape.
import type { EntityManager } from '@mikro-orm/postgresql'
import { MemberOut, StoreOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import { emit, emitAll } from '../webhooks/events.ts'
import { Tenant } from './tenant.ts'

export type Seat = MemberOut & { tenant_id: string }
type Action = 'store_updated' | 'member_added' | 'member_updated' | 'member_removed'

/** The store as it is now, and the member that it is about; null where it is about the store itself. */
const shape = (action: Action, store: Tenant, member: Seat | null) => ({
  action,
  store: serialize(StoreOut, store),
  member: member && serialize(MemberOut, member),
})

/** After the store is flushed. `now` in Unix seconds. */
export const storeUpdated = (em: EntityManager, store: Tenant, now: number): Promise<void> =>
  emit(em, store.id, 'account.updated', () => shape('store_updated', store, null), now)

/** After the team is flushed: what happened to one seat of each of these stores; `seats` are as they are now, or were last. */
export const teamUpdated = (em: EntityManager, action: Exclude<Action, 'store_updated'>, seats: readonly Seat[], now: number): Promise<void> =>
  emitAll(
    em,
    seats.map(({ tenant_id }) => tenant_id),
    'account.updated',
    async (ids) => {
      const stores = await em.find(Tenant, { id: { $in: ids } }, { filters: { tenant: false }, refresh: true })
      return stores.flatMap((store) =>
        seats.filter(({ tenant_id }) => tenant_id === store.id).map((seat) => ({ tenant_id: store.id, data: shape(action, store, seat) })),
      )
    },
    now,
  )

/** The seats of an account, in all of its stores. Stores are locked before accounts, as whoever changes a team does it: until the end nobody changes these. */
export const lockMemberships = (em: EntityManager, accountId: string): Promise<Seat[]> =>
  em.execute(
    `select m.tenant_id, m.account_id, a.email, a.name, m.role, m.created_at, m.updated_at from tenants t
     join team_members m on m.tenant_id = t.id join accounts a on a.id = m.account_id where m.account_id = ? order by t.id for key share of t`,
    [accountId],
  )
