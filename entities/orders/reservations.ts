// Stock is taken and given back in the caller's transaction: locked in (variant, location) order, never below zero.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Allocation, allocate, type Level } from '../../rules/orders/stock.ts'
import { conflict } from '../../rules/refusal.ts'

/** What was taken, by variant; 409 out_of_stock naming the variant and what is left. Two statements, however many lines. */
export async function reserve(em: EntityManager, tenantId: string, wanted: readonly { variant_id: string; quantity: number }[]): Promise<Allocation[]> {
  if (wanted.length === 0) return []
  // FOR UPDATE sees what was committed last, so what is allocated below is what is there.
  const levels: Level[] = await em.execute(
    `select variant_id, location_id, available from inventory_levels where tenant_id = ? and variant_id in (${wanted.map(() => '?').join(',')})
     order by variant_id, location_id for update`,
    [tenantId, ...wanted.map(({ variant_id }) => variant_id)],
  )
  const found = allocate(wanted, levels)
  if (!found.ok)
    throw conflict('out_of_stock', found.available === 0 ? 'The variant is sold out.' : `Only ${found.available} are left.`, {
      members: { variant_id: found.variant_id, available: found.available },
    })
  await move(em, tenantId, found.allocations, -1)
  return found.allocations
}

/** Gives back exactly what was taken. A level that is gone meanwhile has nothing to count. */
export async function release(em: EntityManager, tenantId: string, allocations: readonly Allocation[]): Promise<void> {
  if (allocations.length === 0) return
  await em.execute(
    `select 1 from inventory_levels where tenant_id = ? and variant_id in (${allocations.map(() => '?').join(',')}) order by variant_id, location_id for update`,
    [tenantId, ...allocations.map(({ variant_id }) => variant_id)],
  )
  await move(em, tenantId, allocations, 1)
}

/** Gives some back and takes others; what was given back can be taken again. Locked in one order first, so that nobody else is met half-way. */
export async function exchange(
  em: EntityManager,
  tenantId: string,
  given: readonly Allocation[],
  wanted: readonly { variant_id: string; quantity: number }[],
): Promise<Allocation[]> {
  const variants = [...new Set([...given, ...wanted].map(({ variant_id }) => variant_id))]
  if (variants.length > 0)
    await em.execute(
      `select 1 from inventory_levels where tenant_id = ? and variant_id in (${variants.map(() => '?').join(',')}) order by variant_id, location_id for update`,
      [tenantId, ...variants],
    )
  await move(em, tenantId, given, 1)
  return reserve(em, tenantId, wanted)
}

async function move(em: EntityManager, tenantId: string, allocations: readonly Allocation[], sign: 1 | -1): Promise<void> {
  if (allocations.length === 0) return
  await em.execute(
    `update inventory_levels l set available = l.available + w.quantity
     from (select variant_id, location_id, sum(quantity)::bigint as quantity from jsonb_to_recordset(?::jsonb) as a(variant_id uuid, location_id uuid, quantity bigint) group by 1, 2) w
     where l.tenant_id = ? and l.variant_id = w.variant_id and l.location_id = w.location_id`,
    [JSON.stringify(allocations.map((one) => ({ ...one, quantity: sign * one.quantity }))), tenantId],
  )
}
