// The provider's page on which an order or the first payment of a subscription is paid. Opening it is an effect;
// closing it is another one (session-expiry.ts).
import { defineEntity, p } from '@mikro-orm/core'
import { SessionMode, SessionState } from '../../rules/payments/payments.ts'
import { tenantRow } from '../kit/database/row.ts'
import { sql, text } from '../kit/database/sql.ts'
import { attentionIndexes, effect, recordedOfAllIndex } from '../kit/effect-columns.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { Order } from '../orders/order.ts'
// Backwards: a foreign key, as a page belongs to an order or to a subscription.
import { Subscription } from '../subscriptions/subscription.ts'

/** A page that a person found is listed until it is found at the provider. `of`: the alias of the row and a dot. */
export const isSearched = (of: string) => {
  const own = (name: string) => text(`${of}${name}`)
  return sql`
    (${own('status')} = 'succeeded' and ${own('provider_session_id')} is null and ${own('resolution')} is not null)
  `
}

const schema = defineEntity({
  name: 'PaymentSession',
  tableName: 'payment_sessions',
  properties: {
    ...tenantRow,
    order_id: () => p.manyToOne(Order).mapToPk().unique().deleteRule('restrict').joinColumn('order_id').nullable(),
    subscription_id: () =>
      p.manyToOne(Subscription).mapToPk().unique().deleteRule('restrict').joinColumn('subscription_id').nullable(),
    mode: p.enum(SessionMode.options).default('payment'),
    payment_id: p.uuid(),
    /** The connected account; null: the platform's own. */
    provider_account_id: p.string().nullable(),
    /** Null for a page that does not redirect on completion. */
    return_url: p.text().nullable(),
    amount: p.bigint('number'),
    currency: p.string().length(3),
    /** Set by the first attempt; Unix seconds. */
    expires_at: p.bigint('number').nullable(),
    provider_session_id: p.string().nullable(),
    /** The secret of the form; for a page that is the provider's own, its address. */
    client_secret: p.type(Encrypted).nullable(),
    /** The state that was last read or reported by an event; null while the page is not known to exist. */
    state: p.enum(SessionState.options).nullable(),
    ...effect,
  },
  checks: [{ name: 'payment_sessions_owner', expression: '(order_id is null) <> (subscription_id is null)' }],
  indexes: [
    { properties: ['status', 'created_at'] },
    { properties: ['provider_session_id'] },
    ...attentionIndexes('payment_sessions', isSearched),
    recordedOfAllIndex('payment_sessions'),
  ],
})
export class PaymentSession extends schema.class {}
schema.setClass(PaymentSession)
