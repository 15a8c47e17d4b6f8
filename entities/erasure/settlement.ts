// Before the rows of a tenant are deleted, pending work ends at the providers: the erasure closes payment pages,
// cancels subscriptions, disconnects accounts, and waits for the outcomes of requests in flight.
import type { EntityManager } from '@mikro-orm/postgresql'
import { FORMS_MAX_S, type OpenOutcomes } from '../../rules/erasure/erasures.ts'
import type { MoneyItem } from '../../rules/payments/attention.ts'
import { disconnectProviders } from '../automation/oauth-exchanges.ts'
import { disconnectSome } from '../connections/connections.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { startAll } from '../kit/outbox.ts'
import { isPayable } from '../orders/erasure.ts'
import { cancelOrder, lockOrder } from '../orders/release.ts'
import { moneyAttention } from '../payments/attention/money-items.ts'
import { requestEnd } from '../payments/authorization-ends.ts'
import { wakeCheckout } from '../payments/checkout-steps.ts'
import { requestChange } from '../subscriptions/changes.ts'
import { wantCharges } from '../subscriptions/charges.ts'
import { hasPage, isCharged } from '../subscriptions/erasure.ts'
import { lockSubscription } from '../subscriptions/locks.ts'
import { requestClosing } from '../subscriptions/pages.ts'
import { openRows } from './awaited-rows.ts'
import { undeliveredRows } from './undelivered-rows.ts'

const BATCH = 50

/** Requests the end of some rows of one kind; returns how many. `now` in Unix seconds. */
type Ending = (em: EntityManager, tenantId: string, now: number) => Promise<number>

/**
 * An authorised payment without a request to capture or cancel it. A cancellation that the provider refused is not
 * requested again.
 */
const isAuthorized = sql`
  payments.status = 'authorized'
  and not exists (
    select 1
    from authorization_ends e
    where e.payment_id = payments.id
      and e.tenant_id = payments.tenant_id
      and (e.kind = 'cancel' or e.status not in ('failed', 'rejected'))
  )
`

type Id = { id: string }

const cancelOrders: Ending = async (em, tenantId, now) => {
  // Locked by id: a batch does not deadlock with other changes of several orders.
  const orders: Id[] = await em.execute(sql`
    update orders
    set cancel_requested = true, updated_at = ${now}
    where tenant_id = ${tenantId}
      and id = any (
        array(
          select id
          from orders
          where tenant_id = ${tenantId} and ${isPayable} and not cancel_requested
          order by id
          limit ${BATCH}
          for update
        )
      )
    returning id
  `)
  for (const { id } of orders) await wakeCheckout(em, { id, tenant_id: tenantId })
  return orders.length
}

/**
 * Cancels an order of bookings that were confirmed before they were paid, which its checkout does not cancel. A payment
 * that arrives before the form is closed is refunded. One order in a transaction: orders are locked before the stock
 * and the time that they reserve, and those of one order may be reserved by another.
 */
const cancelConfirmed: Ending = async (em, tenantId, now) => {
  const orders: Id[] = await em.execute(sql`
    select o.id
    from orders o
    where o.tenant_id = ${tenantId}
      and o.status not in ('pending', 'cancelled')
      and exists (
        select 1
        from payment_sessions s
        join payments p on p.id = s.payment_id and p.tenant_id = s.tenant_id
        where s.order_id = o.id
          and s.tenant_id = o.tenant_id
          and p.status in ('pending', 'processing')
          and s.status not in ('rejected', 'failed')
          and coalesce(s.state, 'open') = 'open'
      )
    order by o.id
    limit 1
  `)
  for (const { id } of orders) {
    const order = await lockOrder(em, id)
    if (!order || !['pending', 'processing'].includes(order.payment_status)) continue
    await cancelOrder(em, order, now, { reason: 'requested' })
    await wakeCheckout(em, order)
  }
  return orders.length
}

const cancelAuthorizations: Ending = async (em, tenantId, now) => {
  const payments: { order_id: string }[] = await em.execute(sql`
    select order_id
    from payments
    where tenant_id = ${tenantId} and ${isAuthorized}
    order by order_id
    limit ${BATCH}
  `)
  for (const { order_id } of payments) {
    await lockOrder(em, order_id)
    await requestEnd(em, tenantId, order_id, { kind: 'cancel' }, now)
  }
  return payments.length
}

/**
 * Closes pages of subscriptions, of waiting ones first: the closing of a page promotes the one that waits for it.
 * Members are locked by id, as by merges.
 */
const closePages: Ending = async (em, tenantId, now) => {
  const subscriptions: Id[] = await em.execute(sql`
    select id
    from subscriptions
    where tenant_id = ${tenantId} and ${hasPage} and not cancel_requested
    order by member_id, status = 'waiting' desc, id
    limit ${BATCH}
  `)
  for (const { id } of subscriptions) {
    const row = await lockSubscription(em, { id, tenant_id: tenantId })
    if (!row || !['waiting', 'pending'].includes(row.status)) continue
    // A payment that arrives before the form is closed is refunded.
    await em.execute(sql`
      update subscriptions
      set cancelled_by = 'operator', updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${id} and status = 'pending'
    `)
    await requestClosing(em, row, now)
  }
  return subscriptions.length
}

/**
 * Requests each cancellation once: the reconciler repeats those that were refused or whose outcome is unknown. Members
 * are locked by id, as by merges.
 */
const cancelSubscriptions: Ending = async (em, tenantId, now) => {
  const subscriptions: Id[] = await em.execute(sql`
    select s.id
    from subscriptions s
    where tenant_id = ${tenantId}
      and ${isCharged}
      and not exists (select 1 from subscription_changes c where c.subscription_id = s.id and c.kind = 'cancel_now')
    order by s.member_id, s.id
    limit ${BATCH}
  `)
  for (const { id } of subscriptions) {
    const row = await lockSubscription(em, { id, tenant_id: tenantId })
    if (row?.status === 'live' || row?.status === 'given_up')
      await requestChange(em, row, 'cancel_now', row.status === 'live' ? 'operator' : 'system', now)
  }
  return subscriptions.length
}

const readCharges: Ending = (em, tenantId, now) => wantCharges(em, tenantId, BATCH, now)

const cancelExecutions: Ending = async (em, tenantId, now) => {
  // Locked by id: a batch does not deadlock with other changes of several executions.
  const executions: Id[] = await em.execute(sql`
    select id
    from executions
    where tenant_id = ${tenantId} and status in ('pending', 'running') and not cancel_requested
    order by id
    limit ${BATCH}
    for update
  `)
  if (executions.length === 0) return 0
  const ids = executions.map(({ id }) => id)
  await em.execute(sql`
    update executions
    set cancel_requested = true, wake_at = clock_timestamp(), updated_at = ${now}
    where tenant_id = ${tenantId} and id = any (${uuids(ids)})
  `)
  await startAll(em, 'execution', ids, { tenant_id: tenantId, signal: true })
  return executions.length
}

/** Disconnects accounts, which revokes their tokens at the networks that issued them. */
const disconnectAccounts: Ending = async (em, tenantId, now) =>
  (await disconnectProviders(em, tenantId, BATCH, now)) + (await disconnectSome(em, tenantId, BATCH, now))

/** Records forms as expired whose closing succeeded, although the event that reports it has not arrived. */
const closeSessions: Ending = async (em, tenantId) => {
  const sessions: Id[] = await em.execute(sql`
    update payment_sessions s
    set state = 'expired'
    from session_expiries x
    where x.payment_session_id = s.id
      and x.tenant_id = s.tenant_id
      and x.status = 'succeeded'
      and s.tenant_id = ${tenantId}
      and coalesce(s.state, 'open') = 'open'
    returning s.id
  `)
  return sessions.length
}

/** They run in this order, which is not that of the register of tables, each until it has no rows left. */
const endings: readonly Ending[] = [
  ...[cancelOrders, cancelConfirmed, cancelAuthorizations, closePages, cancelSubscriptions, readCharges],
  ...[cancelExecutions, disconnectAccounts, closeSessions],
]

/**
 * Requests one batch of endings. Returns false if no row is left to end. Requires a transaction of its own. `now` in
 * Unix seconds.
 */
export async function endPending(em: EntityManager, tenantId: string, now: number): Promise<boolean> {
  for (const end of endings) if ((await end(em, tenantId, now)) > 0) return true
  return false
}

/** `of_plan`: the platform's own account charges it for a plan, which only a platform administrator can look up. */
export type OpenItem = MoneyItem & { of_plan: boolean }

/** Reads what an operator has to do about the money of a tenant that is being erased, and about its plans. */
export async function openItems(em: EntityManager, tenantId: string): Promise<OpenItem[]> {
  const plans = await moneyAttention(em, { plan_of: tenantId, erasing: true }, 1_000)
  const own = await moneyAttention(em, { tenants: uuids([tenantId]), erasing: true }, 1_000)
  return [...own.map((item) => ({ ...item, of_plan: false })), ...plans.map((item) => ({ ...item, of_plan: true }))]
}

/**
 * The items without which the erasure does not continue. A payment of another amount is no such item, and a form that
 * may still be closed, or an event that may still arrive, becomes one after ten minutes. `now` in Unix seconds.
 */
export const blocking = <I extends MoneyItem>(items: readonly I[], now: number): I[] =>
  items.filter(({ kind, status, since }) => {
    if (kind === 'subscription') return false
    if (kind === 'payment')
      return status === 'event_missing' ? since < now - FORMS_MAX_S : ['refund_due', 'refund_conflict'].includes(status)
    return kind === 'open_form' || kind === 'close_form' ? since < now - FORMS_MAX_S : true
  })

/**
 * Reads the open outcomes that no other row has after the deletion, together with earlier copies. Rows that still exist
 * are copied with their present state. `now` in Unix seconds.
 */
export async function openOutcomes(
  em: EntityManager,
  tenantId: string,
  before: OpenOutcomes | null,
  now: number,
): Promise<OpenOutcomes> {
  const rows = await openRows(em, tenantId, 'awaited', now)
  const items = await openItems(em, tenantId)
  const { items: oldItems = [], rows: oldRows = [] } = before ?? {}
  const oldIds = [...oldItems, ...oldRows].map(({ id }) => String(id))
  const presentRows = oldIds.length === 0 ? [] : await openRows(em, tenantId, oldIds, now)
  const presentIds = new Set(presentRows.map(({ id }) => id))
  const isDeleted = ({ id }: Record<string, unknown>) => !presentIds.has(String(id))
  return {
    items: [...oldItems.filter(isDeleted), ...items],
    rows: [...oldRows.filter(isDeleted), ...rows],
    // Read once, before the first of these rows is deleted: a later read would miss some.
    undelivered: before?.undelivered ?? (await undeliveredRows(em, tenantId, now)),
  }
}
