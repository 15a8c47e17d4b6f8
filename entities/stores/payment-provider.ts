// The store's own account at the payment provider. Making that account is an effect: it happens once.
import { defineEntity, p } from '@mikro-orm/core'
import { effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
import { tenantRow } from '../kit/row.ts'

const schema = defineEntity({
  name: 'PaymentProvider',
  tableName: 'payment_providers',
  properties: {
    ...tenantRow,
    type: p.enum(['stripe'] as const).default('stripe'),
    country: p.string().length(2).nullable(),
    email: p.string().length(254).nullable(),
    account_id: p.string().nullable(),
    /** An account that the store has already, to be taken over if its metadata says that it is this store's. */
    adopt_account_id: p.string().nullable(),
    charges_enabled: p.boolean().default(false),
    payouts_enabled: p.boolean().default(false),
    details_submitted: p.boolean().default(false),
    /** When the provider made the newest event that told of these three, or answered a later read of them; Unix seconds by its clock. */
    account_event_at: p.bigint('number').nullable(),
    ...effect,
  },
  uniques: [{ properties: ['tenant_id', 'type'] }],
  indexes: [{ properties: ['account_id'] }, { properties: ['status', 'created_at'] }],
})
export class PaymentProvider extends schema.class {}
schema.setClass(PaymentProvider)

export const connectEffect = effectRow('connect', { precondition: 'true' })
