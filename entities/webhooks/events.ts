// emit(em, tenantId, 'order.created', () => orderOf(em, id), now): an event is written with what it tells of, and only if somebody wants to hear of it.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EventType } from '../../rules/webhooks/events.ts'
import { arrayOf, newId, newIdSql } from '../kit/ids.ts'

const asked = (type: EventType) => JSON.stringify([type])

/** Those of the tenants that have an enabled webhook or an active workflow which asks for events of that name. One statement. */
async function wanting(em: EntityManager, tenantIds: readonly string[], type: EventType): Promise<string[]> {
  if (tenantIds.length === 0) return []
  const ids = arrayOf(new Set(tenantIds))
  const rows: { tenant_id: string }[] = await em.execute(
    `select tenant_id from webhooks where tenant_id = any (?::uuid[]) and enabled and events @> ?::jsonb
     union select tenant_id from workflows where tenant_id = any (?::uuid[]) and status = 'active' and events @> ?::jsonb`,
    [ids, asked(type), ids, asked(type)],
  )
  return rows.map(({ tenant_id }) => tenant_id)
}

/** For what is gone once it can be told of: asked before. One statement. */
export const isWanted = async (em: EntityManager, tenantId: string, type: EventType): Promise<boolean> => (await wanting(em, [tenantId], type)).length > 0

/** The same as a condition, for a statement that is sent anyway, and its values. */
export const wantedCondition = `(exists (select 1 from webhooks w where w.tenant_id = ? and w.enabled and w.events @> ?::jsonb)
  or exists (select 1 from workflows w where w.tenant_id = ? and w.status = 'active' and w.events @> ?::jsonb))`
export const wantedValues = (tenantId: string, type: EventType): string[] => [tenantId, asked(type), tenantId, asked(type)]

export type Told = { tenant_id: string; data: unknown }

/**
 * Writes events that were found to be wanted, what is to be delivered to whom, and the executions that they start: one statement, however many. Of those
 * that nobody wants any more nothing is written. `now` in Unix seconds.
 */
export async function tell(em: EntityManager, type: EventType, events: readonly Told[], now: number): Promise<void> {
  if (events.length === 0) return
  await em.execute(
    // Whoever asks for it is locked as a key: one that is being deleted at this moment is passed over, and fails nobody's order. Whoever deletes one holds
    // nothing that a writer waits for before.
    `with asked as (select x.id, x.tenant_id, x.data, ?::text as type, ?::jsonb as types, ?::bigint as now
       from jsonb_to_recordset(?::jsonb) as x(id uuid, tenant_id uuid, data jsonb)),
     hooks as (select w.id, a.id as event_id from webhooks w, asked a where w.tenant_id = a.tenant_id and w.enabled and w.events @> a.types
       order by w.id for key share of w),
     flows as (select w.id, w.graph_id, w.key, a.id as event_id from workflows w, asked a
       where w.tenant_id = a.tenant_id and w.status = 'active' and w.events @> a.types order by w.id for key share of w),
     told as (insert into events (id, tenant_id, created_at, updated_at, type, data) select id, tenant_id, now, now, type, data from asked
       where id in (select event_id from hooks union all select event_id from flows)),
     due as (insert into deliveries (id, tenant_id, created_at, updated_at, webhook_id, event_id, type, status, attempts, due_at)
       select ${newIdSql}, a.tenant_id, a.now, a.now, h.id, a.id, a.type, 'pending', 0, clock_timestamp() from hooks h join asked a on a.id = h.event_id
       returning webhook_id, tenant_id),
     begun as (insert into executions (id, tenant_id, created_at, updated_at, workflow_id, graph_id, status, source, occurrence, input, step, cancel_requested)
       select ${newIdSql}, a.tenant_id, a.now, a.now, f.id, f.graph_id, 'pending', 'event', a.id::text,
         jsonb_build_object('id', a.id, 'type', a.type, 'created_at', a.now, 'store_id', a.tenant_id, 'data', a.data), 0, false
       from flows f join asked a on a.id = f.event_id returning id, workflow_id, tenant_id)
     insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, summary)
       select ${newIdSql}, d.tenant_id, 'deliver', d.webhook_id, clock_timestamp(), 0, false, null from due d
       union all
       select ${newIdSql}, b.tenant_id, 'execution', b.id, clock_timestamp(), 0, false, left(f.key, 80) || ' of store ' || t.key
       from begun b join (select distinct id, key from flows) f on f.id = b.workflow_id join tenants t on t.id = b.tenant_id`,
    [type, asked(type), now, JSON.stringify(events.map((one) => ({ id: newId(), ...one })))],
  )
}

/**
 * In the caller's transaction, after its rows are flushed. `data` gives the resource as the API would return it, and nothing secret; it is asked for only if
 * somebody wants to hear. One statement where nobody does. `now` in Unix seconds.
 */
export async function emit(em: EntityManager, tenantId: string, type: EventType, data: () => unknown, now: number): Promise<void> {
  if (await isWanted(em, tenantId, type)) await tell(em, type, [{ tenant_id: tenantId, data: await data() }], now)
}

/** As emit, for several tenants at once; `data` is told which of them want to hear. */
export async function emitAll(
  em: EntityManager,
  tenantIds: readonly string[],
  type: EventType,
  data: (wanting: string[]) => Promise<Told[]>,
  now: number,
): Promise<void> {
  const ids = await wanting(em, tenantIds, type)
  if (ids.length > 0) await tell(em, type, await data(ids), now)
}
