// Workflows with a schedule: the schedules of the engine are created from these and compared with them.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'

export type Planned = {
  /** The id of the workflow. */
  id: string
  tenant_id: string
  /** Five fields, UTC. */
  schedule: string
  active: boolean
  /** The text that the engine's UI shows. */
  summary: string
}

const columns = sql`
  w.id, w.tenant_id, w.schedule, w.status = 'active' as active, left(w.key, 80) || ' of store ' || t.key as summary
`

/**
 * Reads the schedule of a workflow. Null if the workflow has no schedule or is deleted. The id names one tenant's row.
 */
export async function plannedOf(em: EntityManager, id: string): Promise<Planned | null> {
  const [row]: Planned[] = await em.execute(sql`
    select ${columns}
    from workflows w
    join tenants t on t.id = w.tenant_id
    where w.id = ${id} and w.schedule is not null
  `)
  return row ?? null
}

/** Up to `limit` workflows of a tenant that is being erased, which have no schedule from now on. */
export const unscheduled = (em: EntityManager, tenantId: string, limit: number): Promise<{ id: string }[]> =>
  // Locked by id: concurrent slices of an erasure do not deadlock.
  em.execute(sql`
    update workflows
    set schedule = null
    where tenant_id = ${tenantId}
      and id = any (array(select id from workflows where tenant_id = ${tenantId} order by id limit ${limit} for update))
    returning id
  `)

/** A page of all tenants' schedules, by id. */
export const plannedAfter = (em: EntityManager, id: string | null, limit: number): Promise<Planned[]> =>
  em.execute(sql`
    select ${columns}
    from workflows w
    join tenants t on t.id = w.tenant_id
    where w.schedule is not null and (${id}::uuid is null or w.id > ${id}::uuid)
    order by w.id
    limit ${limit}
  `)
