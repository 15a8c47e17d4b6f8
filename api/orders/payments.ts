// The one payment of an order.
import { LockMode } from '@mikro-orm/core'
import { z } from 'zod'
import { Order } from '../../entities/orders/order.ts'
import { orderUpdated } from '../../entities/orders/order-events.ts'
import { Payment } from '../../entities/orders/payment.ts'
import { lockPayment } from '../../entities/orders/refunds.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { Amount, PaymentStatus } from '../../rules/shapes.ts'
import { route } from '../kit/route.ts'

export const PaymentOut = z
  .object({
    id: z.string(),
    order_id: z.string(),
    type: z.enum(['cash', 'card', 'none']),
    method_key: z.string().nullable(),
    status: PaymentStatus,
    currency: z.string(),
    amount: Amount,
    captured_amount: Amount,
    refunded_amount: Amount,
    refund_pending_amount: Amount,
    refund_unknown_amount: Amount,
    provider: z.string().nullable(),
    provider_account_id: z.string().nullable(),
    provider_session_id: z.string().nullable(),
    provider_payment_id: z.string().nullable(),
    evidence: z.looseObject({}).nullable(),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    paid_at: z.int().nullable(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Payment', description: 'Amounts in minor units' })

export const payments = [
  route('GET /v1/stores/{storeId}/orders/{orderId}/payment', {
    may: 'admin',
    summary: "Read an order's payment",
    out: PaymentOut,
    run: ({ em, path }) => em.findOneOrFail(Payment, { order_id: path.orderId }, { failHandler: () => notFound('payment') }),
  }),
  route('POST /v1/stores/{storeId}/orders/{orderId}/payment/mark-paid', {
    operation: 'markPaymentPaid',
    may: 'admin',
    summary: 'The cash was taken',
    body: z.object({}),
    out: PaymentOut,
    async run({ em, path, now }) {
      const order = await em.findOne(Order, { id: path.orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      const payment = order && (await lockPayment(em, order.id))
      if (!order || !payment) throw notFound('payment')
      if (payment.type !== 'cash') throw conflict('not_cash', 'Only cash is marked as paid; a card payment is settled by its provider.')
      if (payment.status === 'paid') return payment
      if (payment.status !== 'pending' || order.status === 'cancelled') throw conflict('order_cancelled', 'The order is cancelled.')
      em.assign(payment, { status: 'paid', captured_amount: payment.amount, paid_at: now, updated_at: now })
      em.assign(order, { paid_at: now, updated_at: now })
      await em.flush()
      await orderUpdated(em, order, now)
      return payment
    },
  }),
]
