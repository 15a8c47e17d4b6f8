// The one payment of an order. A check of the table keeps its refunds, settled, pending and unknown, within what was captured.
import { defineEntity, p } from '@mikro-orm/core'
import { PaymentType, ProviderName } from '../../rules/orders/payments.ts'
import { PaymentStatus } from '../../rules/shapes.ts'
import type { Evidence } from '../kit/effect-columns.ts'
import { tenantRow } from '../kit/row.ts'
import { Order } from './order.ts'

const schema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    ...tenantRow,
    order_id: () => p.manyToOne(Order).mapToPk().unique().deleteRule('restrict').joinColumn('order_id'),
    type: p.enum(PaymentType.options),
    method_key: p.string().nullable(),
    status: p.enum(PaymentStatus.options).default('pending'),
    currency: p.string().length(3),
    amount: p.bigint('number'),
    captured_amount: p.bigint('number').default(0),
    refunded_amount: p.bigint('number').default(0),
    refund_pending_amount: p.bigint('number').default(0),
    refund_unknown_amount: p.bigint('number').default(0),
    provider: p.enum(ProviderName.options).nullable(),
    provider_account_id: p.string().nullable(),
    provider_session_id: p.string().nullable(),
    provider_payment_id: p.string().nullable(),
    evidence: p.json<Evidence>().nullable(),
    error: p.json<{ code: string; message: string } & Record<string, unknown>>().nullable(),
    paid_at: p.bigint('number').nullable(),
  },
  checks: [
    {
      name: 'payments_refunds',
      expression:
        'refunded_amount >= 0 and refund_pending_amount >= 0 and refund_unknown_amount >= 0 and refunded_amount + refund_pending_amount + refund_unknown_amount <= captured_amount',
    },
    { name: 'payments_amount', expression: 'amount >= 0 and captured_amount >= 0' },
  ],
  indexes: [
    { properties: ['provider_session_id'] },
    { properties: ['provider_payment_id'] },
    {
      name: 'payments_told_refunds',
      expression: `create index "payments_told_refunds" on "payments" ("id") where error ->> 'provider_refund_id' is not null`,
    },
  ],
})
export class Payment extends schema.class {}
schema.setClass(Payment)
