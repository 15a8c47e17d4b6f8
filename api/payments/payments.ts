// The one payment of an order, and marking cash as paid.
import { z } from 'zod'
import { markPaid } from '../../entities/payments/mark-paid.ts'
import { Payment } from '../../entities/payments/payment.ts'
import { PaymentOut } from '../../rules/resources.ts'
import { reading } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'

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
    description:
      'A payment that is paid already is returned unchanged. 409 `not_cash` for a card payment, `order_cancelled` if the order is cancelled.',
    body: z.object({}),
    out: PaymentOut,
    run: ({ em, path, now }) => markPaid(em, path.orderId, now),
  }),
]
