// Deliveries of one webhook: leased to one worker for a while, settled in batches, and never lost: a lease that ends is due again.
import type { EntityManager } from '@mikro-orm/postgresql'
import { FAILING_MAX_S } from '../../rules/webhooks/deliveries.ts'
import type { EventType } from '../../rules/webhooks/events.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { decrypt } from '../kit/encrypted.ts'
import { arrayOf, newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'

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
    `update webhooks set awake_until = clock_timestamp() + make_interval(secs => ?) where id = ? and enabled
     returning tenant_id, url, headers, secret,
       exists (select 1 from task_slot_counts c where c.tenant_id = webhooks.tenant_id and c.queue = 'deliveries' and c.waiting > 0) as others_wait, case when previous_secret_until > extract(epoch from clock_timestamp()) then previous_secret end as previous_secret`,
    [awakeMs / 1000, webhookId],
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
  await em.execute('update webhooks set awake_until = null where id = ? and tenant_id = ?', [id, tenant_id])
  // Another statement: what was committed before the mark went is seen.
  const [row]: { wait_ms: number | null }[] = await em.execute(
    `select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as wait_ms from deliveries where webhook_id = ? and tenant_id = ? and status = 'pending'`,
    [id, tenant_id],
  )
  return row?.wait_ms == null ? null : Math.max(0, Math.ceil(row.wait_ms))
}

/** Of those webhooks, the ones that need no signal now: a drain is at work, or a signal follows when a slot is granted. */
export async function awakeOnes(em: EntityManager, webhookIds: readonly string[]): Promise<string[]> {
  if (webhookIds.length === 0) return []
  const rows: { id: string }[] = await em.execute(
    // One that was granted a slot which no drain has taken over has to be signalled in any case.
    `select id from webhooks where id = any (?::uuid[]) and (awake_until > clock_timestamp() + interval '200 ms'
         and not exists (select 1 from task_slots s where s.id = webhooks.id and s.tenant_id = webhooks.tenant_id and s.granted)
       or exists (select 1 from task_slots s where s.id = webhooks.id and s.tenant_id = webhooks.tenant_id and not s.granted))`,
    [arrayOf(webhookIds)],
  )
  return rows.map(({ id }) => id)
}

/** `data` is the text of its JSON. */
export type Leased = { id: string; attempts: number; event_id: string; type: EventType; created_at: number; data: string }

/** Takes up to `limit` due ones, the oldest first, for `leaseMs`: whoever dies with them loses them. Each is one try more. */
export const leaseDeliveries = (em: EntityManager, { id, tenant_id }: Endpoint, limit: number, leaseMs: number): Promise<Leased[]> =>
  em.execute(
    `with due as materialized (select id from deliveries where webhook_id = ? and tenant_id = ? and status = 'pending' and due_at <= statement_timestamp()
       order by due_at limit ? for update skip locked)
     update deliveries d set attempts = attempts + 1, last_attempt_at = clock_timestamp(), due_at = clock_timestamp() + make_interval(secs => ?)
     from due, events e where d.id = due.id and e.id = d.event_id and e.tenant_id = d.tenant_id
     returning d.id, d.attempts, d.event_id, d.type, e.created_at, e.data::text as data`,
    [id, tenant_id, limit, leaseMs / 1000],
  )

export type Result = {
  id: string
  attempt: number
  status: 'succeeded' | 'failed' | 'pending'
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
  const taken = results.some(({ status }) => status === 'succeeded')
  const given_up = `(not ?::boolean and failing_since <= ?::bigint)`
  const longAgo = now - FAILING_MAX_S
  await em.execute(
    `with told as (select * from jsonb_to_recordset(?::jsonb)
       as x(id uuid, attempt int, status text, wait_ms float8, provider_status_code int, response_body text, error jsonb)),
     settled as (update deliveries d set status = t.status, provider_status_code = t.provider_status_code, response_body = t.response_body, error = t.error,
       due_at = clock_timestamp() + make_interval(secs => t.wait_ms / 1000), settled_at = case when t.status <> 'pending' then clock_timestamp() end, updated_at = ?
       from told t where d.id = t.id and d.webhook_id = ? and d.tenant_id = ? and d.status = 'pending'
         and (d.attempts = t.attempt or (d.attempts > t.attempt and t.status = 'succeeded')))
     update webhooks set failing_since = case when ?::boolean then null else coalesce(failing_since, ?) end, enabled = not (?::boolean or coalesce(${given_up}, false)),
       disabled_reason = case when ?::boolean then 'gone' when ${given_up} then 'failing' end, updated_at = ?
     where id = ? and tenant_id = ? and enabled and url = ?
       and (?::boolean or case when ?::boolean then failing_since is not null else failing_since is null or failing_since <= ?::bigint end)`,
    [
      ...[JSON.stringify(results), now, id, tenant_id],
      ...[taken, now, gone, taken, longAgo, gone, taken, longAgo, now],
      ...[id, tenant_id, sealed_url, gone, taken, longAgo],
    ],
  )
}

/** Enabled webhooks with overdue deliveries, no drain at work, and no place among those that wait for a slot. For all tenants: rows leave with theirs. */
export const overdueEndpoints = (em: EntityManager, graceS: number, limit: number): Promise<{ id: string; tenant_id: string }[]> =>
  em.execute(
    `select w.id, w.tenant_id from webhooks w where w.enabled and (w.awake_until is null or w.awake_until < statement_timestamp())
       and not exists (select 1 from task_slots s where s.id = w.id and s.tenant_id = w.tenant_id and not s.granted)
       and exists (select 1 from deliveries d where d.webhook_id = w.id and d.tenant_id = w.tenant_id and d.status = 'pending'
         and d.due_at < statement_timestamp() - make_interval(secs => ?)) limit ?`,
    [graceS, limit],
  )

/** A new delivery of the same event, due now (the old one is held, so that both do not go with their event), under the event's own id; null where there is none to tell again. `now` in Unix seconds. */
export async function deliverAgain(em: EntityManager, tenantId: string, webhookId: string, deliveryId: string, now: number): Promise<string | null> {
  const [row]: { id: string }[] = await em.execute(
    `insert into deliveries (id, tenant_id, created_at, updated_at, webhook_id, event_id, type, status, attempts, due_at)
     select ?, tenant_id, ?, ?, webhook_id, event_id, type, 'pending', 0, clock_timestamp() from deliveries where id = ? and webhook_id = ? and tenant_id = ?
     for key share returning id`,
    [newId(), now, now, deliveryId, webhookId, tenantId],
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
  { status, since }: { status: 'pending' | 'succeeded' | 'failed'; since: number },
  now: number,
): Promise<number> {
  const [row]: { count: number }[] = await em.execute(
    `with again as (update deliveries d set status = 'pending', attempts = 0, due_at = clock_timestamp(), settled_at = null, updated_at = ?
       where webhook_id = ? and tenant_id = ? and status = ? and created_at >= ? and (status <> 'failed' or not exists (select 1 from deliveries o
         where o.event_id = d.event_id and o.webhook_id = d.webhook_id and o.tenant_id = d.tenant_id and o.status <> 'failed')) returning 1)
     select count(*)::int as count from again`,
    [now, webhookId, tenantId, status, since],
  )
  if (row?.count) await start(em, 'deliver', webhookId, { tenant_id: tenantId })
  return row?.count ?? 0
}
