// Records what the provider captured, at any amount and in any state of the payment's owner, from a signed event or a
// read that proves it. Then the order is confirmed, the payment is flagged, or a cancelled order is refunded.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ConfirmedState } from '../../rules/bookings/bookings.ts'
import { formatMoney } from '../../rules/payments/currencies.ts'
import type { Evidence } from '../kit/effect-columns.ts'
import { confirmPaid } from '../orders/confirmation.ts'
import type { Order } from '../orders/order.ts'
import { orderUpdated } from '../orders/order-events.ts'
import { cancelOrder } from '../orders/release.ts'
// Backwards: a payment that is captured too late is refunded in the same transaction.
import { refundLatePayment } from '../refunds/refunds.ts'
import { Tenant } from '../stores/tenant.ts'
import { wakeCheckout, wakeHold } from './checkout-steps.ts'
import { applyWaiting } from './event-replay.ts'
import type { Payment } from './payment.ts'

/**
 * `amount` in minor units of `currency`, null if the provider does not say. `payment_intent`: the provider's id of the
 * payment; null where it is read later.
 */
export type Capture = {
  amount: number | null
  currency: string | null
  payment_intent: string | null
  session?: string | null
  evidence: Evidence
}

/** Paid in cash, and by card as well: the form of the card was still open. What the card paid is refunded. */
export const isPaidTwice = ({ type, evidence }: Payment): boolean => type === 'cash' && evidence?.beside_cash === true

/**
 * Whether a capture of the payment is recorded. A payment that was changed to cash since, and paid in cash, has none.
 */
export const isCaptured = (payment: Payment): boolean =>
  (payment.type === 'card' && payment.status === 'paid') || isPaidTwice(payment)

/**
 * Records a capture of the payment of an order or a subscription, and applies the refunds and disputes that preceded
 * it. A capture in another currency captures nothing of the payment's own. A capture of a payment that is paid in cash
 * is the second one, which is counted beside the cash. Requires the payment's lock. Returns whether the amount is the
 * one due. `now` in Unix seconds.
 */
export async function recordCapture(
  em: EntityManager,
  payment: Payment,
  capture: Capture,
  now: number,
): Promise<boolean> {
  const { amount, currency, payment_intent, session, evidence } = capture
  const took = amount == null || currency == null ? 'an amount that it does not name' : formatMoney(amount, currency)
  const agrees = amount === payment.amount && currency === payment.currency
  const own = currency === payment.currency ? (amount ?? 0) : 0
  const ids = {
    provider_session_id: session ?? payment.provider_session_id ?? null,
    provider_payment_id: payment_intent ?? payment.provider_payment_id ?? null,
    updated_at: now,
  }
  if (payment.type === 'cash' && payment.status === 'paid') {
    const error = {
      code: 'paid_twice',
      message: `It was paid in cash, and the provider took ${took} as well.`,
      amount: own,
    }
    em.assign(payment, {
      ...ids,
      captured_amount: payment.captured_amount + own,
      evidence: { ...evidence, beside_cash: true },
      error,
    })
    await em.flush()
    await applyWaiting(em, payment, now)
    return agrees
  }
  em.assign(payment, {
    ...ids,
    type: 'card',
    status: 'paid',
    captured_amount: own,
    paid_at: now,
    evidence,
    error: agrees
      ? null
      : {
          code: 'amount_mismatch',
          message: `The provider took ${took} instead of ${formatMoney(payment.amount, payment.currency)}.`,
        },
  })
  await em.flush()
  await applyWaiting(em, payment, now)
  return agrees
}

/**
 * Confirms the order of a payment whose capture was just recorded. An order that is cancelled, or whose business is
 * being deleted, is not confirmed: its payment is refunded, and so is what a card paid beside cash. Another amount than
 * the one due confirms nothing. `as`: the status of a booking that is confirmed. Requires the locks of the order and
 * its payment. `now` in Unix seconds.
 */
export async function followCapture(
  em: EntityManager,
  order: Order,
  payment: Payment,
  { agrees, as = 'confirmed', waits = true }: { agrees: boolean; as?: ConfirmedState; waits?: boolean },
  now: number,
): Promise<string> {
  const { erasing_at, settings } = await em.findOneOrFail(Tenant, { id: order.tenant_id })
  // The checkout of a booking that waits for a decision has no workflow until its time is near.
  const { hold_until } = order
  const wake = async () => {
    if (waits) await wakeCheckout(em, order)
    else if (hold_until) await wakeHold(em, order)
  }
  const { amount, currency } = payment.evidence as { amount?: number | null; currency?: string | null }
  const capture = { amount: amount ?? 0, currency: currency ?? payment.currency }
  if (isPaidTwice(payment)) {
    await refundLatePayment(em, payment, capture, now)
    await em.flush()
    await wake()
    await orderUpdated(em, order, now)
    return 'paid in cash before: refunded'
  }
  if (erasing_at != null && order.status !== 'cancelled') {
    await cancelOrder(em, order, now, { reason: 'requested' })
    await em.refresh(order)
  }
  if (order.status === 'cancelled') {
    await refundLatePayment(em, payment, capture, now)
    await em.flush()
    await wake()
    return 'paid too late: refunded'
  }
  const confirms =
    agrees && order.status === 'pending' && (order.module !== null || settings.auto_confirm_paid !== false)
  em.assign(order, {
    ...{
      hold_until: null,
      cancel_requested: false,
      cancel_reason: null,
      version: order.version + 1,
      paid_at: now,
      updated_at: now,
    },
    ...(confirms ? { status: 'confirmed' as const, ...(order.module ? { booking_status: as } : {}) } : {}),
  })
  await em.flush()
  if (confirms) await confirmPaid(em, order, as, now)
  await wake()
  await orderUpdated(em, order, now)
  if (!agrees) return 'paid another amount: flagged'
  return confirms ? 'paid and confirmed' : 'paid'
}
