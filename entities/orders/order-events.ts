// Whoever wants to hear of an order is told of it as the API shows it at that moment.
import type { EntityManager } from '@mikro-orm/postgresql'
import { OrderOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import { emit } from '../webhooks/events.ts'

/** As GET …/orders/{id} answers; what is pending of it is flushed. */
export async function orderShown(em: EntityManager, tenantId: string, id: string): Promise<unknown> {
  const rows: object[] = await em.execute('select * from orders where id = ? and tenant_id = ?', [id, tenantId])
  if (!rows[0]) throw new Error(`there is no order ${id}`)
  return serialize(OrderOut, rows[0])
}

/**
 * `order.updated`, once per transaction and last of all in it: for every new version of an order, and for cash that was taken. What is pending is flushed.
 * `now` in Unix seconds.
 */
export const orderUpdated = (em: EntityManager, order: { id: string; tenant_id: string }, now: number): Promise<void> =>
  emit(em, order.tenant_id, 'order.updated', () => orderShown(em, order.tenant_id, order.id), now)
