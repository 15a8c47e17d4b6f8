// A code is used as often as it may be, and not once more: counted in the transaction of the order that uses it.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { PromoRefusal } from '../../rules/orders/promo-codes.ts'
import { invalid } from '../../rules/refusal.ts'

export const refusedCode = (code: PromoRefusal, detail: string) => invalid('/promo_code', code, detail)

/**
 * Counts one use under the code's lock, which is held until the commit: 422 promo_code_exhausted, or promo_code_invalid where it was archived
 * or removed meanwhile. The redemption itself is written with the order.
 */
export async function countUse(em: EntityManager, tenantId: string, promo: { id: string; max_uses_per_user: number | null }, contactId: string): Promise<void> {
  const counted: unknown[] = await em.execute(
    `update promo_codes set uses = uses + 1 where id = ? and tenant_id = ? and status = 'active' and (max_uses is null or uses < max_uses) returning id`,
    [promo.id, tenantId],
  )
  if (counted.length === 0) {
    const rows: unknown[] = await em.execute(`select id from promo_codes where id = ? and tenant_id = ? and status = 'active'`, [promo.id, tenantId])
    throw rows.length === 0
      ? refusedCode('promo_code_invalid', 'There is no such promo code.')
      : refusedCode('promo_code_exhausted', 'The promo code was used as often as it may be.')
  }
  if (promo.max_uses_per_user === null) return
  // A statement of its own: it sees what others committed while we waited for the lock.
  const uses: { uses: number }[] = await em.execute(
    `select count(*)::int as uses from orders o join promo_redemptions r on r.order_id = o.id and r.tenant_id = o.tenant_id
     where o.tenant_id = ? and o.contact_id = ? and r.promo_code_id = ?`,
    [tenantId, contactId, promo.id],
  )
  if ((uses[0]?.uses ?? 0) >= promo.max_uses_per_user) throw refusedCode('promo_code_exhausted', 'You have used the promo code as often as one customer may.')
}

/** The order's use of its code is given back. The code first, as whoever removes it locks it first. */
export const giveBackUse = (em: EntityManager, tenantId: string, orderId: string) =>
  em.execute(
    `with own as (select c.id from promo_codes c where c.tenant_id = ? and c.id in (select promo_code_id from promo_redemptions where tenant_id = ? and order_id = ?) for update),
     gone as (delete from promo_redemptions where tenant_id = ? and order_id = ? and promo_code_id in (select id from own) returning promo_code_id)
     update promo_codes c set uses = c.uses - 1 from gone where c.id = gone.promo_code_id and c.tenant_id = ?`,
    [tenantId, tenantId, orderId, tenantId, orderId, tenantId],
  )
