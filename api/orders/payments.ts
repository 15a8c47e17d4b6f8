// The one payment of an order.

import { LockMode } from '@mikro-orm/core'
import { z } from 'zod'
import { Order } from '../../entities/orders/order.ts'
import { orderUpdated } from '../../entities/orders/order-events.ts'
import { Payment } from '../../entities/orders/payment.ts'
import { lockPayment } from '../../entities/orders/refunds.ts'
import { PaymentType } from '../../rules/orders/payments.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { Amount, CreatedAt, EffectError, PaymentStatus, UpdatedAt } from '../../rules/shapes.ts'
import { route } from '../kit/route.ts'

export const PaymentOut = z
  .object({
    id: z.string().describe('Identifier of the payment, a UUIDv7 made by the server.'),
    order_id: z.string().describe('Identifier of the order.'),
    type: PaymentType.describe('How it is paid; `none` where the total is 0.'),
    method_key: z.string().nullable().describe("Key of the market's payment method; null where the total is 0."),
    status: PaymentStatus.describe('`pending` until the provider or an operator says that it was paid. Refunds leave it `paid`.'),
    currency: z.string().describe('Currency of all amounts of the payment, ISO 4217.'),
    amount: Amount.describe('Amount due, in minor units.'),
    captured_amount: Amount.describe('Amount that was received, in minor units.'),
    refunded_amount: Amount.describe('Amount that was paid back, in minor units.'),
    refund_pending_amount: Amount.describe('Amount of refunds that are under way, in minor units.'),
    refund_unknown_amount: Amount.describe('Amount of refunds whose outcome is unknown, in minor units. It stays reserved until an operator resolves them.'),
    provider: z.string().nullable().describe('Payment provider; null for cash and where the total is 0.'),
    provider_account_id: z.string().nullable().describe("The store's account at the provider; null without a provider."),
    provider_session_id: z.string().nullable().describe("The provider's id of the checkout session; null until there is one."),
    provider_payment_id: z.string().nullable().describe("The provider's id of the payment; null until it is known."),
    evidence: z.looseObject({}).nullable().describe('What the provider said about the payment; null if nothing.'),
    error: EffectError.nullable().describe('What is wrong with the payment; null if nothing is.'),
    paid_at: z.int().nullable().describe('Time at which it was paid, in Unix seconds; null until then.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Payment', description: 'The one payment of an order. Amounts are in minor units.' })

export const payments = [
  route('GET /v1/stores/{storeId}/orders/{orderId}/payment', {
    may: 'admin',
    summary: 'Read the payment of an order',
    out: PaymentOut,
    run: ({ em, path }) => em.findOneOrFail(Payment, { order_id: path.orderId }, { failHandler: () => notFound('payment') }),
  }),
  route('POST /v1/stores/{storeId}/orders/{orderId}/payment/mark-paid', {
    operation: 'markPaymentPaid',
    may: 'admin',
    refuses: ['not_cash', 'order_cancelled'],
    summary: 'Mark a cash payment as paid',
    description: 'A payment that is paid already is returned as it is. Card payments are refused with 409 `not_cash`.',
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
