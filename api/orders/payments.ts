// The one payment of an order, and marking cash as paid.
import { z } from 'zod'
import { markPaid } from '../../entities/orders/mark-paid.ts'
import { Payment } from '../../entities/orders/payment.ts'
import { PaymentType } from '../../rules/orders/payments.ts'
import { Amount, CreatedAt, EffectError, PaymentStatus, UpdatedAt } from '../../rules/shapes.ts'
import { reading } from '../kit/record.ts'
import { route } from '../kit/route.ts'

export const PaymentOut = z
  .object({
    id: z.string().describe('Identifier of the payment, a UUIDv7 made by the server.'),
    order_id: z.string().describe('Identifier of the order.'),
    type: PaymentType.describe('How it is paid; `none` where the total is 0.'),
    method_key: z.string().nullable().describe("Key of the market's payment method; null where the total is 0."),
    status: PaymentStatus.describe('`pending` until the provider or an operator confirms the payment. Refunds leave it `paid`.'),
    currency: z.string().describe('Currency of all amounts of the payment, ISO 4217.'),
    amount: Amount.describe('Amount due, in minor units.'),
    captured_amount: Amount.describe('Amount that was captured, in minor units.'),
    refunded_amount: Amount.describe('Amount that was refunded, in minor units.'),
    refund_pending_amount: Amount.describe('Amount of refunds that are in progress, in minor units.'),
    refund_unknown_amount: Amount.describe('Amount of refunds whose outcome is unknown, in minor units. It stays reserved until an operator resolves them.'),
    provider: z.string().nullable().describe('Payment provider; null for cash and where the total is 0.'),
    provider_account_id: z.string().nullable().describe("The store's account at the provider; null without a provider."),
    provider_session_id: z.string().nullable().describe("The provider's id of the checkout session; null until there is one."),
    provider_payment_id: z.string().nullable().describe("The provider's id of the payment; null until it is known."),
    evidence: z.looseObject({}).nullable().describe('What the provider reported about the payment; null if nothing.'),
    error: EffectError.nullable().describe('Why the payment failed; null if it did not.'),
    paid_at: z.int().nullable().describe('Time at which it was paid, in Unix seconds; null until then.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Payment', description: 'The one payment of an order. Amounts are in minor units.' })

export const payments = [
  reading('GET /v1/stores/{storeId}/orders/{orderId}/payment', {
    may: 'admin',
    summary: 'Read the payment of an order',
    entity: Payment,
    out: PaymentOut,
    where: ({ path }) => ({ order_id: path.orderId }),
  }),
  route('POST /v1/stores/{storeId}/orders/{orderId}/payment/mark-paid', {
    operation: 'markPaymentPaid',
    may: 'admin',
    refuses: ['not_cash', 'order_cancelled'],
    summary: 'Mark a cash payment as paid',
    description: 'A payment that is paid already is returned unchanged. 409 `not_cash` for a card payment, `order_cancelled` if the order is cancelled.',
    body: z.object({}),
    out: PaymentOut,
    run: ({ em, path, now }) => markPaid(em, path.orderId, now),
  }),
]
