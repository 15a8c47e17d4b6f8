// emit(em, tenantId, 'order.created', order, now): an event is written with what it tells of, and only if somebody wants to hear of it.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EventType } from '../../rules/events.ts'
import { newId } from '../ids.ts'

/** `data` is the resource as the API would return it, and nothing secret; `now` in Unix seconds. One statement, in the caller's transaction. */
export async function emit(em: EntityManager, tenantId: string, type: EventType, data: Record<string, unknown>, now: number): Promise<void> {
  await em.execute(
    `insert into events (id, tenant_id, created_at, updated_at, type, data) select ?, ?, ?, ?, ?, ?::jsonb
     where exists (select 1 from webhooks w where w.tenant_id = ? and w.enabled and w.events @> ?::jsonb)`,
    [newId(), tenantId, now, now, type, JSON.stringify(data), tenantId, JSON.stringify([type])],
  )
}
