// The store's account at the payment provider. Creating that account is an effect.
import { defineEntity, p } from '@mikro-orm/core'
import { ProviderName } from '../../rules/payments/payments.ts'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'

const schema = defineEntity({
  name: 'PaymentProvider',
  tableName: 'payment_providers',
  properties: {
    ...tenantRow,
    type: p.enum(ProviderName.options).default('stripe'),
    country: p.string().length(2).nullable(),
    email: p.string().length(254).nullable(),
    account_id: p.string().nullable(),
    /** An existing account to adopt, if its metadata names this store. */
    adopt_account_id: p.string().nullable(),
    charges_enabled: p.boolean().default(false),
    payouts_enabled: p.boolean().default(false),
    details_submitted: p.boolean().default(false),
    /**
     * When the provider made the newest event about these three flags, or answered a later read of them; Unix seconds
     * of its clock.
     */
    account_event_at: p.bigint('number').nullable(),
    ...effect,
  },
  uniques: [{ properties: ['tenant_id', 'type'] }],
  indexes: [
    { properties: ['account_id'] },
    { properties: ['status', 'created_at'] },
    ...attentionIndexes('payment_providers'),
  ],
})
export class PaymentProvider extends schema.class {}
schema.setClass(PaymentProvider)
