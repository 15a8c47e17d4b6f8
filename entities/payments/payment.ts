// The one payment of an order, or a payment of a subscription. A check of the table keeps its refunds, settled, pending
// and unknown, within what was captured.
import { defineEntity, p } from '@mikro-orm/core'
import { PaymentKind, PaymentStatus, PaymentType, ProviderName } from '../../rules/payments/payments.ts'
import { asRow, tenantRow } from '../kit/database/row.ts'
import type { Evidence } from '../kit/effect-columns.ts'
import { Order } from '../orders/order.ts'
// Backwards: a foreign key, as a payment belongs to an order or to a subscription.
import { Subscription } from '../subscriptions/subscription.ts'

const schema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    ...tenantRow,
    order_id: () => p.manyToOne(Order).mapToPk().unique().deleteRule('restrict').joinColumn('order_id').nullable(),
    subscription_id: () =>
      p.manyToOne(Subscription).mapToPk().deleteRule('restrict').joinColumn('subscription_id').nullable(),
    /** Set for a subscription's payment; null for an order's. */
    kind: p.enum(PaymentKind.options).nullable(),
    /** What a promo code took off a subscription's payment, in minor units. */
    discount_amount: p.bigint('number').default(0),
    /** The contact that subscribed. It is no foreign key and never changes, also when contacts are merged. */
    payer_contact_id: p.uuid().nullable(),
    provider_invoice_id: p.string().nullable(),
    /** The time that the payment proves, in Unix seconds; null if it proves none. */
    period_start: p.bigint('number').nullable(),
    period_end: p.bigint('number').nullable(),
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
    /** When the authorisation of the card ends, in Unix seconds. */
    capture_before: p.bigint('number').nullable(),
  },
  checks: [
    {
      name: 'payments_refunds',
      expression: `
        refunded_amount >= 0
        and refund_pending_amount >= 0
        and refund_unknown_amount >= 0
        and refunded_amount + refund_pending_amount + refund_unknown_amount <= captured_amount
      `,
    },
    { name: 'payments_amount', expression: 'amount >= 0 and captured_amount >= 0' },
    {
      name: 'payments_owner',
      expression: '(order_id is null) <> (subscription_id is null) and (kind is null) = (subscription_id is null)',
    },
  ],
  indexes: [
    { properties: ['provider_session_id'] },
    { properties: ['provider_payment_id'] },
    { properties: ['subscription_id', 'created_at', 'id'] },
    {
      // The sales of a store by day are read from the index alone.
      name: 'payments_paid',
      expression: `
        create index "payments_paid"
        on "payments" ("tenant_id", "paid_at") include ("currency", "captured_amount", "subscription_id")
        where paid_at is not null
      `,
    },
    {
      // Without those that were accepted, which are never over.
      name: 'payments_attention',
      expression: `
        create index "payments_attention" on "payments" ("tenant_id")
        where error ->> 'code' in (
            'event_missing', 'amount_mismatch', 'price_mismatch', 'paid_twice', 'refund_due', 'refund_conflict'
          )
          and error -> 'acknowledged' is null
      `,
    },
    {
      name: 'payments_accepted',
      expression: `
        create index "payments_accepted" on "payments"
          ("tenant_id", ((error #>> '{acknowledged,at}')::float8), "id")
        where error -> 'acknowledged' is not null
      `,
    },
    {
      // Those of all tenants alike, of which the platform's own list reads those about plans.
      name: 'payments_accepted_of_all',
      expression: `
        create index "payments_accepted_of_all" on "payments" (((error #>> '{acknowledged,at}')::float8), "id")
        where error -> 'acknowledged' is not null
      `,
    },
    {
      name: 'payments_invoice',
      expression: `
        create unique index "payments_invoice" on "payments" (coalesce(provider_account_id, ''), "provider_invoice_id")
        where provider_invoice_id is not null
      `,
    },
    {
      name: 'payments_unread',
      expression: `
        create index "payments_unread" on "payments" ("updated_at")
        where provider_invoice_id is not null and captured_amount > 0 and (evidence ->> 'payment_intent') is null
      `,
    },
    {
      name: 'payments_initial',
      expression: `
        create unique index "payments_initial" on "payments" ("subscription_id")
        where kind in ('initial', 'one_time')
      `,
    },
    {
      name: 'payments_told_refunds',
      expression: `
        create index "payments_told_refunds" on "payments" ("id")
        where error ->> 'provider_refund_id' is not null
      `,
    },
  ],
})
export class Payment extends schema.class {}
schema.setClass(Payment)

/** A payment of a subscription: the database checks that it has a kind. */
export const ofSubscription = (payment: Payment) => ({
  ...asRow(payment),
  subscription_id: payment.subscription_id as string,
  kind: payment.kind as NonNullable<Payment['kind']>,
})
