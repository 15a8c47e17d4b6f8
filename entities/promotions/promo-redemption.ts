// One use of a promo code by one order or one subscription, deleted when the order is cancelled or the subscription's
// page is given up.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
// Backwards: a foreign key, as a code is used by an order.
import { Order } from '../orders/order.ts'
// Backwards: a foreign key, as a code is used by a subscription.
import { Subscription } from '../subscriptions/subscription.ts'
import { PromoCode } from './promo-code.ts'

const schema = defineEntity({
  name: 'PromoRedemption',
  tableName: 'promo_redemptions',
  properties: {
    ...tenantRow,
    promo_code_id: () => p.manyToOne(PromoCode).mapToPk().deleteRule('cascade').joinColumn('promo_code_id'),
    order_id: () => p.manyToOne(Order).mapToPk().deleteRule('cascade').joinColumn('order_id').nullable(),
    subscription_id: () =>
      p.manyToOne(Subscription).mapToPk().unique().deleteRule('cascade').joinColumn('subscription_id').nullable(),
    /** Who used it; uses per customer are counted by it. Contacts that are merged pass their uses on. */
    contact_id: p.uuid(),
    /**
     * The contact's address at that time, by which uses per customer are counted, too: one customer may have several
     * browsers. Null without one.
     */
    address: p.string().length(254).nullable(),
  },
  uniques: [{ properties: ['promo_code_id', 'order_id'] }],
  checks: [{ name: 'promo_redemptions_owner', expression: '(order_id is null) <> (subscription_id is null)' }],
  indexes: [
    { properties: ['order_id'] },
    { properties: ['contact_id', 'promo_code_id'] },
    {
      name: 'promo_redemptions_address',
      expression: `
        create index "promo_redemptions_address" on "promo_redemptions" ("promo_code_id", "address")
        where address is not null
      `,
    },
  ],
})
export class PromoRedemption extends schema.class {}
schema.setClass(PromoRedemption)
