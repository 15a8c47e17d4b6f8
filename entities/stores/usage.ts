// What uses a market or a location. Each is one statement, under the lock of the row that would be deleted.
import type { EntityManager } from '@mikro-orm/postgresql'
import { json, sql } from '../kit/database/sql.ts'

const usersIn = <Name extends string>(rows: Record<Name, boolean>[]): Name[] =>
  Object.entries(rows[0] ?? {}).flatMap(([name, used]) => (used ? [name as Name] : []))

/** Prices, orders that are not cancelled, open carts with items, and active promo codes. */
export async function usersOfMarket(em: EntityManager, tenantId: string, key: string) {
  const inPrices = json([{ market: key }])
  const inDiscounts = json([{ market_key: key }])
  const rows: Record<'prices' | 'orders' | 'carts' | 'services' | 'promo_codes', boolean>[] = await em.execute(sql`
    select
      exists (
        select 1
        from products p
        join product_variants v on v.product_id = p.id
        where p.tenant_id = ${tenantId} and v.prices @> ${inPrices}
      ) as prices,
      exists (
        select 1
        from orders
        where tenant_id = ${tenantId} and market = ${key} and status <> 'cancelled'
      ) as orders,
      exists (
        select 1
        from carts
        where tenant_id = ${tenantId}
          and market = ${key}
          and status = 'open'
          and (product_items <> '[]' or booking_items <> '[]')
      ) as carts,
      exists (select 1 from service_providers where tenant_id = ${tenantId} and prices @> ${inPrices})
        or exists (select 1 from services where tenant_id = ${tenantId} and prices @> ${inPrices}) as services,
      exists (
        select 1
        from promo_codes
        where tenant_id = ${tenantId} and status = 'active' and discounts @> ${inDiscounts}
      ) as promo_codes
  `)
  return usersIn(rows)
}

/** Moves empty carts, which every visitor has, to the market that a new cart would have. */
export const moveEmptyCarts = (em: EntityManager, tenantId: string, from: string, to: string) =>
  em.execute(sql`
    update carts
    set market = ${to}
    where tenant_id = ${tenantId}
      and market = ${from}
      and status = 'open'
      and product_items = '[]'
      and booking_items = '[]'
  `)

/**
 * Stock (also a level of zero: without it the variant would not be tracked), order lines that may still release stock
 * there, orders and open carts to be picked up there.
 */
export async function usersOfLocation(em: EntityManager, tenantId: string, id: string) {
  const rows: Record<'inventory' | 'orders' | 'carts', boolean>[] = await em.execute(sql`
    select exists (select 1 from inventory_levels where tenant_id = ${tenantId} and location_id = ${id}) as inventory,
      exists (
        select 1
        from orders o
        where o.tenant_id = ${tenantId}
          and o.status <> 'cancelled'
          and o.fulfillment_status <> 'fulfilled'
          and (
            o.pickup_location_id = ${id}
            or exists (
              select 1
              from order_lines l
              where l.order_id = o.id and l.status <> 'cancelled' and l.allocations @> ${json([{ location_id: id }])}
            )
          )
      ) as orders,
      exists (
        select 1
        from carts
        where tenant_id = ${tenantId} and pickup_location_id = ${id} and status = 'open'
      ) as carts
  `)
  return usersIn(rows)
}
