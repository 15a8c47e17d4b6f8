// An effect: closes a provider's payment page before the order's stock is released.
import { defineEntity, p } from '@mikro-orm/core'
import type { Resolution } from '../../rules/resolutions.ts'
import { tenantRow } from '../kit/database/row.ts'
import { effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
import { PaymentSession } from './payment-session.ts'

const schema = defineEntity({
  name: 'SessionExpiry',
  tableName: 'session_expiries',
  properties: {
    ...tenantRow,
    payment_session_id: () =>
      p.manyToOne(PaymentSession).mapToPk().unique().deleteRule('cascade').joinColumn('payment_session_id'),
    /** What a person found out about an unknown outcome. */
    resolution: p.json<Resolution>().nullable(),
    ...effect,
  },
  indexes: [
    { properties: ['status', 'created_at'] },
    {
      name: 'session_expiries_attention',
      expression: `create index "session_expiries_attention" on "session_expiries" ("tenant_id") where status = 'unknown' or resolution is not null`,
    },
  ],
})
export class SessionExpiry extends schema.class {}
schema.setClass(SessionExpiry)

export const sessionExpiryEffect = effectRow('session_expiry', {
  processId:
    '(select coalesce(s.order_id, s.subscription_id) from payment_sessions s where s.id = e.payment_session_id and s.tenant_id = e.tenant_id)',
  // A page that has ended need not be closed.
  precondition: `exists (select 1 from payment_sessions s where s.id = e.payment_session_id and s.tenant_id = e.tenant_id and coalesce(s.state, 'open') = 'open')`,
})
