// An effect: captures an authorised payment, or cancels it. There is one decision for a payment: a unique index allows
// no other unless the first was not carried out.
import { defineEntity, p } from '@mikro-orm/core'
import { AuthorizationEndKind, ConfirmedState } from '../../rules/bookings/bookings.ts'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { Payment } from './payment.ts'

const schema = defineEntity({
  name: 'AuthorizationEnd',
  tableName: 'authorization_ends',
  properties: {
    ...tenantRow,
    order_id: p.uuid(),
    payment_id: () => p.manyToOne(Payment).mapToPk().deleteRule('restrict').joinColumn('payment_id'),
    kind: p.enum(AuthorizationEndKind.options),
    /** The status of the booking when the payment is captured. */
    confirms_as: p.enum(ConfirmedState.options).nullable(),
    provider_account_id: p.string().nullable(),
    provider_payment_id: p.string(),
    amount: p.bigint('number'),
    currency: p.string().length(3),
    ...effect,
  },
  indexes: [
    { properties: ['status', 'created_at'] },
    { properties: ['order_id'] },
    ...attentionIndexes('authorization_ends'),
    {
      name: 'authorization_ends_cancels',
      expression: `
        create index "authorization_ends_cancels" on "authorization_ends" ("tenant_id")
        where kind = 'cancel' and status in ('requested', 'processing', 'rejected')
      `,
    },
    {
      name: 'authorization_ends_decision',
      expression: `
        create unique index "authorization_ends_decision" on "authorization_ends" ("payment_id")
        where status not in ('failed', 'rejected')
      `,
    },
  ],
})
export class AuthorizationEnd extends schema.class {}
schema.setClass(AuthorizationEnd)
