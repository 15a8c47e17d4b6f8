// Order events carry the order as the API returns it at that moment.
import type { EntityManager } from '@mikro-orm/postgresql'
import { OrderOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import { sql } from '../kit/sql.ts'
import { emit } from '../webhooks/events.ts'

/** The order as GET …/orders/{id} returns it. Its changes must be flushed. */
export async function orderShown(em: EntityManager, tenantId: string, id: string): Promise<unknown> {
  const rows: object[] = await em.execute(sql`select * from orders where id = ${id} and tenant_id = ${tenantId}`)
  if (!rows[0]) throw new Error(`there is no order ${id}`)
  return serialize(OrderOut, rows[0])
}

/**
 * Publishes `order.updated`, once per transaction and as its last step: for every new version of an order, and for a cash payment. The order's changes must be
 * flushed. `now` in Unix seconds.
 */
export const orderUpdated = (em: EntityManager, order: { id: string; tenant_id: string }, now: number): Promise<void> =>
  emit(em, order.tenant_id, 'order.updated', () => orderShown(em, order.tenant_id, order.id), now)
