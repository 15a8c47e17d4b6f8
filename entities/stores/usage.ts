// What is in use stays: these ask who still needs a market or a location. Each is one statement, asked under the lock of the row that would go.
import type { EntityManager } from '@mikro-orm/postgresql'

const usersIn = <Name extends string>(rows: Record<Name, boolean>[]): Name[] =>
  Object.entries(rows[0] ?? {}).flatMap(([name, used]) => (used ? [name as Name] : []))

/** A price, an order that was not cancelled, an open cart with something in it, or a promo code that still counts. */
export async function usersOfMarket(em: EntityManager, tenantId: string, key: string) {
  const inPrices = JSON.stringify([{ market: key }])
  const rows: Record<'prices' | 'orders' | 'carts' | 'services' | 'promo_codes', boolean>[] = await em.execute(
    `select exists (select 1 from products p join product_variants v on v.product_id = p.id where p.tenant_id = ? and v.prices @> ?::jsonb) as prices,
            exists (select 1 from orders where tenant_id = ? and market = ? and status <> 'cancelled') as orders,
            exists (select 1 from carts where tenant_id = ? and market = ? and status = 'open' and (product_items <> '[]' or booking_items <> '[]')) as carts,
            exists (select 1 from service_providers where tenant_id = ? and prices @> ?::jsonb) as services,
            exists (select 1 from promo_codes where tenant_id = ? and status = 'active' and discounts @> ?::jsonb) as promo_codes`,
    [tenantId, inPrices, tenantId, key, tenantId, key, tenantId, inPrices, tenantId, JSON.stringify([{ market_key: key }])],
  )
  return usersIn(rows)
}

/** Every visitor has an empty cart in some market: it moves to the market that a new one would have. */
export const moveEmptyCarts = (em: EntityManager, tenantId: string, from: string, to: string) =>
  em.execute(`update carts set market = ? where tenant_id = ? and market = ? and status = 'open' and product_items = '[]' and booking_items = '[]'`, [
    to,
    tenantId,
    from,
  ])

/**
 * Stock (a row of zero too: without it the variant would never run out), a line that may still give back what it took there, an order that
 * is yet to be handed over there, or an open cart that wants to be.
 */
export async function usersOfLocation(em: EntityManager, tenantId: string, id: string) {
  const rows: Record<'inventory' | 'orders' | 'carts', boolean>[] = await em.execute(
    `select exists (select 1 from inventory_levels where tenant_id = ? and location_id = ?) as inventory,
            exists (select 1 from orders o where o.tenant_id = ? and o.status <> 'cancelled' and o.fulfillment_status <> 'fulfilled'
                    and (o.pickup_location_id = ? or exists (select 1 from order_lines l where l.order_id = o.id and l.status <> 'cancelled' and l.allocations @> ?::jsonb))) as orders,
            exists (select 1 from carts where tenant_id = ? and pickup_location_id = ? and status = 'open') as carts`,
    [tenantId, id, tenantId, id, JSON.stringify([{ location_id: id }]), tenantId, id],
  )
  return usersIn(rows)
}
