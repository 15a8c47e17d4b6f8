// Shipments are counted on their order lines, under the order's lock, so that no unit is shipped twice. A deleted
// shipment can be shipped again.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { mayShip, type ShipmentItem, type ShipmentRefused } from '../../rules/orders/fulfillment.ts'
import { conflict, notFound, Refusal } from '../../rules/refusal.ts'
import { newId } from '../kit/ids.ts'
import { refreshFulfillment } from './fulfillment.ts'
import { Order } from './order.ts'
import { orderUpdated } from './order-events.ts'
import { OrderLine } from './order-line.ts'
import { Shipment } from './shipment.ts'
import { checkVersion } from './version.ts'

type OrderGoods = { order: Order; lines: OrderLine[] }

/**
 * Locks the order, then its lines by id; 404 if there is no such order, 409 stale_version if the caller read an older
 * version.
 */
async function lock(em: EntityManager, orderId: string, version?: number): Promise<OrderGoods> {
  const order = await em.findOne(Order, { id: orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!order) throw notFound('order')
  if (version !== undefined) checkVersion(order, version)
  const lines = await em.find(
    OrderLine,
    { order_id: orderId },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  return { order, lines }
}

/** Adds to the shipped quantities or subtracts from them, and updates the order's fulfillment status and version. */
async function count(
  em: EntityManager,
  { order, lines }: OrderGoods,
  items: readonly ShipmentItem[],
  sign: 1 | -1,
  now: number,
): Promise<void> {
  for (const { line_id, quantity } of items) {
    const line = lines.find(({ id }) => id === line_id)
    if (line) em.assign(line, { shipped_quantity: line.shipped_quantity + sign * quantity, updated_at: now })
  }
  em.assign(order, { version: order.version + 1, updated_at: now })
  await em.flush()
  await refreshFulfillment(em, order)
}

function refused(verdict: ShipmentRefused): Refusal {
  const { detail } = verdict
  if (!('item' in verdict)) return conflict(verdict.code, detail)
  const faults = [{ pointer: `/items/${verdict.item}/${verdict.field}`, code: verdict.code, detail }]
  if (verdict.code !== 'already_shipped') return new Refusal(422, verdict.code, detail, { faults })
  return conflict(verdict.code, detail, { faults, members: { line_id: verdict.line_id, remaining: verdict.remaining } })
}

export type NewShipment = {
  items: ShipmentItem[]
  carrier?: string | null | undefined
  tracking_number?: string | null | undefined
  /** The order's version that the caller read: a repeated request is refused instead of shipping twice. */
  version?: number | undefined
}

/**
 * Writes a shipment. 409 order_not_confirmed, order_cancelled, stale_version, or already_shipped naming what is left
 * (rules/orders/fulfillment.ts).
 */
export async function ship(
  em: EntityManager,
  orderId: string,
  { items, carrier = null, tracking_number = null, version }: NewShipment,
  now: number,
): Promise<Shipment> {
  const goods = await lock(em, orderId, version)
  const may = mayShip(goods.order.status, goods.lines, items)
  if (!may.ok) throw refused(may)
  await count(em, goods, items, 1, now)
  const { tenant_id } = goods.order
  const shipment = em.create(Shipment, {
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    order_id: orderId,
    items,
    carrier,
    tracking_number,
  })
  await em.flush()
  await orderUpdated(em, goods.order, now)
  return shipment
}

/** Deletes a shipment; its quantities can be shipped again. 404 if there is no such shipment. */
export async function unship(em: EntityManager, orderId: string, id: string, now: number): Promise<void> {
  const goods = await lock(em, orderId)
  const shipment = await em.findOne(Shipment, { id, order_id: orderId })
  if (!shipment) throw notFound('shipment')
  await count(em, goods, shipment.items, -1, now)
  em.remove(shipment)
  await em.flush()
  await orderUpdated(em, goods.order, now)
}
