// An operator marks a cash payment as paid.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict, notFound } from '../../rules/refusal.ts'
import { Order } from '../orders/order.ts'
import { orderUpdated } from '../orders/order-events.ts'
import { wakeHold } from './checkout-steps.ts'
import type { Payment } from './payment.ts'
import { lockPayment } from './payment-lock.ts'

/** Returns a paid payment as it is. 404 not_found, 409 not_cash, 409 order_cancelled. */
export async function markPaid(
  em: EntityManager,
  orderId: string,
  now: number,
): Promise<Payment & { order_id: string }> {
  const order = await em.findOne(Order, { id: orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const payment = order && ((await lockPayment(em, { order_id: order.id })) as (Payment & { order_id: string }) | null)
  if (!order || !payment) throw notFound('payment')
  if (payment.type !== 'cash')
    throw conflict('not_cash', 'Only cash payments can be marked as paid. Card payments are confirmed by the provider.')
  if (payment.status === 'paid') return payment
  if (payment.status !== 'pending' || order.status === 'cancelled')
    throw conflict('order_cancelled', 'The order is cancelled.')
  em.assign(payment, { status: 'paid', captured_amount: payment.amount, paid_at: now, updated_at: now })
  // A booking that is paid does not lapse any more: its checkout waits for no decision.
  if (order.hold_until) await wakeHold(em, order)
  em.assign(order, { paid_at: now, hold_until: null, updated_at: now })
  await em.flush()
  await orderUpdated(em, order, now)
  return payment
}
