// An effect: closes a provider's payment page before the order's stock is released.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { attentionIndexes, effect, recordedOfAllIndex } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
import { PaymentSession } from './payment-session.ts'

const schema = defineEntity({
  name: 'SessionExpiry',
  tableName: 'session_expiries',
  properties: {
    ...tenantRow,
    payment_session_id: () =>
      p.manyToOne(PaymentSession).mapToPk().unique().deleteRule('cascade').joinColumn('payment_session_id'),
    ...effect,
  },
  indexes: [
    { properties: ['status', 'created_at'] },
    ...attentionIndexes('session_expiries'),
    recordedOfAllIndex('session_expiries'),
  ],
})
export class SessionExpiry extends schema.class {}
schema.setClass(SessionExpiry)

export const sessionExpiryEffect = effectRow('session_expiry', {
  processId: sql`
    (
      select coalesce(s.order_id, s.subscription_id)
      from payment_sessions s
      where s.id = e.payment_session_id and s.tenant_id = e.tenant_id
    )
  `,
  ofProcesses: (ids) => sql`
    e.payment_session_id in (
      select s.id
      from payment_sessions s
      where s.order_id = any (${ids}) or s.subscription_id = any (${ids})
    )
  `,
  // A page that has ended need not be closed.
  precondition: sql`
    exists (
      select 1
      from payment_sessions s
      where s.id = e.payment_session_id and s.tenant_id = e.tenant_id and coalesce(s.state, 'open') = 'open'
    )
  `,
})
