// An order moves by its version: whoever read an older one is told the newer, and nothing is overwritten unseen.
import { isDeepStrictEqual } from 'node:util'
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { mayCancel, mayConfirm, mayEdit, mayReplaceItems, type Refused } from '../../rules/orders.ts'
import { conflict, invalid, notFound, Refusal } from '../../rules/refusal.ts'
import type { Address, FormEntry, ProductItem } from '../../rules/shapes.ts'
import { Order } from './order.ts'
import { OrderLine } from './order-line.ts'
import type { Payment } from './payment.ts'
import { PaymentSession } from './payment-session.ts'
import { lockPayment } from './refunds.ts'
import { cancelOrder, wakeCheckout } from './release.ts'
import { replaceItems } from './replacement.ts'

export type OrderChanges = {
  version: number
  confirm?: boolean | undefined
  cancel?: boolean | undefined
  shipping_address?: Address | null | undefined
  billing_address?: Address | null | undefined
  forms?: FormEntry[] | undefined
  product_items?: ProductItem[] | undefined
}

export const paidMeanwhile = () => conflict('payment_in_progress', 'The customer has paid meanwhile: refund the payment first.')

/** What is null in an answer was left out when it was stored. */
const bare = (value: unknown): unknown => JSON.parse(JSON.stringify([value], (_, inner) => inner ?? undefined))

const refused = ({ code, detail }: Refused) => conflict(code, `${detail[0]?.toUpperCase()}${detail.slice(1)}.`)

/** Whether the provider may still take the money: its page is open, or may be; 409 where it has taken it, and the signed event is on its way. */
async function sessionIsOpen(em: EntityManager, order: Order, payment: Payment): Promise<boolean> {
  if (payment.type !== 'card' || payment.status === 'paid' || order.status === 'cancelled') return false
  const session = await em.findOne(PaymentSession, { order_id: order.id }, { refresh: true })
  if (session?.state === 'complete') throw paidMeanwhile()
  return session !== null && session.state !== 'expired' && !['rejected', 'failed'].includes(session.status)
}

/** API document 1, Orders and States. `closing`: the order is cancelled as soon as the provider's page is closed. */
export async function updateOrder(em: EntityManager, id: string, changes: OrderChanges, now: number): Promise<{ order: Order; closing: boolean }> {
  if (changes.confirm && changes.cancel)
    throw new Refusal(422, 'confirm_and_cancel', 'An order is confirmed or cancelled, not both.', {
      faults: [{ pointer: '/cancel', code: 'confirm_and_cancel', detail: 'Send confirm or cancel, not both.' }],
    })
  if (changes.cancel && changes.product_items) throw invalid('/product_items', 'cancel_and_replace', 'An order is cancelled or gets other items, not both.')
  const order = await em.findOne(Order, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!order) throw notFound('order')
  if (order.version !== changes.version)
    throw conflict('stale_version', `The order changed: its version is ${order.version}.`, { members: { version: order.version } })
  const payment = await lockPayment(em, id)
  if (!payment) throw notFound('payment')

  // A record that was read and is sent back changes nothing.
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
  const items = changes.product_items
  if (items) {
    const may = mayReplaceItems({ status: order.status, payment, shipped: false, session_open: await sessionIsOpen(em, order, payment) })
    if (!may.ok) throw refused(may)
  }
  let move: 'cancel' | 'expire_session' | 'none' = 'none'
  // Nothing at all instead of what was ordered is a cancellation.
  if (changes.cancel || items?.length === 0) {
    const may = mayCancel({ status: order.status, payment, shipped: false, session_open: await sessionIsOpen(em, order, payment) })
    if (!may.ok) throw refused(may)
    move = may.move
  }
  const replaces = items && items.length > 0
  if (confirmed || replaces || Object.keys(edits).length > 0) {
    // Cancelling counts the version by itself: one write is one version.
    const version = move === 'cancel' ? order.version : order.version + 1
    em.assign(order, { ...edits, version, updated_at: now })
    if (replaces) await replaceItems(em, order, payment, items, now)
    if (confirmed) em.assign(order, { status: 'confirmed' })
    await em.flush()
    if (confirmed) await em.nativeUpdate(OrderLine, { order_id: id, status: 'pending' }, { status: 'confirmed', updated_at: now })
  }
  if (move === 'cancel') await cancelOrder(em, order, now)
  if (move === 'expire_session') {
    // No new version: the same request may be repeated until the page is closed.
    await em.execute('update orders set cancel_requested = true, updated_at = ? where id = ? and tenant_id = ?', [now, id, order.tenant_id])
    await wakeCheckout(em, order, true)
  }
  await em.refresh(order)
  return { order, closing: move === 'expire_session' }
}
