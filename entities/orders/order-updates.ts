// Updates an order under optimistic concurrency: a caller that read an older version gets 409 stale_version with the
// current one.
import { isDeepStrictEqual } from 'node:util'
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { stateOfParts } from '../../rules/bookings/bookings.ts'
import type { BookingItem, ProductItem } from '../../rules/carts/items.ts'
import type { FormEntry } from '../../rules/content/form-entries.ts'
import {
  type BookingMove,
  type CancelMove,
  mayCancel,
  mayConfirm,
  mayEdit,
  mayMoveBooking,
  mayReplaceItems,
  type Refused,
} from '../../rules/orders/orders.ts'
import { conflict, invalid, notFound, Refusal } from '../../rules/refusal.ts'
import type { Address } from '../../rules/stores/addresses.ts'
// Backwards: one update changes an order and its bookings, under the order's lock.
import { awaitClosing } from '../bookings/booking-states.ts'
import { OrderBooking } from '../bookings/order-booking.ts'
import { refreshReminders } from '../bookings/reminders.ts'
import { sql } from '../kit/database/sql.ts'
// Backwards: the payment decides whether its order may be cancelled, and is ended with it.
import { checkNotCaptured, decisionOf, requestEnd } from '../payments/authorization-ends.ts'
import { wakeCheckout, wakeHold } from '../payments/checkout-steps.ts'
import { lockPayment } from '../payments/payment-lock.ts'
import { sessionIsOpen } from '../payments/payment-sessions.ts'
import { confirmItems } from './confirmation.ts'
import { refreshFulfillment } from './fulfillment.ts'
import { Order } from './order.ts'
import { orderUpdated } from './order-events.ts'
import { cancelOrder } from './release.ts'
import { itemsAfter, replaceItems } from './replacement.ts'
import { checkVersion } from './version.ts'

export type OrderChanges = {
  version: number
  confirm?: boolean | undefined
  cancel?: boolean | undefined
  shipping_address?: Address | null | undefined
  billing_address?: Address | null | undefined
  forms?: FormEntry[] | undefined
  product_items?: ProductItem[] | undefined
  booking_items?: BookingItem[] | undefined
  booking_statuses?: { id: string; status: BookingMove }[] | undefined
}

const confirmAndCancel = () =>
  new Refusal(422, 'confirm_and_cancel', 'An order is confirmed or cancelled, not both.', {
    faults: [{ pointer: '/cancel', code: 'confirm_and_cancel', detail: 'Send confirm or cancel, not both.' }],
  })

/** The value without members that are null: they may have been left out when it was stored. */
const bare = (value: unknown): unknown => JSON.parse(JSON.stringify([value], (_, inner) => inner ?? undefined))

const refused = ({ code, detail }: Refused) => conflict(code, detail)

/** Whether any goods of the order are shipped, and any booking is completed. */
async function doneOf(em: EntityManager, order: Order): Promise<{ shipped: boolean; completed: boolean }> {
  const own = sql`order_id = ${order.id} and tenant_id = ${order.tenant_id}`
  const rows: { shipped: boolean; completed: boolean }[] = await em.execute(sql`
    select exists (select 1 from order_lines where ${own} and shipped_quantity > 0) as shipped,
      exists (select 1 from order_bookings where ${own} and status = 'completed') as completed
  `)
  return rows[0] ?? { shipped: false, completed: false }
}

/** The bookings that change. 422 for one that is not the order's, 409 as the rule says. */
async function movedBookings(
  em: EntityManager,
  order: Order,
  moves: NonNullable<OrderChanges['booking_statuses']>,
  now: number,
): Promise<OrderBooking[]> {
  if (moves.length === 0) return []
  const bookings = new Map(
    (await em.find(OrderBooking, { order_id: order.id })).map((booking) => [booking.id, booking]),
  )
  return moves.flatMap(({ id, status }, at) => {
    const booking = bookings.get(id)
    if (!booking) throw invalid(`/booking_statuses/${at}/id`, 'booking_unknown', 'The order has no such booking.')
    if (booking.status === status) return []
    if (order.status === 'cancelled')
      throw refused({ ok: false, code: 'order_cancelled', detail: 'the order is cancelled' })
    const may = mayMoveBooking(booking, status, now)
    if (!may.ok)
      throw conflict(may.code, may.detail, {
        faults: [{ pointer: `/booking_statuses/${at}/status`, code: may.code, detail: may.detail }],
      })
    return [em.assign(booking, { status, updated_at: now })]
  })
}

/** `closing`: the order is cancelled when the provider's page is closed. */
export async function updateOrder(
  em: EntityManager,
  id: string,
  changes: OrderChanges,
  now: number,
): Promise<{ order: Order; closing: boolean }> {
  if (changes.confirm && changes.cancel) throw confirmAndCancel()
  for (const name of ['product_items', 'booking_items', 'booking_statuses'] as const)
    if (changes.cancel && changes[name])
      throw invalid(`/${name}`, 'cancel_and_replace', 'An order is cancelled or gets other items, not both.')
  const order = await em.findOne(Order, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!order) throw notFound('order')
  checkVersion(order, changes.version)
  const payment = await lockPayment(em, { order_id: id })
  if (!payment) throw notFound('payment')
  const waited = order.approval_required && order.hold_until !== null

  // Fields that are sent back as they were read change nothing.
  const edits = Object.fromEntries(
    (['shipping_address', 'billing_address', 'forms'] as const)
      .filter((name) => changes[name] !== undefined && !isDeepStrictEqual(bare(changes[name]), bare(order[name])))
      .map((name) => [name, changes[name]]),
  )
  if (Object.keys(edits).length > 0) {
    const may = mayEdit(order)
    if (!may.ok) throw refused(may)
  }
  let confirmed = false
  if (changes.confirm) {
    const may = mayConfirm({ status: order.status, payment })
    if (!may.ok) throw refused(may)
    confirmed = may.move === 'confirm'
  }
  const { product_items, booking_items } = changes
  if (order.module && product_items && product_items.length > 0)
    throw invalid('/product_items', 'cannot_change', 'A booking has no goods.')
  const replaces = product_items !== undefined || booking_items !== undefined
  const facts = changes.cancel || replaces ? { status: order.status, payment, ...(await doneOf(em, order)) } : null
  const items = replaces ? await itemsAfter(em, id, { product_items, booking_items }) : null
  // Replacing everything by nothing cancels the order.
  const empties = items !== null && items.product_items.length === 0 && items.booking_items.length === 0
  let move: CancelMove = 'none'
  if (facts) {
    const session_open = await sessionIsOpen(em, order, payment)
    if (replaces) {
      const may = mayReplaceItems({ ...facts, session_open })
      if (!may.ok) throw refused(may)
    }
    if (empties && changes.confirm) throw confirmAndCancel()
    if (empties && changes.booking_statuses)
      throw invalid('/booking_statuses', 'cancel_and_replace', 'Without any item left the order is cancelled.')
    if (changes.cancel || empties) {
      if (order.approval_required) checkNotCaptured(await decisionOf(em, payment.id))
      const may = mayCancel({ ...facts, session_open })
      if (!may.ok) throw refused(may)
      move = may.move
    }
  }
  const moved = await movedBookings(em, order, changes.booking_statuses ?? [], now)
  const changed = confirmed || (items && !empties) || moved.length > 0 || Object.keys(edits).length > 0
  if (changed) {
    // Cancelling increments the version itself, now or when the page is closed: one write is one version, and the same
    // request may be repeated.
    const version = move === 'none' ? order.version + 1 : order.version
    em.assign(order, { ...edits, version, updated_at: now })
    if (items && !empties) await replaceItems(em, order, payment, items, now)
    if (confirmed)
      em.assign(order, {
        status: 'confirmed',
        ...(order.module ? { booking_status: 'confirmed', hold_until: null } : {}),
      })
    await em.flush()
    if (confirmed) await confirmItems(em, id, now)
    if (moved.length > 0 && order.module)
      em.assign(order, { booking_status: stateOfParts(await em.find(OrderBooking, { order_id: id })) })
    if (items || moved.length > 0) await refreshFulfillment(em, order)
    if (items || moved.length > 0 || confirmed) await refreshReminders(em, order.tenant_id, id, now)
  }
  if (move === 'cancel') {
    await cancelOrder(em, order, now, { reason: 'requested' })
    // Nothing is captured for a booking that ends.
    if (order.approval_required) await requestEnd(em, order.tenant_id, id, { kind: 'cancel' }, now)
  }
  const closing = move === 'expire_session'
  if (closing && order.module) await awaitClosing(em, order, 'requested', changed, now)
  else if (closing) {
    // No new version: the same request may be repeated until the page is closed.
    await em.execute(sql`
      update orders
      set cancel_requested = true, updated_at = ${now}
      where id = ${id} and tenant_id = ${order.tenant_id}
    `)
    await wakeCheckout(em, order, true)
  }
  // A requested cancellation publishes its event when it is done.
  if ((changed && !(closing && order.module)) || move === 'cancel') await orderUpdated(em, order, now)
  await em.refresh(order)
  if (waited && order.hold_until === null) await wakeHold(em, order)
  return { order, closing }
}
