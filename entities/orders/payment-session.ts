// The provider's page on which an order is paid. Opening it is an effect; closing it is another one (session-expiry.ts).
import { defineEntity, p } from '@mikro-orm/core'
import { SessionState } from '../../rules/orders/payments.ts'
import { effect } from '../kit/effect-columns.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { tenantRow } from '../kit/row.ts'
import { Order } from './order.ts'

const schema = defineEntity({
  name: 'PaymentSession',
  tableName: 'payment_sessions',
  properties: {
    ...tenantRow,
    order_id: () => p.manyToOne(Order).mapToPk().unique().deleteRule('restrict').joinColumn('order_id'),
    payment_id: p.uuid(),
    provider_account_id: p.string(),
    return_url: p.text(),
    amount: p.bigint('number'),
    currency: p.string().length(3),
    /** Set by the first attempt; Unix seconds. */
    expires_at: p.bigint('number').nullable(),
    provider_session_id: p.string().nullable(),
    client_secret: p.type(Encrypted).nullable(),
    /** As it was last read or reported by an event; null while the page is not known to exist. */
    state: p.enum(SessionState.options).nullable(),
    ...effect,
  },
  indexes: [{ properties: ['status', 'created_at'] }, { properties: ['provider_session_id'] }],
})
export class PaymentSession extends schema.class {}
schema.setClass(PaymentSession)
