// emit(em, tenantId, 'order.created', () => orderOf(em, id), now) publishes an event in the transaction of its change,
// if the tenant has a subscriber.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EventType } from '../../rules/webhooks/events.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { newId, newIdSql, uuids } from '../kit/ids.ts'

/**
 * Those of the tenants that have an enabled webhook or an active workflow that subscribes to events of that type. One
 * statement.
 */
async function subscribed(em: EntityManager, tenantIds: readonly string[], type: EventType): Promise<string[]> {
  if (tenantIds.length === 0) return []
  const ids = uuids(new Set(tenantIds))
  const types = json([type])
  const rows: { tenant_id: string }[] = await em.execute(sql`
    select tenant_id
    from webhooks
    where tenant_id = any (${ids}) and enabled and events @> ${types}
    union
    select tenant_id
    from workflows
    where tenant_id = any (${ids}) and status = 'active' and events @> ${types}
  `)
  return rows.map(({ tenant_id }) => tenant_id)
}

/** Whether an event has a subscriber; for a record that is deleted before its event is written. One statement. */
export const isWanted = async (em: EntityManager, tenantId: string, type: EventType): Promise<boolean> =>
  (await subscribed(em, [tenantId], type)).length > 0

/** Whether the tenant has a subscriber of one of two events. One statement. */
export async function isEitherWanted(
  em: EntityManager,
  tenantId: string,
  one: EventType,
  other: EventType,
): Promise<boolean> {
  const [row]: { wanted: boolean }[] = await em.execute(
    sql`select ${subscribedSql(tenantId, one)} or ${subscribedSql(tenantId, other)} as wanted`,
  )
  return row?.wanted ?? false
}

/** The same as a condition of a statement that is sent anyway. */
export const subscribedSql = (tenantId: string, type: EventType): Sql => sql`
  (
    exists (
      select 1
      from webhooks w
      where w.tenant_id = ${tenantId} and w.enabled and w.events @> ${json([type])}
    )
    or exists (
      select 1
      from workflows w
      where w.tenant_id = ${tenantId} and w.status = 'active' and w.events @> ${json([type])}
    )
  )
`

export type NewEvent = { tenant_id: string; data: unknown }

/**
 * Writes events that were found to have subscribers, their deliveries, and the executions that they start, in one
 * statement. An event whose subscribers are gone by then is not written. `now` in Unix seconds.
 */
export async function writeEvents(
  em: EntityManager,
  type: EventType,
  events: readonly NewEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((one) => ({ id: newId(), ...one }))
  await em.execute(
    // A subscriber is locked as a key: one that is being deleted is skipped, and its deletion does not fail the
    // writer's transaction. A deletion holds no lock that a writer waits for before.
    sql`
      with new_events as (
        select x.id, x.tenant_id, x.data, ${type}::text as type, ${json([type])} as types, ${now}::bigint as now
        from jsonb_to_recordset(${json(rows)}) as x(id uuid, tenant_id uuid, data jsonb)
      ),
      subscribed_webhooks as (
        select w.id, e.id as event_id
        from webhooks w, new_events e
        where w.tenant_id = e.tenant_id and w.enabled and w.events @> e.types
        order by w.id
        for key share of w
      ),
      triggered_workflows as (
        select w.id, w.graph_id, w.key, e.id as event_id
        from workflows w, new_events e
        where w.tenant_id = e.tenant_id and w.status = 'active' and w.events @> e.types
        order by w.id
        for key share of w
      ),
      published as (
        insert into events (id, tenant_id, created_at, updated_at, type, data)
        select id, tenant_id, now, now, type, data
        from new_events
        where id in (select event_id from subscribed_webhooks union all select event_id from triggered_workflows)
      ),
      new_deliveries as (
        insert into deliveries (
          id, tenant_id, created_at, updated_at, webhook_id, event_id, type, status, attempts, due_at
        )
        select ${newIdSql}, e.tenant_id, e.now, e.now, w.id, e.id, e.type, 'pending', 0, clock_timestamp()
        from subscribed_webhooks w
        join new_events e on e.id = w.event_id
        returning webhook_id, tenant_id
      ),
      new_executions as (
        insert into executions (
          id, tenant_id, created_at, updated_at, workflow_id, graph_id, status, source, occurrence, input, step,
          cancel_requested
        )
        select ${newIdSql}, e.tenant_id, e.now, e.now, w.id, w.graph_id, 'pending', 'event', e.id::text,
          jsonb_build_object('id', e.id, 'type', e.type, 'created_at', e.now, 'store_id', e.tenant_id, 'data', e.data),
          0, false
        from triggered_workflows w
        join new_events e on e.id = w.event_id
        returning id, workflow_id, tenant_id
      )
      insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, summary)
      select ${newIdSql}, d.tenant_id, 'deliver', d.webhook_id, clock_timestamp(), 0, false, null
      from (select distinct webhook_id, tenant_id from new_deliveries) d
      union all
      select ${newIdSql}, x.tenant_id, 'execution', x.id, clock_timestamp(), 0, false,
        left(workflow.key, 80) || ' of store ' || t.key
      from new_executions x
      join (select distinct id, key from triggered_workflows) workflow on workflow.id = x.workflow_id
      join tenants t on t.id = x.tenant_id
    `,
  )
}

/**
 * Publishes an event in the caller's transaction, after its rows are flushed. `data` returns the resource as the API
 * would return it, without secrets; it is called only if there is a subscriber. One statement if there is none. `now`
 * in Unix seconds.
 */
export async function emit(
  em: EntityManager,
  tenantId: string,
  type: EventType,
  data: () => unknown,
  now: number,
): Promise<void> {
  if (await isWanted(em, tenantId, type))
    await writeEvents(em, type, [{ tenant_id: tenantId, data: await data() }], now)
}

/** Publishes as emit does, for several tenants at once; `data` gets those that have a subscriber. */
export async function emitAll(
  em: EntityManager,
  tenantIds: readonly string[],
  type: EventType,
  data: (subscribed: string[]) => Promise<NewEvent[]>,
  now: number,
): Promise<void> {
  const ids = await subscribed(em, tenantIds, type)
  if (ids.length > 0) await writeEvents(em, type, await data(ids), now)
}
