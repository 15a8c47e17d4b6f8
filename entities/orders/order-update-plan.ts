// What an update of an order changes: read and decided under the locks of the order and its payment, before anything is
// written.
import { isDeepStrictEqual } from 'node:util'
import type { EntityManager } from '@mikro-orm/postgresql'
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
import { conflict, invalid, Refusal } from '../../rules/refusal.ts'
import type { Address } from '../../rules/stores/addresses.ts'
// Backwards: one update changes an order and its bookings, under the order's lock.
import { OrderBooking } from '../bookings/order-booking.ts'
import { sql } from '../kit/database/sql.ts'
// Backwards: the payment decides whether its order may be cancelled.
import { checkNotCaptured, decisionOf } from '../payments/authorization-ends.ts'
import type { Payment } from '../payments/payment.ts'
import { sessionIsOpen } from '../payments/payment-sessions.ts'
import type { Order } from './order.ts'
import { itemsAfter, type OrderItems } from './replacement.ts'

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

const editable = ['shipping_address', 'billing_address', 'forms'] as const

/** An order and its payment, both locked. */
export type LockedOrder = { order: Order; payment: Payment }

/** What the items of the order become, and how it is cancelled. */
type ItemsPlan = {
  /** The items after a replacement; null: they are not replaced. */
  items: OrderItems | null
  /** Everything is replaced by nothing, which cancels the order. */
  empties: boolean
  move: CancelMove
}

export type OrderUpdatePlan = ItemsPlan & {
  edits: Pick<OrderChanges, (typeof editable)[number]>
  confirms: boolean
  /** The bookings whose status changes; it is assigned, and not flushed yet. */
  bookings: OrderBooking[]
  /** Something besides a cancellation changes. */
  changes: boolean
}

const confirmAndCancel = () =>
  new Refusal(422, 'confirm_and_cancel', 'An order is confirmed or cancelled, not both.', {
    faults: [{ pointer: '/cancel', code: 'confirm_and_cancel', detail: 'Send confirm or cancel, not both.' }],
  })

/** The value without members that are null: they may have been left out when it was stored. */
const bare = (value: unknown): unknown => JSON.parse(JSON.stringify([value], (_, inner) => inner ?? undefined))

const refused = ({ code, detail }: Refused) => conflict(code, detail)

function allowed<Move extends { ok: true }>(may: Move | Refused): Move {
  if (!may.ok) throw refused(may)
  return may
}

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

/** Checks that the changes do not exclude each other. 422 confirm_and_cancel, cancel_and_replace. Reads nothing. */
export function checkChanges(changes: OrderChanges): void {
  if (changes.confirm && changes.cancel) throw confirmAndCancel()
  for (const name of ['product_items', 'booking_items', 'booking_statuses'] as const)
    if (changes.cancel && changes[name])
      throw invalid(`/${name}`, 'cancel_and_replace', 'An order is cancelled or gets other items, not both.')
}

/** The addresses and forms that change: fields that are sent back as they were read change nothing. 409. */
function planEdits(order: Order, changes: OrderChanges): OrderUpdatePlan['edits'] {
  const edits = Object.fromEntries(
    editable
      .filter((name) => changes[name] !== undefined && !isDeepStrictEqual(bare(changes[name]), bare(order[name])))
      .map((name) => [name, changes[name]]),
  )
  if (Object.keys(edits).length > 0) allowed(mayEdit(order))
  return edits
}

/**
 * The items after the update, and how it cancels the order. 409 as the rules and the decision about the payment say;
 * 422 for goods of a booking, and where other changes are requested for an order that is left without items.
 */
async function planItems(
  em: EntityManager,
  { order, payment }: LockedOrder,
  { product_items, booking_items, ...changes }: OrderChanges,
): Promise<ItemsPlan> {
  if (order.module && product_items && product_items.length > 0)
    throw invalid('/product_items', 'cannot_change', 'A booking has no goods.')
  const replaces = product_items !== undefined || booking_items !== undefined
  if (!changes.cancel && !replaces) return { items: null, empties: false, move: 'none' }
  const done = await doneOf(em, order)
  const items = replaces ? await itemsAfter(em, order.id, { product_items, booking_items }) : null
  const empties = items !== null && items.product_items.length === 0 && items.booking_items.length === 0
  const facts = { status: order.status, payment, ...done, session_open: await sessionIsOpen(em, order, payment) }
  if (replaces) allowed(mayReplaceItems(facts))
  if (empties && changes.confirm) throw confirmAndCancel()
  if (empties && changes.booking_statuses)
    throw invalid('/booking_statuses', 'cancel_and_replace', 'Without any item left the order is cancelled.')
  if (!changes.cancel && !empties) return { items, empties, move: 'none' }
  if (order.approval_required) checkNotCaptured(await decisionOf(em, payment.id))
  return { items, empties, move: allowed(mayCancel(facts)).move }
}

/**
 * Decides what an update changes. Requires the locks of the order and its payment, and takes none. 409 and 422 as each
 * change says. `now` in Unix seconds.
 */
export async function planUpdate(
  em: EntityManager,
  locked: LockedOrder,
  changes: OrderChanges,
  now: number,
): Promise<OrderUpdatePlan> {
  const { order, payment } = locked
  const edits = planEdits(order, changes)
  const confirms = changes.confirm ? allowed(mayConfirm({ status: order.status, payment })).move === 'confirm' : false
  const { items, empties, move } = await planItems(em, locked, changes)
  const bookings = await movedBookings(em, order, changes.booking_statuses ?? [], now)
  const replaces = items !== null && !empties
  const isChanged = confirms || replaces || bookings.length > 0 || Object.keys(edits).length > 0
  return { edits, confirms, items, empties, move, bookings, changes: isChanged }
}
