// Cancels an order and releases its stock, booked time and use of a promo code. After a failed checkout the contact's
// next cart has the same items.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type CancelReason, stateFor } from '../../rules/bookings/bookings.ts'
import type { Allocation } from '../../rules/orders/stock.ts'
import type { PaymentStatus } from '../../rules/payments/payments.ts'
import type { EffectStatus } from '../../rules/shapes.ts'
// Backwards: the bookings of a cancelled order are not reminded of.
import { refreshReminders } from '../bookings/reminders.ts'
import { cartContents } from '../carts/cart.ts'
import { column, join, json, type Sql, sql } from '../kit/database/sql.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { newId } from '../kit/ids.ts'
// Backwards: an authorised payment is cancelled with its order.
import { requestEnd } from '../payments/authorization-ends.ts'
import { giveBackUse } from '../promotions/redemptions.ts'
import { type BookedTime, moveBookedTime } from '../scheduling/booked-time.ts'
import { orderUpdated } from './order-events.ts'
import { release } from './reservations.ts'

type LockedOrder = {
  id: string
  tenant_id: string
  status: string
  contact_id: string
  source_cart_id: string
  /** A checkout may release it: its hold counts, or its cancellation was requested. */
  is_held: boolean
  is_booking: boolean
  cancel_reason: CancelReason | null
  payment_status: string
  is_free: boolean
}

/** Locks the order, then its payment. The order's id names one tenant's row. */
export async function lockOrder(em: EntityManager, orderId: string): Promise<LockedOrder | null> {
  const orders: Omit<LockedOrder, 'payment_status' | 'is_free'>[] = await em.execute(sql`
    select id, tenant_id, status, contact_id, source_cart_id, hold_until is not null or cancel_requested as is_held,
      module is not null as is_booking, cancel_reason
    from orders
    where id = ${orderId}
    for update
  `)
  const order = orders[0]
  if (!order) return null
  const payments: { status: string; type: string }[] = await em.execute(sql`
    select status, type
    from payments
    where order_id = ${orderId} and tenant_id = ${order.tenant_id}
    for update
  `)
  return { ...order, payment_status: payments[0]?.status ?? 'pending', is_free: payments[0]?.type === 'none' }
}

/** `reason`: of a booking of the business surface; `payment`: what becomes of one that is not settled. */
type Cancelled = {
  reason: CancelReason
  payment?: { status: Extract<PaymentStatus, 'cancelled' | 'failed'>; error: EffectError | null }
}

/** Cancels the order and releases what it reserved. The caller holds the locks of the order and its payment. */
export async function cancelOrder(
  em: EntityManager,
  order: { id: string; tenant_id: string },
  now: number,
  { reason, payment = { status: 'cancelled', error: null } }: Cancelled,
): Promise<void> {
  const lines: { variant_id: string; allocations: { location_id: string; quantity: number }[] }[] =
    await em.execute(sql`
      update order_lines
      set status = 'cancelled', updated_at = ${now}
      where order_id = ${order.id} and tenant_id = ${order.tenant_id} and status <> 'cancelled'
      returning variant_id, allocations
    `)
  const allocations: Allocation[] = lines.flatMap(({ variant_id, allocations }) =>
    allocations.map((one) => ({ ...one, variant_id })),
  )
  const booked: (BookedTime & { timezone: string })[] = await em.execute(
    // Bookings of the business surface are cancelled in any state.
    sql`
      update order_bookings b
      set status = 'cancelled', updated_at = ${now}
      from tenants t, orders o
      where b.order_id = ${order.id}
        and b.tenant_id = ${order.tenant_id}
        and t.id = b.tenant_id
        and o.id = b.order_id
        and o.tenant_id = b.tenant_id
        and (b.status in ('pending', 'confirmed') or o.module is not null and b.status <> 'cancelled')
      returning b.provider_id, b.slots, t.timezone
    `,
  )
  await em.execute(sql`
    update orders o
    set status = 'cancelled', version = version + 1, hold_until = null, cancel_requested = false, cancelled_at = ${now},
      updated_at = ${now}, booking_status = case when module is not null then ${stateFor(reason)} end,
      cancel_reason = case when module is not null then ${reason} end,
      fulfillment_status = case
        when exists (
          select 1
          from order_lines l
          where l.order_id = o.id and l.tenant_id = o.tenant_id and l.requires_shipping
        )
          or exists (
            select 1 from order_bookings b where b.order_id = o.id and b.tenant_id = o.tenant_id
          ) then 'cancelled'
        else 'none'
      end
    where o.id = ${order.id} and o.tenant_id = ${order.tenant_id} and o.status <> 'cancelled'
  `)
  await em.execute(sql`
    update payments
    set status = ${payment.status}, error = coalesce(${json(payment.error)}, error), updated_at = ${now}
    where order_id = ${order.id} and tenant_id = ${order.tenant_id} and status in ('pending', 'processing')
  `)
  await release(em, order.tenant_id, allocations)
  if (booked[0]) {
    await moveBookedTime(em, order.tenant_id, booked[0].timezone, booked, [])
    await refreshReminders(em, order.tenant_id, order.id, now)
  }
  await giveBackUse(em, order.tenant_id, { order_id: order.id })
}

/**
 * The contact's next cart copies the one that was checked out, with the time at which the contact changed it last. It
 * becomes the current one, unless the contact has filled another since then: that one stays current, and the copy is
 * open beside it.
 */
async function reopenCart(em: EntityManager, order: LockedOrder, now: number): Promise<void> {
  const cartId = newId()
  const contents = join(cartContents.map(column))
  const copy = (isCurrent: boolean): Sql => sql`
    insert into carts (id, tenant_id, contact_id, made_by, created_at, updated_at, is_current, ${contents})
    select ${cartId}, tenant_id, ${order.contact_id}, made_by, updated_at, updated_at, ${isCurrent}, ${contents}
    from carts
    where id = ${order.source_cart_id} and tenant_id = ${order.tenant_id}
  `
  await em.execute(sql`
    update carts
    set is_current = false, updated_at = ${now}
    where tenant_id = ${order.tenant_id}
      and contact_id = ${order.contact_id}
      and is_current
      and status = 'open'
      and product_items = '[]'
      and booking_items = '[]'
  `)
  // A cart that was begun at this moment is newer, too.
  const current: unknown[] = await em.execute(sql`
    ${copy(true)}
    on conflict (contact_id) where is_current and status = 'open' do nothing
    returning id
  `)
  if (current.length === 0) await em.execute(copy(false))
  await em.execute(sql`
    update orders
    set next_cart_id = ${cartId}
    where id = ${order.id} and tenant_id = ${order.tenant_id}
  `)
}

/**
 * Locks the order's contact as a key, so that it is not merged before its next cart is there. If it is merged at this
 * moment, the contact after that.
 */
async function lockContact(em: EntityManager, orderId: string): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    const locked: unknown[] = await em.execute(sql`
      select c.id
      from contacts c
      join orders o on o.contact_id = c.id and o.tenant_id = c.tenant_id
      where o.id = ${orderId}
      for key share of c
    `)
    if (locked.length > 0) return
  }
}

/** Cancels the order of a checkout that cannot be paid any more. An order that was paid or cancelled stays as it is. */
export async function releaseCheckout(em: EntityManager, orderId: string, now: number): Promise<void> {
  await lockContact(em, orderId)
  // Carts are locked before orders everywhere.
  await em.execute(sql`
    select c.id
    from carts c
    join orders o on o.contact_id = c.contact_id and o.tenant_id = c.tenant_id
    where o.id = ${orderId} and c.is_current and c.status = 'open'
    for update of c
  `)
  const order = await lockOrder(em, orderId)
  if (order?.status !== 'pending' || (order.payment_status === 'paid' && !order.is_free) || !order.is_held) return
  if (order.payment_status === 'authorized') {
    // No decision was taken in time: the authorisation is cancelled, and the time is free at once.
    if (await requestEnd(em, order.tenant_id, orderId, { kind: 'cancel' }, now)) {
      await cancelOrder(em, order, now, { reason: order.cancel_reason ?? 'approval_expired' })
      await orderUpdated(em, order, now)
    } else {
      // It was decided: the provider's answer is awaited, and no time.
      await em.execute(sql`
        update orders
        set hold_until = null
        where id = ${orderId} and tenant_id = ${order.tenant_id}
      `)
    }
    return
  }
  const [session]: { cancel_requested: boolean; status: EffectStatus; error: EffectError | null }[] =
    await em.execute(sql`
      select o.cancel_requested, s.status, s.error
      from orders o
      join payment_sessions s on s.order_id = o.id and s.tenant_id = o.tenant_id
      where o.id = ${orderId} and o.tenant_id = ${order.tenant_id}
    `)
  // The items of a booking are the client's: it has no cart to open again.
  if (!session?.cancel_requested && !order.is_booking) await reopenCart(em, order, now)
  const opened = !session || session.status === 'succeeded'
  const ended = !session ? 'approval_expired' : opened ? 'payment_expired' : 'payment_failed'
  const reason = session?.cancel_requested ? (order.cancel_reason ?? 'requested') : ended
  await cancelOrder(
    em,
    order,
    now,
    opened ? { reason } : { reason, payment: { status: 'failed', error: session.error } },
  )
  await orderUpdated(em, order, now)
}
