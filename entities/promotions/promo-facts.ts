// The facts that decide whether a contact may use a promo code, for orders and for subscriptions: one SQL expression.
import type { PromoFacts } from '../../rules/promotions/promo-codes.ts'
import { nothing, type Sql, sql } from '../kit/database/sql.ts'
import { orderEmail, usesSql } from './redemptions.ts'

export type PromoCodeFacts = PromoFacts & { id: string; code: string }

/**
 * `PromoCodeFacts` of the promo code `c` for a contact, as JSON. `without`: how many uses are left out, as a subselect.
 * The code is not locked: another transaction may use it up before this one does. `countUse` (redemptions.ts) checks
 * both limits again under the lock of the code.
 */
export const promoFacts = (tenantId: string, contactId: string, without: Sql | null = null): Sql => {
  const left = without === null ? nothing : sql`- ${without}`
  const by = { contact_id: contactId, address: orderEmail(tenantId, contactId) }
  return sql`
    jsonb_build_object(
      'id', c.id, 'code', c.code, 'status', c.status, 'discounts', c.discounts, 'conditions', c.conditions,
      'uses', c.uses ${left}, 'contact_uses', ${usesSql(tenantId, by, sql`c.id`)} ${left}
    )
  `
}
