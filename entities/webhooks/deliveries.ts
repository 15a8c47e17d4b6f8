// Deliveries of one webhook are leased to one worker, settled in batches, and never lost: a delivery whose lease
// expires is due again.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { TenantKind } from '../../rules/stores/tenant-kinds.ts'
import { type DeliveryStatus, FAILING_MAX_S } from '../../rules/webhooks/deliveries.ts'
import type { EventType } from '../../rules/webhooks/events.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { json, sql } from '../kit/database/sql.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { decrypt } from '../kit/encrypted.ts'
import { newId } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { start } from '../kit/outbox.ts'
import { Delivery } from './delivery.ts'

export type Endpoint = {
  id: string
  tenant_id: string
  kind: TenantKind
  url: string
  /** The encrypted column, which changes with the address. */
  sealed_url: string
  headers: Record<string, string>
  /** Each of them signs. The second is the previous secret, which is valid for a day. */
  secrets: string[]
}
/** `others_wait`: other work of the tenant waits for a slot of the queue. */
export type Attended = Endpoint & { others_wait: boolean }
type HookRow = {
  tenant_id: string
  kind: TenantKind
  url: string
  headers: string
  secret: string
  previous_secret: string | null
  others_wait: boolean
}

/**
 * Reads the endpoint by its id and records that a drain polls its deliveries for another `awakeMs`. Null: the webhook
 * is deleted or disabled, and nothing is sent.
 */
export async function attend(em: EntityManager, webhookId: string, awakeMs: number): Promise<Attended | null> {
  const [row]: HookRow[] = await em.execute(sql`
    update webhooks
    set awake_until = clock_timestamp() + make_interval(secs => ${awakeMs / 1000})
    where id = ${webhookId} and enabled
    returning tenant_id, (select t.kind from tenants t where t.id = tenant_id) as kind, url, headers, secret,
      exists (
        select 1
        from task_slot_counts c
        where c.tenant_id = webhooks.tenant_id and c.queue = 'deliveries' and c.waiting > 0
      ) as others_wait,
      case
        when previous_secret_until > extract(epoch from clock_timestamp()) then previous_secret
      end as previous_secret
  `)
  if (!row) return null
  return {
    id: webhookId,
    tenant_id: row.tenant_id,
    kind: row.kind,
    url: decrypt(row.url),
    sealed_url: row.url,
    headers: JSON.parse(decrypt(row.headers)) as Record<string, string>,
    secrets: [row.secret, ...(row.previous_secret ? [row.previous_secret] : [])].map(decrypt),
    others_wait: row.others_wait,
  }
}

/** Ends the mark of a drain, so that the relay signals the webhook again. */
export const clearAwake = (em: EntityManager, webhookId: string) =>
  em.execute(sql`update webhooks set awake_until = null where id = ${webhookId}`)

/**
 * Records that the drain has ended. Returns the milliseconds until the next delivery is due, 0 if one is; null if none
 * is pending or the webhook is disabled.
 */
export async function leave(em: EntityManager, { id, tenant_id }: Endpoint): Promise<number | null> {
  await clearAwake(em, id)
  // A second statement sees deliveries that were committed before the mark was cleared.
  const [row]: { wait_ms: number | null }[] = await em.execute(sql`
    select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms
    from deliveries
    where webhook_id = ${id}
      and tenant_id = ${tenant_id}
      and status = 'pending'
      and exists (select 1 from webhooks w where w.id = ${id} and w.tenant_id = ${tenant_id} and w.enabled)
  `)
  return row?.wait_ms == null ? null : Math.max(0, Math.ceil(row.wait_ms))
}

/** `data` is the text of its JSON. */
export type Leased = {
  id: string
  attempts: number
  event_id: string
  type: EventType
  created_at: number
  data: string
}

/** Leases up to `limit` due deliveries, the oldest first, for `leaseMs`, and counts an attempt of each. */
export const leaseDeliveries = (
  em: EntityManager,
  { id, tenant_id }: Endpoint,
  limit: number,
  leaseMs: number,
): Promise<Leased[]> =>
  // Deliveries that another drain leases meanwhile are skipped.
  em.execute(sql`
    with due_deliveries as materialized (
      select id
      from deliveries
      where webhook_id = ${id} and tenant_id = ${tenant_id} and status = 'pending' and due_at <= statement_timestamp()
      order by due_at
      limit ${limit}
      for update skip locked
    )
    update deliveries d
    set attempts = attempts + 1, last_attempt_at = clock_timestamp(),
      due_at = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
    from due_deliveries, events e
    where d.id = due_deliveries.id and e.id = d.event_id and e.tenant_id = d.tenant_id
    returning d.id, d.attempts, d.event_id, d.type, e.created_at, e.data::text as data
  `)

export type Result = {
  id: string
  attempt: number
  status: DeliveryStatus
  /** Milliseconds until the next attempt of a pending delivery. */
  wait_ms: number | null
  provider_status_code: number | null
  response_body: string | null
  error: EffectError | null
}

/**
 * Writes the results of attempts and the state of the webhook that follows, in one statement. An attempt whose lease
 * another one has taken over counts only if it succeeded. `gone`: the endpoint answered 410. `now` in Unix seconds.
 */
export async function settleDeliveries(
  em: EntityManager,
  { id, tenant_id, sealed_url }: Endpoint,
  results: readonly Result[],
  gone: boolean,
  now: number,
) {
  const accepted = results.some(({ status }) => status === 'succeeded')
  const longAgo = now - FAILING_MAX_S
  const givenUp = sql`(not ${accepted} and failing_since <= ${longAgo}::bigint)`
  await em.execute(sql`
    with results as (
      select *
      from jsonb_to_recordset(${json(results)}) as x(
        id uuid, attempt int, status text, wait_ms float8, provider_status_code int, response_body text, error jsonb
      )
    ),
    settled_deliveries as (
      update deliveries d
      set status = r.status, provider_status_code = r.provider_status_code, response_body = r.response_body,
        error = r.error, due_at = clock_timestamp() + make_interval(secs => r.wait_ms / 1000),
        settled_at = case when r.status <> 'pending' then clock_timestamp() end, updated_at = ${now}
      from results r
      where d.id = r.id
        and d.webhook_id = ${id}
        and d.tenant_id = ${tenant_id}
        and d.status = 'pending'
        and (d.attempts = r.attempt or (d.attempts > r.attempt and r.status = 'succeeded'))
    )
    update webhooks
    set failing_since = case when ${accepted} then null else coalesce(failing_since, ${now}) end,
      enabled = not (${gone} or coalesce(${givenUp}, false)),
      disabled_reason = case when ${gone} then 'gone' when ${givenUp} then 'failing' end, updated_at = ${now}
    where id = ${id}
      and tenant_id = ${tenant_id}
      and enabled
      and url = ${sealed_url}
      and (
        ${gone}
        or case
          when ${accepted} then failing_since is not null
          else failing_since is null or failing_since <= ${longAgo}
        end
      )
  `)
}

/**
 * Enabled webhooks with overdue deliveries that have no running drain and do not wait for a slot. Of all tenants; each
 * row names its own.
 */
export const lateEndpoints = lateRows({
  from: sql`webhooks x`,
  at: 'x.id',
  type: 'uuid',
  where: ({ idleS }) => sql`
    x.enabled
    and (x.awake_until is null or x.awake_until < statement_timestamp())
    and not exists (select 1 from task_slots s where s.id = x.id and s.tenant_id = x.tenant_id and not s.granted)
    and exists (
      select 1
      from deliveries d
      where d.webhook_id = x.id
        and d.tenant_id = x.tenant_id
        and d.status = 'pending'
        and d.due_at < statement_timestamp() - make_interval(secs => ${idleS})
    )
  `,
})

/**
 * Redelivers an event: creates a new delivery, due now, under the event's id, and locks the old one, so that the event
 * is not swept. Null if there is no such delivery. `now` in Unix seconds.
 */
export async function deliverAgain(
  em: EntityManager,
  tenantId: string,
  webhookId: string,
  deliveryId: string,
  now: number,
): Promise<string | null> {
  const delivery = insertSelect(em, Delivery, {
    id: newId(),
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    webhook_id: webhookId,
    event_id: sql`event_id`,
    type: sql`type`,
    due_at: sql`clock_timestamp()`,
  })
  const [row]: { id: string }[] = await em.execute(sql`
    ${delivery}
    from deliveries
    where id = ${deliveryId} and webhook_id = ${webhookId} and tenant_id = ${tenantId}
    for key share
    returning id
  `)
  if (row) await start(em, 'deliver', webhookId, { tenant_id: tenantId })
  return row?.id ?? null
}

/**
 * Makes deliveries due again, with all their attempts. Idempotent. Of failed deliveries only those whose event has no
 * other delivery. Returns how many; `since` and `now` in Unix seconds.
 */
export async function retryDeliveries(
  em: EntityManager,
  tenantId: string,
  webhookId: string,
  { status, since }: { status: DeliveryStatus; since: number },
  now: number,
): Promise<number> {
  const [row]: { count: number }[] = await em.execute(sql`
    with redeliveries as (
      update deliveries d
      set status = 'pending', attempts = 0, due_at = clock_timestamp(), settled_at = null, updated_at = ${now}
      where webhook_id = ${webhookId}
        and tenant_id = ${tenantId}
        and status = ${status}
        and created_at >= ${since}
        and (
          status <> 'failed'
          or not exists (
            select 1
            from deliveries o
            where o.event_id = d.event_id
              and o.webhook_id = d.webhook_id
              and o.tenant_id = d.tenant_id
              and o.status <> 'failed'
          )
        )
      returning 1
    )
    select count(*)::int as count
    from redeliveries
  `)
  if (row?.count) await start(em, 'deliver', webhookId, { tenant_id: tenantId })
  return row?.count ?? 0
}
