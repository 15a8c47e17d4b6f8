// Shipments of an order: what left the house, or was handed over, and by whom.
import { z } from 'zod'
import { Order } from '../../entities/orders/order.ts'
import { Shipment } from '../../entities/orders/shipment.ts'
import { ship, unship } from '../../entities/orders/shipments.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { notFound } from '../../rules/refusal.ts'
import { CreatedAt, Id, Quantity, UpdatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/listing.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

const ShipmentItem = z
  .strictObject({ line_id: Id.describe('Identifier of a line of the order.'), quantity: Quantity.describe('Units of the line in this shipment.') })
  .meta({ id: 'ShipmentItem' })

const ShipmentOut = z
  .object({
    id: z.string().describe('Identifier of the shipment, a UUIDv7 made by the server.'),
    order_id: z.string().describe('Identifier of the order.'),
    items: z.array(ShipmentItem).describe('Lines of the order that were shipped, with their quantities.'),
    carrier: z.string().nullable().describe('Carrier that delivers the goods; null if they were handed over.'),
    tracking_number: z.string().nullable().describe("The carrier's tracking number; null for none."),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Shipment' })

const word = z.string().trim().min(1).max(200).nullable().optional()

export const shipments = [
  listing('GET /v1/stores/{storeId}/orders/{orderId}/shipments', {
    may: 'admin',
    summary: 'List the shipments of an order',
    entity: Shipment,
    item: ShipmentOut,
    async within({ em, path }) {
      if ((await em.count(Order, { id: path.orderId })) === 0) throw notFound('order')
      return { order_id: path.orderId }
    },
  }),
  route('GET /v1/stores/{storeId}/orders/{orderId}/shipments/{id}', {
    operation: 'getShipment',
    may: 'admin',
    summary: 'Read a shipment',
    out: ShipmentOut,
    run: ({ em, path }) => em.findOneOrFail(Shipment, { id: path.id, order_id: path.orderId }, { failHandler: () => notFound('shipment') }),
  }),
  route('POST /v1/stores/{storeId}/orders/{orderId}/shipments', {
    operation: 'createShipment',
    may: 'admin',
    refuses: ['already_shipped', 'order_cancelled', 'order_not_confirmed', 'stale_version', 'line_cancelled', 'line_unknown', 'not_shippable'],
    summary: 'Create a shipment',
    body: z.object({
      items: z
        .array(ShipmentItem)
        .min(1)
        .max(500)
        .check(distinct(({ line_id }) => line_id, 'line_id'))
        .describe('Lines of the order to ship, each once.'),
      carrier: word.describe('Carrier that delivers the goods; null or left out: they were handed over.'),
      tracking_number: word.describe("The carrier's tracking number; null or left out: none."),
      version: z
        .int()
        .optional()
        .describe('Version of the order from the latest read. With it, a repeated request returns 409 `stale_version` instead of shipping twice.'),
    }),
    out: ShipmentOut,
    status: 201,
    run: ({ em, path, body, now }) => ship(em, path.orderId, body, now),
  }),
  route('DELETE /v1/stores/{storeId}/orders/{orderId}/shipments/{id}', {
    operation: 'deleteShipment',
    may: 'admin',
    summary: 'Delete a shipment',
    out: Success,
    async run({ em, path, now }) {
      await unship(em, path.orderId, path.id, now)
      return success
    },
  }),
]
