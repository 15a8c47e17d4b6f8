// A dispute that a customer opened at their bank, as the provider's signed events report it.
import { defineEntity, p } from '@mikro-orm/core'
import { DisputeStatus } from '../../rules/payments/disputes.ts'
import { tenantRow } from '../kit/database/row.ts'
import type { Evidence } from '../kit/effect-columns.ts'
import { Payment } from './payment.ts'

const schema = defineEntity({
  name: 'Dispute',
  tableName: 'disputes',
  properties: {
    ...tenantRow,
    order_id: p.uuid().nullable(),
    subscription_id: p.uuid().nullable(),
    payment_id: () => p.manyToOne(Payment).mapToPk().deleteRule('restrict').joinColumn('payment_id'),
    /** Null: the platform's own, of a payment for a store's plan. */
    provider_account_id: p.string().nullable(),
    provider_dispute_id: p.string(),
    amount: p.bigint('number'),
    currency: p.string().length(3),
    status: p.enum(DisputeStatus.options),
    /** The provider's status, which is finer; null in rows that are older than this column. */
    provider_status: p.string().nullable(),
    reason: p.string().nullable(),
    evidence_due_at: p.bigint('number').nullable(),
    closed_at: p.bigint('number').nullable(),
    /** When the provider made the event that was applied last: older events change nothing. */
    event_at: p.bigint('number'),
    evidence: p.json<Evidence>().nullable(),
  },
  checks: [{ name: 'disputes_owner', expression: '(order_id is null) <> (subscription_id is null)' }],
  uniques: [{ properties: ['provider_account_id', 'provider_dispute_id'] }],
  indexes: [
    { properties: ['order_id', 'created_at', 'id'] },
    { properties: ['subscription_id', 'created_at', 'id'] },
    { properties: ['payment_id'] },
    {
      name: 'disputes_of_plans',
      expression: `
        create unique index "disputes_of_plans" on "disputes" ("provider_dispute_id")
        where provider_account_id is null
      `,
    },
    {
      name: 'disputes_attention',
      expression: `create index "disputes_attention" on "disputes" ("tenant_id") where closed_at is null`,
    },
  ],
})
export class Dispute extends schema.class {}
schema.setClass(Dispute)
