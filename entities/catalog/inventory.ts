// Operators set stock levels and checkouts subtract from them. Both lock levels in (variant, location) order.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type LevelWrite, writtenLevel } from '../../rules/orders/stock.ts'
import { conflict, invalid } from '../../rules/refusal.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

type LevelInput = { variant_id: string; location_id: string; available: number }

/** Plain rows, without the unit of work: a product may have 250 variants at 200 locations. */
export const levelsOf = (em: EntityManager, tenantId: string, variantIds: readonly string[]): Promise<LevelInput[]> =>
  em.execute(sql`
    select variant_id, location_id, available
    from inventory_levels
    where tenant_id = ${tenantId} and variant_id = any (${uuids(variantIds)})
    order by 1, 2
  `)

/** `pointer`: to the row in the request. */
export type LevelChange = LevelWrite & { variant_id: string; location_id: string; pointer: string }

const keyOf = ({ variant_id, location_id }: { variant_id: string; location_id: string }) =>
  `${variant_id} ${location_id}`
const recordset = (rows: unknown): Sql =>
  sql`jsonb_to_recordset(${json(rows)}) as wanted (variant_id uuid, location_id uuid, available bigint)`

/**
 * The levels after the changes, which depend on the present ones. They are locked; one that does not exist is created
 * for that.
 */
async function levelsAfter(
  em: EntityManager,
  tenantId: string,
  changes: readonly LevelChange[],
  now: number,
): Promise<LevelInput[]> {
  const keys = changes.map(({ variant_id, location_id }) => ({ variant_id, location_id }))
  const created: Omit<LevelInput, 'available'>[] = await em.execute(sql`
    insert into inventory_levels (variant_id, location_id, tenant_id, available, updated_at)
    select variant_id, location_id, ${tenantId}, 0, ${now}
    from ${recordset(keys)}
    order by 1, 2
    on conflict (variant_id, location_id) do nothing
    returning variant_id, location_id
  `)
  const levels: LevelInput[] = await em.execute(sql`
    select l.variant_id, l.location_id, l.available
    from inventory_levels l
    join ${recordset(keys)} on wanted.variant_id = l.variant_id and wanted.location_id = l.location_id
    where l.tenant_id = ${tenantId}
    order by 1, 2
    for update of l
  `)
  const absent = new Set(created.map(keyOf))
  const present = new Map(
    levels.filter((level) => !absent.has(keyOf(level))).map((level) => [keyOf(level), level.available]),
  )
  return changes.map((change) => {
    const { variant_id, location_id, pointer } = change
    const available = present.get(keyOf(change)) ?? null
    const after = writtenLevel(available, change)
    if (after.ok) return { variant_id, location_id, available: after.available }
    const { code, detail } = after
    if (code === 'too_big') throw invalid(`${pointer}/delta`, code, detail)
    throw conflict(code, detail, {
      members: { variant_id, location_id, available },
      faults: [{ pointer, code, detail }],
    })
  })
}

/**
 * Writes what can still be sold at each of these locations, or the difference: a number that is set replaces the
 * present one, unless the change names the one that it expects. The variants belong to the tenant; a row of another
 * tenant is never changed. 409 available_changed, out_of_stock with the present number; 422 too_big.
 */
export async function setLevels(
  em: EntityManager,
  tenantId: string,
  changes: readonly LevelChange[],
  now: number,
): Promise<void> {
  if (changes.length === 0) return
  const isSet = ({ available, if_available }: LevelChange) => available !== undefined && if_available === undefined
  const levels = changes.every(isSet) ? changes : await levelsAfter(em, tenantId, changes, now)
  await em.execute(sql`
    insert into inventory_levels (variant_id, location_id, tenant_id, available, updated_at)
    select variant_id, location_id, ${tenantId}, available, ${now}
    from ${recordset(levels)}
    order by 1, 2
    on conflict (variant_id, location_id) do update
    set available = excluded.available, updated_at = excluded.updated_at
    where inventory_levels.tenant_id = excluded.tenant_id
  `)
}

/**
 * Replaces all levels of the variants. A variant without levels is not tracked. `variantIds` are those that may have
 * rows already.
 */
export async function replaceLevels(
  em: EntityManager,
  tenantId: string,
  variantIds: readonly string[],
  levels: readonly LevelChange[],
  now: number,
): Promise<void> {
  if (variantIds.length > 0)
    await em.execute(sql`
      delete from inventory_levels l
      where l.tenant_id = ${tenantId}
        and l.variant_id in (select value::uuid from jsonb_array_elements_text(${json(variantIds)}))
        and not exists (
          select 1
          from jsonb_to_recordset(${json(levels)}) as wanted (variant_id uuid, location_id uuid)
          where wanted.variant_id = l.variant_id and wanted.location_id = l.location_id
        )
    `)
  await setLevels(em, tenantId, levels, now)
}
