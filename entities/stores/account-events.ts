// Publishes account.updated for every change of a store and of its team, always in one shape.
import type { EntityManager } from '@mikro-orm/postgresql'
import { MemberOut, StoreOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import type { AccountAction } from '../../rules/webhooks/event-shapes.ts'
import { sql } from '../kit/database/sql.ts'
import { emit, emitAll } from '../webhooks/events.ts'
import { Tenant } from './tenant.ts'

export type Seat = MemberOut & { tenant_id: string }

/** The store as it is now, and the member concerned; null for a change of the store itself. */
const shape = (action: AccountAction, store: Tenant, member: Seat | null) => ({
  action,
  store: serialize(StoreOut, store),
  member: member && serialize(MemberOut, member),
})

/** Requires the store to be flushed. `now` in Unix seconds. */
export const storeUpdated = (em: EntityManager, store: Tenant, now: number): Promise<void> =>
  emit(em, store.id, 'account.updated', () => shape('store_updated', store, null), now)

/** The plan of the store was chosen, paid, changed at the provider or ended. `now` in Unix seconds. */
export const subscriptionUpdated = (em: EntityManager, tenantId: string, now: number): Promise<void> =>
  emit(
    em,
    tenantId,
    'account.updated',
    async () =>
      shape(
        'subscription_updated',
        await em.findOneOrFail(Tenant, { id: tenantId }, { filters: { tenant: false } }),
        null,
      ),
    now,
  )

/**
 * Requires the team to be flushed. Publishes a change of one member in each of these stores; `seats` are the members as
 * they are now, or were last.
 */
export const teamUpdated = (
  em: EntityManager,
  action: Exclude<AccountAction, 'store_updated' | 'subscription_updated'>,
  seats: readonly Seat[],
  now: number,
): Promise<void> =>
  emitAll(
    em,
    seats.map(({ tenant_id }) => tenant_id),
    'account.updated',
    async (ids) => {
      const stores = await em.find(Tenant, { id: { $in: ids } }, { filters: { tenant: false }, refresh: true })
      return stores.flatMap((store) =>
        seats
          .filter(({ tenant_id }) => tenant_id === store.id)
          .map((seat) => ({ tenant_id: store.id, data: shape(action, store, seat) })),
      )
    },
    now,
  )

/**
 * The memberships of an account in all of its stores, as their teams see them: the name is null where the account has
 * not acted. Locks the stores before the accounts, like every change of a team.
 */
export const lockMemberships = (em: EntityManager, accountId: string): Promise<Seat[]> =>
  em.execute(sql`
    select m.tenant_id, m.account_id, a.email, case when m.accepted_at is not null then a.name end as name, m.role,
      m.accepted_at, m.created_at, m.updated_at
    from tenants t
    join team_members m on m.tenant_id = t.id
    join accounts a on a.id = m.account_id
    where m.account_id = ${accountId}
    order by t.id
    for key share of t
  `)
