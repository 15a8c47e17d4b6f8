// Before the rows of a tenant are deleted, what is pending ends at the provider: payment pages are closed, subscriptions are cancelled, accounts are disconnected, and
// requests in flight are answered.
import type { EntityManager } from '@mikro-orm/postgresql'
import { effects } from '../../rules/effects.ts'
import { disconnectProviders } from '../automation/oauth-exchanges.ts'
import { uuids } from '../kit/ids.ts'
import { startAll } from '../kit/outbox.ts'
import { column, join, type Sql, sql } from '../kit/sql.ts'
import { requestEnd } from '../orders/authorization-ends.ts'
import { wakeCheckout } from '../orders/checkout-steps.ts'
import { requestSessionExpiry } from '../orders/payment-sessions.ts'
import { lockOrder } from '../orders/release.ts'
import { disconnectSome } from '../social/connections.ts'
import { requestChange } from '../subscriptions/changes.ts'
import { lockSubscription } from '../subscriptions/locking.ts'
import { requestClosing } from '../subscriptions/pages.ts'

const batch = 50

type Ending = (em: EntityManager, tenantId: string, now: number) => Promise<number>

/** An order whose page may be paid, or was paid and waits for the event that says so. */
const isPayable = sql`status = 'pending' and exists (select 1 from payment_sessions s join payments p on p.id = s.payment_id and p.tenant_id = s.tenant_id
  where s.order_id = orders.id and s.status not in ('rejected', 'failed') and coalesce(s.state, 'open') <> 'expired' and p.status in ('pending', 'processing'))`
/** A payment that is authorised, and whose capture or cancellation is not decided. A cancellation that was refused is not asked for again. */
const isAuthorized = sql`payments.status = 'authorized' and not exists (select 1 from authorization_ends e where e.payment_id = payments.id and e.tenant_id = payments.tenant_id
  and (e.kind = 'cancel' or e.status not in ('failed', 'rejected')))`
const hasPage = sql`status in ('waiting', 'pending')`
/** The provider charges for it. A second subscription of a member is `given_up` until it has ended. */
const isCharged = sql`kind = 'recurring' and provider_subscription_id is not null and status in ('live', 'given_up')`

type Id = { id: string }

const cancelOrders: Ending = async (em, tenantId, now) => {
  const found: Id[] = await em.execute(
    sql`update orders set cancel_requested = true, updated_at = ${now} where tenant_id = ${tenantId} and id = any (array(select id from orders
       where tenant_id = ${tenantId} and ${isPayable} and not cancel_requested order by id limit ${batch} for update)) returning id`,
  )
  for (const { id } of found) await wakeCheckout(em, { id, tenant_id: tenantId })
  return found.length
}

/** Of bookings that were confirmed before they were paid: their checkout keeps the order. */
const closeKeptPages: Ending = async (em, tenantId, now) => {
  const found: (Id & { order_id: string })[] = await em.execute(
    sql`select s.id, s.order_id from payment_sessions s join orders o on o.id = s.order_id and o.tenant_id = s.tenant_id
     where s.tenant_id = ${tenantId} and s.state = 'open' and s.provider_session_id is not null and o.status <> 'pending'
       and not exists (select 1 from session_expiries e where e.payment_session_id = s.id) order by s.id limit ${batch}`,
  )
  for (const { id, order_id } of found) {
    await requestSessionExpiry(em, id, now)
    await wakeCheckout(em, { id: order_id, tenant_id: tenantId })
  }
  return found.length
}

const cancelAuthorizations: Ending = async (em, tenantId, now) => {
  const found: { order_id: string }[] = await em.execute(
    sql`select order_id from payments where tenant_id = ${tenantId} and ${isAuthorized} order by order_id limit ${batch}`,
  )
  for (const { order_id } of found) {
    await lockOrder(em, order_id)
    await requestEnd(em, tenantId, order_id, { kind: 'cancel' }, now)
  }
  return found.length
}

/** One that waits comes first: the page that it waits for would promote it. */
const closePages: Ending = async (em, tenantId, now) => {
  const found: Id[] = await em.execute(
    sql`select id from subscriptions where tenant_id = ${tenantId} and ${hasPage} and not cancel_requested order by status = 'waiting' desc, id limit ${batch}`,
  )
  for (const { id } of found) {
    const row = await lockSubscription(em, { id, tenant_id: tenantId })
    if (row && ['waiting', 'pending'].includes(row.status)) await requestClosing(em, row, now)
  }
  return found.length
}

/** Once each: the reconciler repeats those that were refused or whose outcome is unknown. */
const cancelSubscriptions: Ending = async (em, tenantId, now) => {
  const found: Id[] = await em.execute(
    sql`select s.id from subscriptions s where tenant_id = ${tenantId} and ${isCharged}
     and not exists (select 1 from subscription_changes c where c.subscription_id = s.id and c.kind = 'cancel_now') order by s.id limit ${batch}`,
  )
  for (const { id } of found) {
    const row = await lockSubscription(em, { id, tenant_id: tenantId })
    if (row?.status === 'live' || row?.status === 'given_up') await requestChange(em, row, 'cancel_now', row.status === 'live' ? 'operator' : 'system', now)
  }
  return found.length
}

const cancelExecutions: Ending = async (em, tenantId, now) => {
  const found: Id[] = await em.execute(
    sql`select id from executions where tenant_id = ${tenantId} and status in ('pending', 'running') and not cancel_requested order by id limit ${batch} for update`,
  )
  if (found.length === 0) return 0
  const ids = found.map(({ id }) => id)
  await em.execute(
    sql`update executions set cancel_requested = true, wake_at = clock_timestamp(), updated_at = ${now} where tenant_id = ${tenantId} and id = any (${uuids(ids)})`,
  )
  await startAll(em, 'execution', ids, { tenant_id: tenantId })
  return found.length
}

/** Their tokens are revoked where they were got. */
const disconnectAccounts: Ending = async (em, tenantId, now) =>
  (await disconnectProviders(em, tenantId, batch, now)) + (await disconnectSome(em, tenantId, batch, now))

const endings: readonly Ending[] = [
  ...[cancelOrders, closeKeptPages, cancelAuthorizations, closePages, cancelSubscriptions, cancelExecutions],
  disconnectAccounts,
]

/** Requests one batch of endings. Returns false if nothing is left to request. Requires a transaction of its own. `now` in Unix seconds. */
export async function endPending(em: EntityManager, tenantId: string, now: number): Promise<boolean> {
  for (const end of endings) if ((await end(em, tenantId, now)) > 0) return true
  return false
}

const hour = 3_600

/** Effects that are sent although the tenant is being erased: they return money, and end what would take more. Others are not waited for unless they are in flight. */
const owed = new Set<string>([effects.refund.table, effects.authorization_end.table, effects.session_expiry.table, effects.subscription_change.table])

/** A network that cannot be reached holds a deletion no longer than this. Seconds. */
const revocationS = 600

const revoking = new Set<string>([effects.social_token_request.table, effects.oauth_exchange.table])

/** Which rows of an effect are awaited. */
function isAwaited(table: string, now: number): Sql {
  if (owed.has(table)) return sql`status in ('processing', 'requested')`
  if (!revoking.has(table)) return sql`status = 'processing'`
  return sql`status = 'processing' or status = 'requested' and kind = 'revoke' and created_at > ${now - revocationS}`
}

/** How many rows are awaited, by table. One statement. `now` in Unix seconds. */
export async function awaitedRows(em: EntityManager, tenantId: string, now: number): Promise<Record<string, number>> {
  const counted = (table: string, condition: Sql) =>
    sql`select ${table}::text as name, count(*)::int as rows from ${column(table)} where tenant_id = ${tenantId} and (${condition})`
  const ofEffects = Object.values(effects).map(({ table }) => counted(table, isAwaited(table, now)))
  const ofOthers = [
    counted('orders', isPayable),
    counted('payments', isAuthorized),
    counted('subscriptions', sql`${hasPage} or ${isCharged}`),
    // An upload that a process is storing, and an image that is processed.
    counted('media', sql`status = 'processing' or status = 'uploading' and updated_at > ${now - hour}`),
  ]
  const rows: { name: string; rows: number }[] = await em.execute(
    sql`select name, rows from (${join([...ofOthers, ...ofEffects], ' union all ')}) a where rows > 0`,
  )
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]))
}
