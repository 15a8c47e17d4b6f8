// Refunds are requested under their payment's lock: their sum never exceeds what was captured.
import { createHash } from 'node:crypto'
import type { FilterQuery, LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { formatMoney } from '../../rules/payments/currencies.ts'
import { mayRefund, refundable } from '../../rules/refunds/refunds.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { Order } from '../orders/order.ts'
import type { Payment } from '../payments/payment.ts'
import { lockPayment } from '../payments/payment-lock.ts'
import { Refund } from './refund.ts'
import { countPayment, lostAmount } from './refund-amounts.ts'

/** A refund by the caller's `refund_id` or by its `id`; the first counts if both name one. */
export const findRefund = async (
  em: EntityManager,
  of: FilterQuery<Refund>,
  id: string,
  options: { lockMode?: LockMode.PESSIMISTIC_WRITE } = {},
): Promise<Refund | null> =>
  (await em.findOne(Refund, { $and: [of, { refund_id: id }] }, options)) ??
  (await em.findOne(Refund, { $and: [of, { id }] }, options))

/** `currency` is given if the provider took another one than the payment's. */
type Wanted = {
  refund_id: string
  amount: number
  currency?: string
  fingerprint: string
  /** The operator; null: the system. */
  requested_by: string | null
}

/**
 * Writes the refund and starts its workflow; a cash refund is recorded as succeeded. A refund that is too large is
 * recorded as `failed` and never sent, so that a retry with the same id gets the same answer.
 */
export async function requestRefund(em: EntityManager, payment: Payment, wanted: Wanted, now: number): Promise<Refund> {
  const { refund_id, amount, currency = payment.currency, fingerprint, requested_by } = wanted
  const origin = requested_by === null ? 'system' : 'operator'
  // The amounts of a payment are in its own currency.
  const foreign = currency !== payment.currency
  const verdict = foreign ? ({ ok: true } as const) : mayRefund(payment, amount)
  // The system refunds what a card paid alone.
  const status = !verdict.ok ? 'failed' : payment.type === 'card' || origin === 'system' ? 'requested' : 'succeeded'
  const refund = em.create(Refund, {
    id: newId(),
    tenant_id: payment.tenant_id,
    created_at: now,
    updated_at: now,
    refund_id,
    order_id: payment.order_id ?? null,
    subscription_id: payment.subscription_id ?? null,
    payment_id: payment.id,
    amount,
    currency,
    origin,
    requested_by,
    provider_account_id: payment.provider_account_id ?? null,
    fingerprint,
    status,
    settled_at: status === 'requested' ? null : new Date(now * 1000),
    error: verdict.ok
      ? null
      : {
          code: verdict.code,
          message: `At most ${formatMoney(verdict.refundable, payment.currency)} can be refunded.`,
        },
  })
  if (status === 'requested' && !foreign) payment.refund_pending_amount += amount
  if (status === 'succeeded' && !foreign) payment.refunded_amount += amount
  if (status !== 'failed') payment.updated_at = now
  await em.flush()
  if (status === 'requested')
    await start(em, 'refund', refund.id, {
      tenant_id: payment.tenant_id,
      awaited: origin === 'operator',
      signal: false,
    })
  return refund
}

/**
 * Refunds a payment that arrived after its order was cancelled, beside another subscription, or after it was paid in
 * cash: all that is left of what the provider took, once per payment, in its currency.
 */
export async function refundLatePayment(
  em: EntityManager,
  payment: Payment,
  capture: { amount: number; currency: string },
  now: number,
): Promise<void> {
  const { currency } = capture
  const rest = payment.type === 'cash' ? Math.min(capture.amount, refundable(payment)) : refundable(payment)
  // The bank has returned a lost dispute, whose event may have come before the payment.
  const amount = Math.max(
    0,
    (currency === payment.currency ? rest : capture.amount) - (await lostAmount(em, payment, currency)),
  )
  if (amount === 0 || (await em.count(Refund, { payment_id: payment.id, origin: 'system' })) > 0) return
  const refund_id = newId()
  const fingerprint = createHash('sha256').update(`system ${payment.id}`).digest('hex')
  await requestRefund(em, payment, { refund_id, amount, currency, fingerprint, requested_by: null }, now)
}

/**
 * Counts a payment that disagrees with its refunds again (`miscountedPayments`), and refunds a capture of an order that
 * was cancelled before. `now` in Unix seconds.
 */
export async function recountPayment(
  em: EntityManager,
  { payment_id, tenant_id }: { payment_id: string; tenant_id: string },
  now: number,
): Promise<void> {
  em.setFilterParams('tenant', { tenant: tenant_id })
  const payment = await lockPayment(em, { id: payment_id })
  if (!payment) return
  const order = payment.order_id ? await em.findOne(Order, { id: String(payment.order_id) }) : null
  const isLate =
    order?.status === 'cancelled' &&
    payment.type === 'card' &&
    (order.paid_at ?? 0) > (order.cancelled_at ?? Number.POSITIVE_INFINITY)
  if (isLate && (await em.count(Refund, { payment_id })) === 0)
    await refundLatePayment(em, payment, { amount: payment.captured_amount, currency: payment.currency }, now)
  await countPayment(em, payment_id)
}
