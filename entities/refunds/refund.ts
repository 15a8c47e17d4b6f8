// A refund: an effect that the caller names by refund_id.
import { defineEntity, p } from '@mikro-orm/core'
import { RefundOrigin, type RefundOutcome } from '../../rules/payments/payments.ts'
import type { Resolution } from '../../rules/resolutions.ts'
import { tenantRow } from '../kit/database/row.ts'
import { effect, recordedIndex, recordedOfAllIndex } from '../kit/effect-columns.ts'
import { Payment } from '../payments/payment.ts'

const schema = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    ...tenantRow,
    refund_id: p.uuid(),
    /** A refund belongs to an order or to a subscription, as its payment does. */
    order_id: p.uuid().nullable(),
    subscription_id: p.uuid().nullable(),
    payment_id: () => p.manyToOne(Payment).mapToPk().deleteRule('restrict').joinColumn('payment_id'),
    amount: p.bigint('number'),
    currency: p.string().length(3),
    origin: p.enum(RefundOrigin.options),
    /** The operator's account; null of other origins, and of rows before this column. */
    requested_by: p.uuid().nullable(),
    /** When a refund that the provider has accepted was read there last. */
    read_at: p.datetime(3).nullable(),
    provider_account_id: p.string().nullable(),
    provider_refund_id: p.string().nullable(),
    /**
     * An operator has to act: it is unknown, exceeds what was captured, is due to the buyer of a cancelled order, or
     * differs from what was recorded about it (refund-amounts.ts).
     */
    needs_attention: p.boolean().default(false),
    ...effect,
    resolution: p.json<Resolution<RefundOutcome>>().nullable(),
  },
  checks: [
    { name: 'refunds_amount', expression: 'amount > 0' },
    { name: 'refunds_owner', expression: '(order_id is null) <> (subscription_id is null)' },
  ],
  uniques: [{ properties: ['tenant_id', 'refund_id'] }],
  indexes: [
    { properties: ['order_id', 'created_at', 'id'] },
    { properties: ['subscription_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    {
      name: 'refunds_needing_attention',
      expression:
        'create index "refunds_needing_attention" on "refunds" ("tenant_id", "created_at", "id") where needs_attention',
    },
    { properties: ['payment_id'] },
    { properties: ['status', 'created_at'] },
    recordedIndex('refunds'),
    recordedOfAllIndex('refunds'),
    {
      name: 'refunds_resolved',
      expression: `create index "refunds_resolved" on "refunds" ("payment_id") where resolution is not null`,
    },
    {
      name: 'refunds_system',
      expression: 'create unique index "refunds_system" on "refunds" ("payment_id") where origin = \'system\'',
    },
    {
      name: 'refunds_provider_refund',
      expression: `
        create unique index "refunds_provider_refund" on "refunds" ("provider_account_id", "provider_refund_id")
        where provider_refund_id is not null
      `,
    },
  ],
})
export class Refund extends schema.class {}
schema.setClass(Refund)
