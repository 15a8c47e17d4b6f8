// Which workflows start by a schedule: what the engine's schedules are made from, and held to.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/sql.ts'

export type Planned = {
  /** Of the workflow. */
  id: string
  tenant_id: string
  /** Five fields, UTC. */
  schedule: string
  active: boolean
  /** For the engine's UI. */
  summary: string
}

const columns = sql`w.id, w.tenant_id, w.schedule, w.status = 'active' as active, left(w.key, 80) || ' of store ' || t.key as summary`

/** Null where the workflow has no schedule, or is gone. The id is ours, and names one tenant's row. */
export async function plannedOf(em: EntityManager, id: string): Promise<Planned | null> {
  const [row]: Planned[] = await em.execute(
    sql`select ${columns} from workflows w join tenants t on t.id = w.tenant_id where w.id = ${id} and w.schedule is not null`,
  )
  return row ?? null
}

/** A page of all tenants' schedules, by id. */
export const plannedAfter = (em: EntityManager, id: string | null, limit: number): Promise<Planned[]> =>
  em.execute(
    sql`select ${columns} from workflows w join tenants t on t.id = w.tenant_id
     where w.schedule is not null and (${id}::uuid is null or w.id > ${id}::uuid) order by w.id limit ${limit}`,
  )
