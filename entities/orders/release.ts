// An order is given up: stock, booked time and the use of a code go back, and, where a checkout failed, the contact's next cart has the same lines.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { CheckoutFacts, CheckoutStep } from '../../rules/orders/checkout.ts'
import { nextCheckoutStep } from '../../rules/orders/checkout.ts'
import type { Allocation } from '../../rules/orders/stock.ts'
import type { EffectStatus } from '../../rules/shapes.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { type BookedTime, moveBookedTime } from '../scheduling/booked-time.ts'
import { orderUpdated } from './order-events.ts'
import { giveBackUse } from './redemptions.ts'
import { refreshReminders } from './reminders.ts'
import { release } from './reservations.ts'

type Locked = { id: string; tenant_id: string; status: string; contact_id: string; source_cart_id: string; payment_status: string }

/** Locks order, then payment. The id is ours: the tenant comes with the row. */
export async function lockOrder(em: EntityManager, orderId: string): Promise<Locked | null> {
  const orders: Omit<Locked, 'payment_status'>[] = await em.execute(
    'select id, tenant_id, status, contact_id, source_cart_id from orders where id = ? for update',
    [orderId],
  )
  const order = orders[0]
  if (!order) return null
  const payments: { status: string }[] = await em.execute('select status from payments where order_id = ? and tenant_id = ? for update', [
    orderId,
    order.tenant_id,
  ])
  return { ...order, payment_status: payments[0]?.status ?? 'pending' }
}

/** Everything the order holds goes back, and it is cancelled. Under the order's and the payment's lock. */
export async function cancelOrder(
  em: EntityManager,
  order: { id: string; tenant_id: string },
  now: number,
  payment: { status: 'cancelled' | 'failed'; error: EffectError | null } = { status: 'cancelled', error: null },
): Promise<void> {
  const lines: { variant_id: string; allocations: { location_id: string; quantity: number }[] }[] = await em.execute(
    `update order_lines set status = 'cancelled', updated_at = ? where order_id = ? and tenant_id = ? and status <> 'cancelled' returning variant_id, allocations`,
    [now, order.id, order.tenant_id],
  )
  const allocations: Allocation[] = lines.flatMap(({ variant_id, allocations }) => allocations.map((one) => ({ ...one, variant_id })))
  const booked: (BookedTime & { timezone: string })[] = await em.execute(
    `update order_bookings b set status = 'cancelled', updated_at = ? from tenants t
     where b.order_id = ? and b.tenant_id = ? and t.id = b.tenant_id and b.status in ('pending', 'confirmed') returning b.provider_id, b.slots, t.timezone`,
    [now, order.id, order.tenant_id],
  )
  await em.execute(
    `update orders o set status = 'cancelled', fulfillment_status = case when exists (select 1 from order_lines l where l.order_id = o.id and l.tenant_id = o.tenant_id and l.requires_shipping)
         or exists (select 1 from order_bookings b where b.order_id = o.id and b.tenant_id = o.tenant_id) then 'cancelled' else 'none' end, version = version + 1,
       hold_until = null, cancel_requested = false, cancelled_at = ?, updated_at = ? where o.id = ? and o.tenant_id = ? and o.status <> 'cancelled'`,
    [now, now, order.id, order.tenant_id],
  )
  await em.execute(
    `update payments set status = ?, error = coalesce(?::jsonb, error), updated_at = ? where order_id = ? and tenant_id = ? and status in ('pending', 'processing')`,
    [payment.status, payment.error ? JSON.stringify(payment.error) : null, now, order.id, order.tenant_id],
  )
  await release(em, order.tenant_id, allocations)
  if (booked[0]) {
    await moveBookedTime(em, order.tenant_id, booked[0].timezone, booked, [])
    await refreshReminders(em, order.tenant_id, order.id, now)
  }
  await giveBackUse(em, order.tenant_id, order.id)
}

/** The contact's next cart starts with the lines of the one that was checked out; what he put into a cart since then stays open beside it. */
async function reopenCart(em: EntityManager, order: Locked, now: number): Promise<void> {
  const cartId = newId()
  await em.execute(`update carts set is_current = false, updated_at = ? where tenant_id = ? and contact_id = ? and is_current and status = 'open'`, [
    now,
    order.tenant_id,
    order.contact_id,
  ])
  await em.execute(
    `insert into carts (id, tenant_id, contact_id, created_at, updated_at, status, is_current, market, product_items, booking_items, shipping_address, billing_address, forms,
       payment_method_key, shipping_method_id, pickup_location_id, promo_code)
     select ?, tenant_id, ?, ?, ?, 'open', true, market, product_items, booking_items, shipping_address, billing_address, forms,
       payment_method_key, shipping_method_id, pickup_location_id, promo_code from carts where id = ? and tenant_id = ?`,
    [cartId, order.contact_id, now, now, order.source_cart_id, order.tenant_id],
  )
  await em.execute('update orders set next_cart_id = ? where id = ? and tenant_id = ?', [cartId, order.id, order.tenant_id])
}

/** A checkout that nobody can pay any more: the order is cancelled, all is given back. Nothing happens to one that was paid or cancelled. */
export async function releaseCheckout(em: EntityManager, orderId: string, now: number): Promise<void> {
  // Carts before orders: the house's locking order.
  await em.execute(
    `select c.id from carts c join orders o on o.contact_id = c.contact_id and o.tenant_id = c.tenant_id where o.id = ? and c.is_current and c.status = 'open' for update of c`,
    [orderId],
  )
  const order = await lockOrder(em, orderId)
  if (order?.status !== 'pending' || order.payment_status === 'paid') return
  const known: { cancel_requested: boolean; status: EffectStatus; error: EffectError | null }[] = await em.execute(
    'select o.cancel_requested, s.status, s.error from orders o join payment_sessions s on s.order_id = o.id and s.tenant_id = o.tenant_id where o.id = ? and o.tenant_id = ?',
    [orderId, order.tenant_id],
  )
  const session = known[0]
  if (!session?.cancel_requested) await reopenCart(em, order, now)
  const opened = !session || session.status === 'succeeded'
  await cancelOrder(em, order, now, opened ? undefined : { status: 'failed', error: session.error })
  await orderUpdated(em, order, now)
}

type FactsRow = Omit<CheckoutFacts, 'session' | 'expiry'> & {
  session_id: string
  session_status: CheckoutFacts['session']['status']
  state: CheckoutFacts['session']['state']
  known: boolean
  expiry_id: string | null
  expiry_status: CheckoutFacts['session']['status'] | null
}

/** What the checkout of this order does next (rules/orders/checkout.ts); `outcome` is how its session ended. */
export async function checkoutStep(em: EntityManager, orderId: string): Promise<CheckoutStep & { outcome: CheckoutFacts['session']['status'] }> {
  const rows: FactsRow[] = await em.execute(
    `select o.status as order_status, o.cancel_requested, coalesce((extract(epoch from o.hold_until - clock_timestamp()) * 1000)::float8, 0) as hold_left_ms, p.status as payment_status,
       s.id as session_id, s.status as session_status, s.state, s.provider_session_id is not null as known, e.id as expiry_id, e.status as expiry_status
     from orders o join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id join payment_sessions s on s.order_id = o.id and s.tenant_id = o.tenant_id
     left join session_expiries e on e.payment_session_id = s.id and e.tenant_id = s.tenant_id where o.id = ?`,
    [orderId],
  )
  const row = rows[0]
  if (!row) return { do: 'done', outcome: 'failed' }
  const { session_id, session_status, state, known, expiry_id, expiry_status, ...facts } = row
  const step = nextCheckoutStep({
    ...facts,
    hold_left_ms: Math.ceil(facts.hold_left_ms),
    session: { id: session_id, status: session_status, state, known },
    expiry: expiry_id && expiry_status ? { id: expiry_id, status: expiry_status } : null,
  })
  return { ...step, outcome: session_status }
}

/** The effect that closes the provider's page, written once. */
export async function requestSessionExpiry(em: EntityManager, sessionId: string, now: number): Promise<void> {
  await em.execute(
    `insert into session_expiries (id, tenant_id, created_at, updated_at, payment_session_id, status, fingerprint, attempt)
     select ?, tenant_id, ?, ?, id, 'requested', '', 0 from payment_sessions where id = ? on conflict (payment_session_id) do nothing`,
    [newId(), now, now, sessionId],
  )
}

/** What a read or an event told of a session. An end is never undone. */
export async function recordSession(
  em: EntityManager,
  tenantId: string,
  sessionId: string,
  told: { provider_session_id: string; state: 'open' | 'complete' | 'expired' },
): Promise<void> {
  await em.execute(
    `update payment_sessions set provider_session_id = coalesce(provider_session_id, ?), state = case when state in ('complete', 'expired') then state else ? end where id = ? and tenant_id = ?`,
    [told.provider_session_id, told.state, sessionId, tenantId],
  )
}

/** The workflow of a checkout looks at its row again. */
export const wakeCheckout = (em: EntityManager, order: { id: string; tenant_id: string }, awaited = false) =>
  start(em, 'checkout', order.id, { tenant_id: order.tenant_id, awaited, again: true })

/**
 * Orders that their workflow should have given back some seconds ago: their hold is over, or an operator asked for it. For all tenants: rows
 * leave with theirs.
 */
export const overdueCheckouts = (em: EntityManager, graceS: number, limit: number): Promise<{ id: string; tenant_id: string }[]> =>
  em.execute(
    `select id, tenant_id from orders where status = 'pending' and (hold_until < clock_timestamp() - make_interval(secs => ?)
       or cancel_requested and updated_at < extract(epoch from clock_timestamp()) - ?) order by hold_until limit ?`,
    [graceS, graceS, limit],
  )

/** The opening of a session was called unknown, and now its answer names it after all: it is known, and its checkout closes it. */
export async function foundLate(em: EntityManager, sessionId: string, told: Record<string, string | number | null>): Promise<void> {
  if (typeof told.provider_session_id !== 'string') return
  const rows: { order_id: string; tenant_id: string }[] = await em.execute(
    `update payment_sessions set provider_session_id = ?, state = 'open' where id = ? and status = 'unknown' and provider_session_id is null returning order_id, tenant_id`,
    [told.provider_session_id, sessionId],
  )
  for (const { order_id, tenant_id } of rows) await wakeCheckout(em, { id: order_id, tenant_id })
}
