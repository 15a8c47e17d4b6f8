// Statements of the hot cart path, each naming its tenant and its contact.
import type { EntityManager } from '@mikro-orm/postgresql'
import { arrayOf, newId } from '../kit/ids.ts'
import type { CartRow } from './pricing-facts.ts'

export type FullCart = CartRow & { is_current: boolean; created_at: number; updated_at: number }

const columns = `id, tenant_id, contact_id, status, is_current, market, product_items, booking_items, shipping_address, billing_address, forms,
  payment_method_key, shipping_method_id, pickup_location_id, promo_code, created_at, updated_at`

const first = (rows: FullCart[]): FullCart | null => rows[0] ?? null

export const findCart = async (em: EntityManager, tenantId: string, contactId: string, cartId: string): Promise<FullCart | null> =>
  first(await em.execute(`select ${columns} from carts where id = ? and tenant_id = ? and contact_id = ?`, [cartId, tenantId, contactId]))

export const lockCart = async (em: EntityManager, tenantId: string, contactId: string, cartId: string): Promise<FullCart | null> =>
  first(await em.execute(`select ${columns} from carts where id = ? and tenant_id = ? and contact_id = ? for update`, [cartId, tenantId, contactId]))

/** The contact's current cart, made if there is none, in the store's first market. Several at once make one. */
export async function currentCart(em: EntityManager, tenantId: string, contactId: string, now: number): Promise<FullCart | null> {
  const current = `select ${columns} from carts where tenant_id = ? and contact_id = ? and is_current and status = 'open'`
  // The one that another request made may be checked out before we read it: then there is room for ours.
  for (let tries = 0; tries < 3; tries++) {
    const known = first(await em.execute(current, [tenantId, contactId]))
    if (known) return known
    const made = first(
      // The contact is held as a key: one that is swept away at this moment gets no cart any more.
      await em.execute(
        `insert into carts (id, tenant_id, contact_id, created_at, updated_at, status, is_current, market, product_items, booking_items, forms)
         select ?, ?, c.id, ?, ?, 'open', true, m.key, '[]', '[]', '[]' from markets m join contacts c on c.tenant_id = m.tenant_id and c.id = ? where m.tenant_id = ? order by m.created_at, m.id limit 1
         for key share of c on conflict (contact_id) where is_current and status = 'open' do nothing returning ${columns}`,
        [newId(), tenantId, now, now, contactId, tenantId],
      ),
    )
    if (made) return made
  }
  return first(await em.execute(current, [tenantId, contactId]))
}

const json = new Set(['product_items', 'booking_items', 'shipping_address', 'billing_address', 'forms'])

/** Replaces the given columns of an open cart; null if it is not there, or not open any more. */
export async function writeCart(
  em: EntityManager,
  cart: { tenant_id: string; contact_id: string; id: string },
  changes: Record<string, unknown>,
  now: number,
): Promise<FullCart | null> {
  const entries = Object.entries(changes)
  const sets = ['updated_at = ?', ...entries.map(([name]) => `${name} = ?`)]
  return first(
    await em.execute(`update carts set ${sets.join(', ')} where id = ? and tenant_id = ? and contact_id = ? and status = 'open' returning ${columns}`, [
      now,
      ...entries.map(([name, value]) => (json.has(name) && value !== null ? JSON.stringify(value) : value)),
      cart.id,
      cart.tenant_id,
      cart.contact_id,
    ]),
  )
}

/** What a cart refers to, checked in one statement: which variants, bookings, market and pickup location exist. Pairs are `product/variant` and `service/provider`. */
export async function unknownOf(
  em: EntityManager,
  tenantId: string,
  o: { variants: readonly string[]; bookings: readonly { service_id: string; provider_id: string }[]; market: string | null; pickup: string | null },
): Promise<{ variants: Set<string>; links: Set<string>; market: boolean; pickup: boolean }> {
  const rows: { pairs: string[] | null; links: string[] | null; market: boolean; pickup: boolean }[] = await em.execute(
    `select (select array_agg(v.product_id || '/' || v.id) from product_variants v where v.tenant_id = ? and v.id = any(?::uuid[])) as pairs,
       (select array_agg(k.service_id || '/' || k.provider_id) from service_providers k where k.tenant_id = ? and k.service_id = any(?::uuid[]) and k.provider_id = any(?::uuid[])) as links,
       exists (select 1 from markets m where m.tenant_id = ? and m.key = ?) as market,
       exists (select 1 from locations l where l.tenant_id = ? and l.id = ? and l.is_pickup_location) as pickup`,
    [
      ...[tenantId, arrayOf(o.variants)],
      ...[tenantId, arrayOf(o.bookings.map(({ service_id }) => service_id)), arrayOf(o.bookings.map(({ provider_id }) => provider_id))],
      ...[tenantId, o.market, tenantId, o.pickup],
    ],
  )
  return { variants: new Set(rows[0]?.pairs ?? []), links: new Set(rows[0]?.links ?? []), market: rows[0]?.market ?? false, pickup: rows[0]?.pickup ?? false }
}
