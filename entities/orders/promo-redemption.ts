// One use of a promo code by one order, deleted when the order is cancelled.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/row.ts'
import { Order } from './order.ts'
import { PromoCode } from './promo-code.ts'

const schema = defineEntity({
  name: 'PromoRedemption',
  tableName: 'promo_redemptions',
  properties: {
    ...tenantRow,
    promo_code_id: () => p.manyToOne(PromoCode).mapToPk().deleteRule('cascade').joinColumn('promo_code_id'),
    order_id: () => p.manyToOne(Order).mapToPk().deleteRule('cascade').joinColumn('order_id'),
  },
  uniques: [{ properties: ['promo_code_id', 'order_id'] }],
  indexes: [{ properties: ['order_id'] }],
})
export class PromoRedemption extends schema.class {}
schema.setClass(PromoRedemption)
