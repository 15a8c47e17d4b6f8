// A market that a store sells in: its currency, tax mode, zones and payment methods.
import { defineEntity, p } from '@mikro-orm/core'
import { type PaymentMethod, TaxMode, type Zone } from '../../rules/stores/markets.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Market',
  tableName: 'markets',
  properties: {
    ...tenantRow,
    key: p.string(),
    currency: p.string().length(3),
    tax_mode: p.enum(TaxMode.options),
    zones: p.json<Zone[]>(),
    payment_methods: p.json<PaymentMethod[]>(),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [{ properties: ['tenant_id', 'created_at', 'id'] }],
})
export class Market extends schema.class {}
schema.setClass(Market)
