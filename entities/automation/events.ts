// emit(em, tenantId, 'order.created', () => orderOf(em, id), now): an event is written with what it tells of, and only if somebody wants to hear of it.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EventType } from '../../rules/events.ts'
import { newId } from '../ids.ts'

/** Whether an enabled webhook or an active workflow asks for events of that name. One statement. */
async function isWanted(em: EntityManager, tenantId: string, type: EventType): Promise<boolean> {
  const [row]: { wanted: boolean }[] = await em.execute(
    `select exists (select 1 from webhooks w where w.tenant_id = ? and w.enabled and w.events @> ?::jsonb)
       or exists (select 1 from workflows w where w.tenant_id = ? and w.status = 'active' and w.events @> ?::jsonb) as wanted`,
    [tenantId, JSON.stringify([type]), tenantId, JSON.stringify([type])],
  )
  return row?.wanted === true
}

/**
 * In the caller's transaction, after its rows are flushed. `data` gives the resource as the API would return it, and nothing secret; it is asked for only if
 * somebody wants to hear. One statement where nobody does; else a second one, which writes the event, what is to be delivered to whom, and the
 * executions that it starts. `now` in Unix seconds.
 */
export async function emit(em: EntityManager, tenantId: string, type: EventType, data: () => unknown, now: number): Promise<void> {
  if (!(await isWanted(em, tenantId, type))) return
  const id = newId()
  const told = JSON.stringify(await data())
  await em.execute(
    // Whoever asks for it is locked as a key: one that is being deleted at this moment is passed over, and fails nobody's order.
    `with asked as (select ?::uuid as id, ?::uuid as tenant_id, ?::text as type, ?::jsonb as types, ?::jsonb as data, ?::bigint as now),
     told as (insert into events (id, tenant_id, created_at, updated_at, type, data) select id, tenant_id, now, now, type, data from asked),
     hooks as (select w.id from webhooks w, asked a where w.tenant_id = a.tenant_id and w.enabled and w.events @> a.types order by w.id for key share of w),
     flows as (select w.id, w.graph_id, w.key from workflows w, asked a
       where w.tenant_id = a.tenant_id and w.status = 'active' and w.events @> a.types order by w.id for key share of w),
     due as (insert into deliveries (id, tenant_id, created_at, updated_at, webhook_id, event_id, type, status, attempts, due_at)
       select gen_random_uuid(), a.tenant_id, a.now, a.now, h.id, a.id, a.type, 'pending', 0, clock_timestamp() from hooks h, asked a returning webhook_id),
     begun as (insert into executions (id, tenant_id, created_at, updated_at, workflow_id, graph_id, status, source, occurrence, input, step, cancel_requested)
       select gen_random_uuid(), a.tenant_id, a.now, a.now, f.id, f.graph_id, 'pending', 'event', a.id::text,
         jsonb_build_object('id', a.id, 'type', a.type, 'created_at', a.now, 'store_id', a.tenant_id, 'data', a.data), 0, false
       from flows f, asked a returning id, workflow_id)
     insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, summary)
       select gen_random_uuid(), a.tenant_id, 'deliver', d.webhook_id, clock_timestamp(), 0, false, null from due d, asked a
       union all
       select gen_random_uuid(), a.tenant_id, 'execution', b.id, clock_timestamp(), 0, false, left(f.key, 80) || ' of store ' || t.key
       from begun b join flows f on f.id = b.workflow_id, asked a join tenants t on t.id = a.tenant_id`,
    [id, tenantId, type, JSON.stringify([type]), told, now],
  )
}
