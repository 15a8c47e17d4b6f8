// Operators set stock levels and checkouts subtract from them. Both lock levels in (variant, location) order.
import type { EntityManager } from '@mikro-orm/postgresql'
import { uuids } from '../kit/ids.ts'
import { json, sql } from '../kit/sql.ts'

export type LevelInput = { variant_id: string; location_id: string; available: number }

/** Plain rows, without the unit of work: a product may have 250 variants at 200 locations. */
export const levelsOf = (em: EntityManager, tenantId: string, variantIds: readonly string[]): Promise<LevelInput[]> =>
  em.execute(
    sql`select variant_id, location_id, available from inventory_levels where tenant_id = ${tenantId} and variant_id = any (${uuids(variantIds)}) order by 1, 2`,
  )

/**
 * Sets what can still be sold at each of these locations: checkouts that committed before are not subtracted again. The variants belong to the tenant; a row of
 * another tenant is never changed.
 */
export async function setLevels(em: EntityManager, tenantId: string, levels: readonly LevelInput[], now: number): Promise<void> {
  if (levels.length === 0) return
  await em.execute(
    sql`insert into inventory_levels (variant_id, location_id, tenant_id, available, updated_at)
     select variant_id, location_id, ${tenantId}, available, ${now}
     from jsonb_to_recordset(${json(levels)}) as wanted (variant_id uuid, location_id uuid, available bigint) order by 1, 2
     on conflict (variant_id, location_id) do update set available = excluded.available, updated_at = excluded.updated_at
     where inventory_levels.tenant_id = excluded.tenant_id`,
  )
}

/** Replaces all levels of the variants. A variant without levels is not tracked. `variantIds` are those that may have rows already. */
export async function replaceLevels(
  em: EntityManager,
  tenantId: string,
  variantIds: readonly string[],
  levels: readonly LevelInput[],
  now: number,
): Promise<void> {
  if (variantIds.length > 0)
    await em.execute(
      sql`delete from inventory_levels l where l.tenant_id = ${tenantId} and l.variant_id in (select value::uuid from jsonb_array_elements_text(${json(variantIds)}))
       and not exists (select 1 from jsonb_to_recordset(${json(levels)}) as wanted (variant_id uuid, location_id uuid)
                       where wanted.variant_id = l.variant_id and wanted.location_id = l.location_id)`,
    )
  await setLevels(em, tenantId, levels, now)
}
