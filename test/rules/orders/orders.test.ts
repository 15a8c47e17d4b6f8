// An order changes only as its payment, its refunds and its shipments allow.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  mayCancel,
  mayConfirm,
  mayEdit,
  mayReplaceItems,
  type OrderFacts,
  statusAfterReplacement,
} from '../../../rules/orders/orders.ts'
import { OrderStatus } from '../../../rules/orders/statuses.ts'
import { PaymentStatus } from '../../../rules/payments/payments.ts'
import { mayRefund, refundable } from '../../../rules/refunds/refunds.ts'

const unpaid: OrderFacts['payment'] = {
  status: 'pending',
  type: 'card',
  captured_amount: 0,
  refunded_amount: 0,
  refund_pending_amount: 0,
  refund_unknown_amount: 0,
}
const paid = { ...unpaid, status: 'paid', captured_amount: 100 } as const
const order = (more: Partial<OrderFacts> = {}): OrderFacts => ({
  status: 'pending',
  payment: unpaid,
  shipped: false,
  completed: false,
  session_open: false,
  ...more,
})

const said = (verdict: { ok: true; move?: string } | { ok: false; code: string }) =>
  verdict.ok ? (verdict.move ?? 'ok') : verdict.code

test.each([
  ['a pending cash order', order({ payment: { ...unpaid, type: 'cash' } }), 'confirm'],
  ['a pending order of nothing', order({ payment: { ...unpaid, type: 'none', status: 'paid' } }), 'confirm'],
  ['a paid card order', order({ payment: paid }), 'confirm'],
  ['an unpaid card order', order(), 'payment_not_captured'],
  ['a card order in processing', order({ payment: { ...unpaid, status: 'processing' } }), 'payment_not_captured'],
  ['a confirmed order, again', order({ status: 'confirmed' }), 'none'],
  ['a partially cancelled order', order({ status: 'partially_cancelled' }), 'none'],
  ['a cancelled order', order({ status: 'cancelled', payment: paid }), 'order_cancelled'],
])('Confirming %s returns the documented verdict', (_, facts, verdict) => {
  expect(said(mayConfirm(facts))).toBe(verdict)
})

test.each([
  ['an unpaid order', order(), 'cancel'],
  ['a confirmed cash order', order({ status: 'confirmed', payment: { ...unpaid, type: 'cash' } }), 'cancel'],
  ['an order with an open session: that is expired first', order({ session_open: true }), 'expire_session'],
  ['a captured order', order({ payment: paid }), 'payment_must_be_refunded'],
  ['a partly refunded order', order({ payment: { ...paid, refunded_amount: 99 } }), 'payment_must_be_refunded'],
  ['a wholly refunded order', order({ payment: { ...paid, refunded_amount: 100 } }), 'cancel'],
  [
    'an order whose refund is in flight',
    order({ payment: { ...paid, refund_pending_amount: 100 } }),
    'refund_in_progress',
  ],
  [
    'an order whose refund is unknown',
    order({ payment: { ...paid, refunded_amount: 60, refund_unknown_amount: 40 } }),
    'refund_unknown',
  ],
  [
    'an order whose payment is in flight',
    order({ payment: { ...unpaid, status: 'processing' } }),
    'payment_in_progress',
  ],
  ['a shipped order', order({ shipped: true, payment: { ...paid, refunded_amount: 100 } }), 'order_shipped'],
  ['a cancelled order, again', order({ status: 'cancelled', payment: paid }), 'none'],
])('Cancelling %s returns the documented verdict', (_, facts, verdict) => {
  expect(said(mayCancel(facts))).toBe(verdict)
})

test.each([
  ['of an unpaid order', order(), 'ok'],
  [
    'of a partially cancelled cash order',
    order({ status: 'partially_cancelled', payment: { ...unpaid, type: 'cash' } }),
    'ok',
  ],
  ['of a captured order', order({ payment: paid }), 'payment_captured'],
  ['of a refunded order', order({ payment: { ...paid, refunded_amount: 100 } }), 'payment_captured'],
  ['while a session is open', order({ session_open: true }), 'payment_in_progress'],
  ['of a shipped order', order({ shipped: true }), 'order_shipped'],
  ['of a cancelled order', order({ status: 'cancelled' }), 'order_cancelled'],
])('Replacing the items %s returns the documented verdict', (_, facts, verdict) => {
  expect(said(mayReplaceItems(facts))).toBe(verdict)
})

test('Dropping items of a confirmed order cancels it in part, or wholly', () => {
  expect(statusAfterReplacement('pending', { dropped: 1, kept: 1 })).toBe('pending')
  expect(statusAfterReplacement('confirmed', { dropped: 0, kept: 2 })).toBe('confirmed')
  expect(statusAfterReplacement('confirmed', { dropped: 1, kept: 1 })).toBe('partially_cancelled')
  expect(statusAfterReplacement('partially_cancelled', { dropped: 0, kept: 1 })).toBe('partially_cancelled')
  expect(statusAfterReplacement('confirmed', { dropped: 2, kept: 0 })).toBe('cancelled')
})

test('Addresses and forms can change until the order is cancelled', () => {
  expect(OrderStatus.options.map((status) => said(mayEdit({ status })))).toEqual(['ok', 'ok', 'ok', 'order_cancelled'])
})

const part = fc.nat(50)
const payments = fc
  .record({
    left: part,
    refunded_amount: part,
    refund_pending_amount: part,
    refund_unknown_amount: part,
    status: fc.constantFrom(...PaymentStatus.options),
  })
  .map(({ left, ...payment }) => ({
    ...payment,
    type: 'card' as const,
    captured_amount: left + payment.refunded_amount + payment.refund_pending_amount + payment.refund_unknown_amount,
  }))

test('An order with unrefunded or pending money is never cancelled', () => {
  fc.assert(
    fc.property(payments, fc.boolean(), fc.boolean(), (payment, shipped, session_open) => {
      const verdict = mayCancel(order({ payment, shipped, session_open }))
      const isSettled = payment.captured_amount === payment.refunded_amount && payment.status !== 'processing'
      expect(verdict.ok).toBe(isSettled && !shipped)
    }),
  )
})

test('Refunds never exceed the captured amount, whatever is pending or unknown', () => {
  fc.assert(
    fc.property(payments, fc.integer({ min: 1, max: 200 }), (payment, amount) => {
      const kept =
        payment.captured_amount -
        payment.refunded_amount -
        payment.refund_pending_amount -
        payment.refund_unknown_amount
      expect(refundable(payment)).toBe(kept)
      const verdict = mayRefund(payment, amount)
      expect(verdict).toEqual(
        amount <= kept ? { ok: true } : { ok: false, code: 'amount_exceeds_refundable', refundable: kept },
      )
    }),
  )
})
