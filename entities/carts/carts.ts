// Statements of the hot cart path. Each names the tenant and the contact, and whose carts of the contact the visitor
// may see.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Actor, madeBySql } from '../crm/session-rights.ts'
import { columnsOf } from '../kit/database/columns.ts'
import { insertSelect } from '../kit/database/insert.ts'
import type { RowOf } from '../kit/database/row.ts'
import { assignments, json, sql, type Value } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { Cart } from './cart.ts'

export type CartRow = RowOf<Cart>
type CartKey = { tenant_id: string; by: Actor; id: string }

const first = (rows: CartRow[]): CartRow | null => rows[0] ?? null

const byKey = ({ tenant_id, by, id }: CartKey) =>
  sql`id = ${id} and tenant_id = ${tenant_id} and contact_id = ${by.contact_id} and ${madeBySql(by)}`

export const findCart = async (em: EntityManager, tenant_id: string, by: Actor, id: string): Promise<CartRow | null> =>
  first(
    await em.execute<CartRow[]>(sql`select ${columnsOf(em, Cart)} from carts where ${byKey({ tenant_id, by, id })}`),
  )

/**
 * Locks the session as a key and then the cart, which must be of the session's contact as it is under these locks: the
 * contact may be merged at the same time. One statement. An operator (`by` null) has no session: the cart may be of any
 * contact.
 */
export async function lockCart(
  em: EntityManager,
  tenant_id: string,
  by: Omit<Actor, 'contact_id'> | null,
  id: string,
): Promise<CartRow | null> {
  if (by === null)
    return first(
      await em.execute<CartRow[]>(sql`
        select ${columnsOf(em, Cart)}
        from carts
        where id = ${id} and tenant_id = ${tenant_id}
        for update
      `),
    )
  const rows: (CartRow & { of_session: string })[] = await em.execute(sql`
    with session as materialized (
      select contact_id as of_session
      from contact_sessions
      where tenant_id = ${tenant_id} and id = ${by.session_id} and revoked_at is null
      for key share
    )
    select ${columnsOf(em, Cart)}, of_session
    from carts, session
    where id = ${id} and tenant_id = ${tenant_id} and ${madeBySql(by)}
    for update of carts
  `)
  if (!rows[0]) return null
  const { of_session, ...cart } = rows[0]
  return cart.contact_id === of_session ? cart : null
}

/**
 * The current cart of the session's contact, created if there is none: in the store's first market whose zones name a
 * country, else in its first one, as a new market has one zone for the whole world. Concurrent calls create one. Null
 * without a market, and if the cart is not the session's.
 */
export async function currentCart(
  em: EntityManager,
  tenantId: string,
  by: Actor,
  now: number,
): Promise<CartRow | null> {
  const columns = columnsOf(em, Cart)
  const session = sql`s.tenant_id = ${tenantId} and s.id = ${by.session_id} and s.revoked_at is null`
  const contact = sql`(select s.contact_id from contact_sessions s where ${session})`
  const current = sql`
    select ${columns}
    from carts
    where tenant_id = ${tenantId} and contact_id = ${contact} and is_current and status = 'open' and ${madeBySql(by)}
  `
  // The cart that another request created may be checked out before this one reads it: then there is room for another.
  for (let tries = 0; tries < 3; tries++) {
    const found = first(await em.execute<CartRow[]>(current))
    if (found) return found
    const cart = insertSelect(em, Cart, {
      id: newId(),
      tenant_id: tenantId,
      contact_id: sql`s.contact_id`,
      made_by: sql`s.id`,
      created_at: now,
      updated_at: now,
      market: sql`m.key`,
      product_items: [],
      booking_items: [],
      forms: [],
    })
    const made: CartRow[] = await em.execute(
      // The session is locked as a key: its contact is neither merged nor deleted by the sweep until the cart is there.
      sql`
        ${cart}
        from markets m
        join contact_sessions s on ${session}
        where m.tenant_id = ${tenantId}
        order by not jsonb_path_exists(m.zones, '$[*].countries[*]'), m.created_at, m.id
        limit 1
        for key share of s
        on conflict (contact_id) where is_current and status = 'open' do nothing
        returning ${columns}
      `,
    )
    if (made[0]) return made[0]
  }
  return first(await em.execute<CartRow[]>(current))
}

/** Replaces the given columns of an open cart; null if there is no such cart, or it is not open any more. */
export async function writeCart(
  em: EntityManager,
  key: CartKey,
  changes: Record<string, unknown>,
  now: number,
): Promise<CartRow | null> {
  const isJson = (value: unknown) => typeof value === 'object' && value !== null
  const columns = Object.entries({ ...changes, updated_at: now }).map(([name, value]) => [
    name,
    isJson(value) ? json(value) : (value as Value),
  ])
  const changed = sql`
    update carts
    set ${assignments(Object.fromEntries(columns))}
    where ${byKey(key)} and status = 'open'
    returning ${columnsOf(em, Cart)}
  `
  return first(await em.execute<CartRow[]>(changed))
}

/** What a cart refers to, looked up in one statement. Pairs are `product/variant` and `service/provider`. */
type Referenced = { variants: Set<string>; links: Set<string>; market: boolean; pickup: boolean }
type References = {
  variants: readonly string[]
  bookings: readonly { service_id: string; provider_id: string }[]
  market: string | null
  pickup: string | null
}

/** Which of the variants, bookings, market and pickup location exist. */
export async function referencedBy(
  em: EntityManager,
  tenantId: string,
  { variants, bookings, market, pickup }: References,
): Promise<Referenced> {
  const services = uuids(bookings.map(({ service_id }) => service_id))
  const providers = uuids(bookings.map(({ provider_id }) => provider_id))
  const [row] = await em.execute<
    { pairs: string[] | null; links: string[] | null; market: boolean; pickup: boolean }[]
  >(sql`
    select
      (
        select array_agg(v.product_id || '/' || v.id)
        from product_variants v
        where v.tenant_id = ${tenantId} and v.id = any (${uuids(variants)})
      ) as pairs,
      (
        select array_agg(k.service_id || '/' || k.provider_id)
        from service_providers k
        where k.tenant_id = ${tenantId} and k.service_id = any (${services}) and k.provider_id = any (${providers})
      ) as links,
      exists (select 1 from markets m where m.tenant_id = ${tenantId} and m.key = ${market}) as market,
      exists (
        select 1
        from locations l
        where l.tenant_id = ${tenantId} and l.id = ${pickup} and l.is_pickup_location
      ) as pickup
  `)
  return {
    variants: new Set(row?.pairs ?? []),
    links: new Set(row?.links ?? []),
    market: row?.market ?? false,
    pickup: row?.pickup ?? false,
  }
}
