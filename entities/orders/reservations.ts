// Stock is reserved and released in the caller's transaction. Levels are locked in (variant, location) order and never
// fall below zero.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Allocation, allocate, type Level, type WantedStock } from '../../rules/orders/stock.ts'
import { conflict } from '../../rules/refusal.ts'
import { json, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

/**
 * Returns what was reserved, by variant; 409 out_of_stock with the variant and what is left of it, at the place where
 * it has to be. Two statements, however many lines.
 */
export async function reserve(
  em: EntityManager,
  tenantId: string,
  wanted: readonly WantedStock[],
): Promise<Allocation[]> {
  if (wanted.length === 0) return []
  // Locked by variant and location: concurrent carts do not deadlock. The lock returns the latest committed levels, so
  // the allocation below is exact.
  const levels: Level[] = await em.execute(sql`
    select variant_id, location_id, available
    from inventory_levels
    where tenant_id = ${tenantId} and variant_id = any (${uuids(wanted.map(({ variant_id }) => variant_id))})
    order by variant_id, location_id
    for update
  `)
  const found = allocate(wanted, levels)
  if (!found.ok) {
    const { variant_id, available } = found
    const isPlaced = wanted.some((one) => one.variant_id === variant_id && one.location_id)
    const [none, some] = isPlaced
      ? ['The pickup location has none of the variant.', `The pickup location has only ${available}.`]
      : ['The variant is sold out.', `Only ${available} are left.`]
    throw conflict('out_of_stock', available === 0 ? none : some, { members: { variant_id, available } })
  }
  await move(em, tenantId, found.allocations, -1)
  return found.allocations
}

/** Releases exactly what was reserved. A level that was deleted meanwhile is skipped. */
export async function release(em: EntityManager, tenantId: string, allocations: readonly Allocation[]): Promise<void> {
  if (allocations.length === 0) return
  await lockLevels(em, tenantId, allocations)
  await move(em, tenantId, allocations, 1)
}

/**
 * Releases some and reserves others, which may be the same. All levels are locked first, in one order: two exchanges
 * cannot deadlock.
 */
export async function exchange(
  em: EntityManager,
  tenantId: string,
  released: readonly Allocation[],
  wanted: readonly WantedStock[],
): Promise<Allocation[]> {
  if (released.length + wanted.length > 0) await lockLevels(em, tenantId, [...released, ...wanted])
  await move(em, tenantId, released, 1)
  return reserve(em, tenantId, wanted)
}

const lockLevels = (em: EntityManager, tenantId: string, of: readonly { variant_id: string }[]): Promise<unknown> => {
  const variants = uuids(new Set(of.map(({ variant_id }) => variant_id)))
  // Locked in the order of `reserve`.
  return em.execute(sql`
    select 1
    from inventory_levels
    where tenant_id = ${tenantId} and variant_id = any (${variants})
    order by variant_id, location_id
    for update
  `)
}

async function move(
  em: EntityManager,
  tenantId: string,
  allocations: readonly Allocation[],
  sign: 1 | -1,
): Promise<void> {
  if (allocations.length === 0) return
  const moves = allocations.map((one) => ({ ...one, quantity: sign * one.quantity }))
  await em.execute(sql`
    update inventory_levels l
    set available = l.available + quantities.quantity
    from (
      select variant_id, location_id, sum(quantity)::bigint as quantity
      from jsonb_to_recordset(${json(moves)}) as a(variant_id uuid, location_id uuid, quantity bigint)
      group by 1, 2
    ) quantities
    where l.tenant_id = ${tenantId} and l.variant_id = quantities.variant_id and l.location_id = quantities.location_id
  `)
}
