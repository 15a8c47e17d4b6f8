// A promo code: its discounts, its conditions, and how often it was used.
import { defineEntity, p } from '@mikro-orm/core'
import type { Condition, Discount } from '../../rules/promotions/promo-code-shapes.ts'
import { ArchivableStatus } from '../../rules/shapes.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'PromoCode',
  tableName: 'promo_codes',
  properties: {
    ...tenantRow,
    /** The code as the operator wrote it. */
    code: p.string(),
    /** The code as it is compared, without case. */
    code_key: p.string(),
    status: p.enum(ArchivableStatus.options).default('active'),
    discounts: p.json<Discount[]>(),
    conditions: p.json<Condition[]>(),
    /** A copy of the max_uses condition, for the statement that counts a use. */
    max_uses: p.integer().nullable(),
    uses: p.integer().default(0),
  },
  checks: [{ expression: 'uses >= 0', name: 'promo_codes_uses' }],
  uniques: [{ properties: ['tenant_id', 'code_key'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { properties: ['tenant_id', 'code', 'id'] },
    {
      name: 'promo_codes_prefix',
      expression: 'create index "promo_codes_prefix" on "promo_codes" ("tenant_id", "code_key" text_pattern_ops)',
    },
  ],
})
export class PromoCode extends schema.class {}
schema.setClass(PromoCode)
