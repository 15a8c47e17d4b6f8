// Before the rows of a tenant are deleted, what is pending ends at the provider: payment pages are closed, subscriptions are cancelled, accounts are disconnected, and
// requests in flight are answered.
import type { EntityManager } from '@mikro-orm/postgresql'
import { FORMS_MAX_S, type OpenOutcomes } from '../../rules/erasure/erasures.ts'
import { disconnectProviders } from '../automation/oauth-exchanges.ts'
import { disconnectSome } from '../connections/connections.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { startAll } from '../kit/outbox.ts'
import { cancelOrder, lockOrder } from '../orders/release.ts'
import { requestEnd } from '../payments/authorization-ends.ts'
import { wakeCheckout } from '../payments/checkout-steps.ts'
import { type AttentionItem, moneyAttention } from '../payments/money-attention.ts'
import { requestChange } from '../subscriptions/changes.ts'
import { wantCharges } from '../subscriptions/charges.ts'
import { lockSubscription } from '../subscriptions/locking.ts'
import { requestClosing } from '../subscriptions/pages.ts'
import { hasPage, isCharged, isPayable, openRows, undeliveredRows } from './awaited-rows.ts'

const batch = 50

type Ending = (em: EntityManager, tenantId: string, now: number) => Promise<number>

/** A payment that is authorised, and whose capture or cancellation is not decided. A cancellation that was refused is not asked for again. */
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
  const found: Id[] = await em.execute(sql`
    update orders
    set cancel_requested = true, updated_at = ${now}
    where tenant_id = ${tenantId}
      and id = any (
        array(
          select id
          from orders
          where tenant_id = ${tenantId} and ${isPayable} and not cancel_requested
          order by id
          limit ${batch}
          for update
        )
      )
    returning id
  `)
  for (const { id } of found) await wakeCheckout(em, { id, tenant_id: tenantId })
  return found.length
}

/** Of bookings that were confirmed before they were paid: their checkout would keep them. A payment that comes before the form is closed is refunded. */
const cancelKept: Ending = async (em, tenantId, now) => {
  const found: Id[] = await em.execute(sql`
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
    limit ${batch}
  `)
  for (const { id } of found) {
    const order = await lockOrder(em, id)
    if (!order || !['pending', 'processing'].includes(order.payment_status)) continue
    await cancelOrder(em, order, now, { reason: 'requested' })
    await wakeCheckout(em, order)
  }
  return found.length
}

const cancelAuthorizations: Ending = async (em, tenantId, now) => {
  const found: { order_id: string }[] = await em.execute(sql`
    select order_id
    from payments
    where tenant_id = ${tenantId} and ${isAuthorized}
    order by order_id
    limit ${batch}
  `)
  for (const { order_id } of found) {
    await lockOrder(em, order_id)
    await requestEnd(em, tenantId, order_id, { kind: 'cancel' }, now)
  }
  return found.length
}

/** One that waits comes first: the page that it waits for would promote it. */
const closePages: Ending = async (em, tenantId, now) => {
  const found: Id[] = await em.execute(sql`
    select id
    from subscriptions
    where tenant_id = ${tenantId} and ${hasPage} and not cancel_requested
    order by status = 'waiting' desc, id
    limit ${batch}
  `)
  for (const { id } of found) {
    const row = await lockSubscription(em, { id, tenant_id: tenantId })
    if (!row || !['waiting', 'pending'].includes(row.status)) continue
    // A payment that comes before the form is closed is refunded.
    await em.execute(sql`
      update subscriptions
      set cancelled_by = 'operator', updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${id} and status = 'pending'
    `)
    await requestClosing(em, row, now)
  }
  return found.length
}

/** Once each: the reconciler repeats those that were refused or whose outcome is unknown. */
const cancelSubscriptions: Ending = async (em, tenantId, now) => {
  const found: Id[] = await em.execute(sql`
    select s.id
    from subscriptions s
    where tenant_id = ${tenantId}
      and ${isCharged}
      and not exists (select 1 from subscription_changes c where c.subscription_id = s.id and c.kind = 'cancel_now')
    order by s.id
    limit ${batch}
  `)
  for (const { id } of found) {
    const row = await lockSubscription(em, { id, tenant_id: tenantId })
    if (row?.status === 'live' || row?.status === 'given_up')
      await requestChange(em, row, 'cancel_now', row.status === 'live' ? 'operator' : 'system', now)
  }
  return found.length
}

const readCharges: Ending = (em, tenantId, now) => wantCharges(em, tenantId, batch, now)

const cancelExecutions: Ending = async (em, tenantId, now) => {
  // Locked by id: a batch does not deadlock with other changes of several executions.
  const found: Id[] = await em.execute(sql`
    select id
    from executions
    where tenant_id = ${tenantId} and status in ('pending', 'running') and not cancel_requested
    order by id
    limit ${batch}
    for update
  `)
  if (found.length === 0) return 0
  const ids = found.map(({ id }) => id)
  await em.execute(sql`
    update executions
    set cancel_requested = true, wake_at = clock_timestamp(), updated_at = ${now}
    where tenant_id = ${tenantId} and id = any (${uuids(ids)})
  `)
  await startAll(em, 'execution', ids, { tenant_id: tenantId })
  return found.length
}

/** Their tokens are revoked where they were got. */
const disconnectAccounts: Ending = async (em, tenantId, now) =>
  (await disconnectProviders(em, tenantId, batch, now)) + (await disconnectSome(em, tenantId, batch, now))

/** A form whose closing succeeded is closed, also where the event that says so has not arrived. */
const recordClosed: Ending = async (em, tenantId) => {
  const found: Id[] = await em.execute(sql`
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
  return found.length
}

const endings: readonly Ending[] = [
  ...[cancelOrders, cancelKept, cancelAuthorizations, closePages, cancelSubscriptions, readCharges],
  ...[cancelExecutions, disconnectAccounts, recordClosed],
]

/** Requests one batch of endings. Returns false if nothing is left to request. Requires a transaction of its own. `now` in Unix seconds. */
export async function endPending(em: EntityManager, tenantId: string, now: number): Promise<boolean> {
  for (const end of endings) if ((await end(em, tenantId, now)) > 0) return true
  return false
}

/** `of_plan`: it is about what the platform's own account charges for a plan, which only the platform can look up. */
export type OpenItem = AttentionItem & { of_plan: boolean }

/** What a person has to do about the money of a tenant that is being erased, the plans that it pays included. */
export async function openItems(em: EntityManager, tenantId: string): Promise<OpenItem[]> {
  const plans = await moneyAttention(em, { plan_of: tenantId, erasing: true }, 1_000)
  const own = await moneyAttention(em, { tenant_id: tenantId, erasing: true }, 1_000)
  return [...own.map((item) => ({ ...item, of_plan: false })), ...plans.map((item) => ({ ...item, of_plan: true }))]
}

/** Of these, what the erasure cannot go on with: payments of another amount are kept, and a form may be closed and an event may arrive for ten minutes. `now` in Unix seconds. */
export const blocking = <I extends AttentionItem>(items: readonly I[], now: number): I[] =>
  items.filter(({ kind, status, since }) => {
    if (kind === 'subscription') return false
    if (kind === 'payment')
      return status === 'event_missing' ? since < now - FORMS_MAX_S : ['refund_due', 'refund_conflict'].includes(status)
    return kind === 'open_form' || kind === 'close_form' ? since < now - FORMS_MAX_S : true
  })

/** What no other row tells after the deletion, together with what was copied before. What is still there has its state of now. `now` in Unix seconds. */
export async function openOutcomes(
  em: EntityManager,
  tenantId: string,
  before: OpenOutcomes | null,
  now: number,
): Promise<OpenOutcomes> {
  const rows = await openRows(em, tenantId, 'awaited', now)
  const items = await openItems(em, tenantId)
  const { items: oldItems = [], rows: oldRows = [] } = before ?? {}
  const copied = [...oldItems, ...oldRows].map(({ id }) => String(id))
  const there = new Set((copied.length === 0 ? [] : await openRows(em, tenantId, copied, now)).map(({ id }) => id))
  const isDeleted = ({ id }: Record<string, unknown>) => !there.has(String(id))
  return {
    items: [...oldItems.filter(isDeleted), ...items],
    rows: [...oldRows.filter(isDeleted), ...rows],
    // Before the first row of it is deleted: later looks would miss some.
    undelivered: before?.undelivered ?? (await undeliveredRows(em, tenantId, now)),
  }
}
