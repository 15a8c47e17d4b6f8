// An effect: closes a provider's payment page before the order's stock is released.
import { defineEntity, p } from '@mikro-orm/core'
import { effect } from '../kit/effect-columns.ts'
import { tenantRow } from '../kit/row.ts'
import { PaymentSession } from './payment-session.ts'

const schema = defineEntity({
  name: 'SessionExpiry',
  tableName: 'session_expiries',
  properties: {
    ...tenantRow,
    payment_session_id: () => p.manyToOne(PaymentSession).mapToPk().unique().deleteRule('cascade').joinColumn('payment_session_id'),
    ...effect,
  },
  indexes: [{ properties: ['status', 'created_at'] }],
})
export class SessionExpiry extends schema.class {}
schema.setClass(SessionExpiry)
