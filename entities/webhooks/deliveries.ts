// Deliveries of one webhook: leased to one worker for a while, settled in batches, and never lost: a lease that ends is due again.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type DeliveryStatus, FAILING_MAX_S } from '../../rules/webhooks/deliveries.ts'
import type { EventType } from '../../rules/webhooks/events.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { decrypt } from '../kit/encrypted.ts'
import { newId, uuids } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { json, sql } from '../kit/sql.ts'

export type Endpoint = {
  id: string
  tenant_id: string
  url: string
  /** The column as it stands: another address is another text. */
  sealed_url: string
  headers: Record<string, string>
  /** Each signs: the second is the one before, for a day. */
  secrets: string[]
}
/** `others_wait`: work of the tenant waits for a slot of the queue. */
export type Attended = Endpoint & { others_wait: boolean }
type HookRow = { tenant_id: string; url: string; headers: string; secret: string; previous_secret: string | null; others_wait: boolean }

/**
 * Who it goes to, read by its own id, and the word that somebody looks for its deliveries for `awakeMs` more. Null: the webhook is gone or disabled, and
 * nothing is sent.
 */
export async function attend(em: EntityManager, webhookId: string, awakeMs: number): Promise<Attended | null> {
  const [row]: HookRow[] = await em.execute(
    sql`update webhooks set awake_until = clock_timestamp() + make_interval(secs => ${awakeMs / 1000}) where id = ${webhookId} and enabled
     returning tenant_id, url, headers, secret,
       exists (select 1 from task_slot_counts c where c.tenant_id = webhooks.tenant_id and c.queue = 'deliveries' and c.waiting > 0) as others_wait, case when previous_secret_until > extract(epoch from clock_timestamp()) then previous_secret end as previous_secret`,
  )
  if (!row) return null
  return {
    id: webhookId,
    tenant_id: row.tenant_id,
    url: decrypt(row.url),
    sealed_url: row.url,
    headers: JSON.parse(decrypt(row.headers)) as Record<string, string>,
    secrets: [row.secret, ...(row.previous_secret ? [row.previous_secret] : [])].map(decrypt),
    others_wait: row.others_wait,
  }
}

/** From here on somebody has to be woken. Returns the milliseconds until the next is due, 0 if it is; null where none is pending. */
export async function leave(em: EntityManager, { id, tenant_id }: Endpoint): Promise<number | null> {
  await em.execute(sql`update webhooks set awake_until = null where id = ${id} and tenant_id = ${tenant_id}`)
  // Another statement: what was committed before the mark went is seen.
  const [row]: { wait_ms: number | null }[] = await em.execute(
    sql`select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from deliveries where webhook_id = ${id} and tenant_id = ${tenant_id} and status = 'pending'`,
  )
  return row?.wait_ms == null ? null : Math.max(0, Math.ceil(row.wait_ms))
}

/** Of those webhooks, the ones that need no signal now: a drain is at work, or a signal follows when a slot is granted. */
export async function awakeOnes(em: EntityManager, webhookIds: readonly string[]): Promise<string[]> {
  if (webhookIds.length === 0) return []
  const rows: { id: string }[] = await em.execute(
    // One that was granted a slot which no drain has taken over has to be signalled in any case.
    sql`select id from webhooks where id = any (${uuids(webhookIds)}) and (awake_until > clock_timestamp() + interval '200 ms'
         and not exists (select 1 from task_slots s where s.id = webhooks.id and s.tenant_id = webhooks.tenant_id and s.granted)
       or exists (select 1 from task_slots s where s.id = webhooks.id and s.tenant_id = webhooks.tenant_id and not s.granted))`,
  )
  return rows.map(({ id }) => id)
}

/** `data` is the text of its JSON. */
export type Leased = { id: string; attempts: number; event_id: string; type: EventType; created_at: number; data: string }

/** Takes up to `limit` due ones, the oldest first, for `leaseMs`: whoever dies with them loses them. Each is one try more. */
export const leaseDeliveries = (em: EntityManager, { id, tenant_id }: Endpoint, limit: number, leaseMs: number): Promise<Leased[]> =>
  em.execute(
    sql`with due as materialized (select id from deliveries where webhook_id = ${id} and tenant_id = ${tenant_id} and status = 'pending' and due_at <= statement_timestamp()
       order by due_at limit ${limit} for update skip locked)
     update deliveries d set attempts = attempts + 1, last_attempt_at = clock_timestamp(), due_at = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
     from due, events e where d.id = due.id and e.id = d.event_id and e.tenant_id = d.tenant_id
     returning d.id, d.attempts, d.event_id, d.type, e.created_at, e.data::text as data`,
  )

export type Result = {
  id: string
  attempt: number
  status: DeliveryStatus
  /** Of a pending one: until its next try. */
  wait_ms: number | null
  provider_status_code: number | null
  response_body: string | null
  error: EffectError | null
}

/**
 * Writes how tries went, and what that says of the webhook, in one statement. A try whose lease another one took over counts only if it succeeded. `gone`:
 * the address asked for nothing more. `now` in Unix seconds.
 */
export async function settleDeliveries(em: EntityManager, { id, tenant_id, sealed_url }: Endpoint, results: readonly Result[], gone: boolean, now: number) {
  const accepted = results.some(({ status }) => status === 'succeeded')
  const longAgo = now - FAILING_MAX_S
  const givenUp = sql`(not ${accepted} and failing_since <= ${longAgo}::bigint)`
  await em.execute(
    sql`with told as (select * from jsonb_to_recordset(${json(results)})
       as x(id uuid, attempt int, status text, wait_ms float8, provider_status_code int, response_body text, error jsonb)),
     settled as (update deliveries d set status = t.status, provider_status_code = t.provider_status_code, response_body = t.response_body, error = t.error,
       due_at = clock_timestamp() + make_interval(secs => t.wait_ms / 1000), settled_at = case when t.status <> 'pending' then clock_timestamp() end, updated_at = ${now}
       from told t where d.id = t.id and d.webhook_id = ${id} and d.tenant_id = ${tenant_id} and d.status = 'pending'
         and (d.attempts = t.attempt or (d.attempts > t.attempt and t.status = 'succeeded')))
     update webhooks set failing_since = case when ${accepted} then null else coalesce(failing_since, ${now}) end,
       enabled = not (${gone} or coalesce(${givenUp}, false)), disabled_reason = case when ${gone} then 'gone' when ${givenUp} then 'failing' end, updated_at = ${now}
     where id = ${id} and tenant_id = ${tenant_id} and enabled and url = ${sealed_url}
       and (${gone} or case when ${accepted} then failing_since is not null else failing_since is null or failing_since <= ${longAgo} end)`,
  )
}

/** Enabled webhooks with overdue deliveries, no drain at work, and no place among those that wait for a slot. For all tenants: rows leave with theirs. */
export const overdueEndpoints = (em: EntityManager, graceS: number, limit: number): Promise<{ id: string; tenant_id: string }[]> =>
  em.execute(
    sql`select w.id, w.tenant_id from webhooks w where w.enabled and (w.awake_until is null or w.awake_until < statement_timestamp())
       and not exists (select 1 from task_slots s where s.id = w.id and s.tenant_id = w.tenant_id and not s.granted)
       and exists (select 1 from deliveries d where d.webhook_id = w.id and d.tenant_id = w.tenant_id and d.status = 'pending'
         and d.due_at < statement_timestamp() - make_interval(secs => ${graceS})) limit ${limit}`,
  )

/** A new delivery of the same event, due now (the old one is held, so that both do not go with their event), under the event's own id; null where there is none to tell again. `now` in Unix seconds. */
export async function deliverAgain(em: EntityManager, tenantId: string, webhookId: string, deliveryId: string, now: number): Promise<string | null> {
  const [row]: { id: string }[] = await em.execute(
    sql`insert into deliveries (id, tenant_id, created_at, updated_at, webhook_id, event_id, type, status, attempts, due_at)
     select ${newId()}, tenant_id, ${now}, ${now}, webhook_id, event_id, type, 'pending', 0, clock_timestamp() from deliveries where id = ${deliveryId} and webhook_id = ${webhookId} and tenant_id = ${tenantId}
     for key share returning id`,
  )
  if (row) await start(em, 'deliver', webhookId, { tenant_id: tenantId })
  return row?.id ?? null
}

/**
 * Many are due again, with all their tries before them: asking twice is asking once. Of those that failed only what has not been told since. How many;
 * `since` and `now` in Unix seconds.
 */
export async function retryDeliveries(
  em: EntityManager,
  tenantId: string,
  webhookId: string,
  { status, since }: { status: DeliveryStatus; since: number },
  now: number,
): Promise<number> {
  const [row]: { count: number }[] = await em.execute(
    sql`with again as (update deliveries d set status = 'pending', attempts = 0, due_at = clock_timestamp(), settled_at = null, updated_at = ${now}
       where webhook_id = ${webhookId} and tenant_id = ${tenantId} and status = ${status} and created_at >= ${since} and (status <> 'failed' or not exists (select 1 from deliveries o
         where o.event_id = d.event_id and o.webhook_id = d.webhook_id and o.tenant_id = d.tenant_id and o.status <> 'failed')) returning 1)
     select count(*)::int as count from again`,
  )
  if (row?.count) await start(em, 'deliver', webhookId, { tenant_id: tenantId })
  return row?.count ?? 0
}
