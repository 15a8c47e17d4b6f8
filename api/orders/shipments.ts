// Shipments of an order: goods that were sent or handed over.
import { z } from 'zod'
import { mustExist } from '../../entities/kit/find.ts'
import { Order } from '../../entities/orders/order.ts'
import { Shipment } from '../../entities/orders/shipment.ts'
import { ship, unship } from '../../entities/orders/shipments.ts'
import { Quantity } from '../../rules/carts/items.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'

const ShipmentItem = z
  .strictObject({
    line_id: Id.describe('Identifier of a line of the order.'),
    quantity: Quantity.describe('Units of the line in this shipment.'),
  })
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

const ShipmentText = z.string().trim().min(1).max(200).nullable().optional()

export const shipments = [
  listing('GET /v1/stores/{storeId}/orders/{orderId}/shipments', {
    may: 'admin',
    summary: 'List the shipments of an order',
    entity: Shipment,
    item: ShipmentOut,
    async scope({ em, path }) {
      await mustExist(em, Order, { id: path.orderId }, 'order')
      return { order_id: path.orderId }
    },
  }),
  reading('GET /v1/stores/{storeId}/orders/{orderId}/shipments/{id}', {
    operation: 'getShipment',
    may: 'admin',
    summary: 'Read a shipment',
    entity: Shipment,
    out: ShipmentOut,
    where: ({ path }) => ({ id: path.id, order_id: path.orderId }),
  }),
  route('POST /v1/stores/{storeId}/orders/{orderId}/shipments', {
    operation: 'createShipment',
    may: 'admin',
    refuses: [
      'already_shipped',
      'order_cancelled',
      'order_not_confirmed',
      'stale_version',
      'line_cancelled',
      'line_unknown',
      'not_shippable',
    ],
    summary: 'Create a shipment',
    description:
      'Records units of lines as shipped and updates the fulfillment status of the order. 409 `already_shipped` if more units would be shipped than a line has left. The order must ' +
      'be confirmed.',
    body: z.object({
      items: z
        .array(ShipmentItem)
        .min(1)
        .max(500)
        .check(distinct(({ line_id }) => line_id, 'line_id'))
        .describe('Lines of the order to ship, each once.'),
      carrier: ShipmentText.describe('Carrier that delivers the goods; null or left out if they were handed over.'),
      tracking_number: ShipmentText.describe("The carrier's tracking number; null or left out for none."),
      version: z
        .int()
        .optional()
        .describe(
          'Version of the order from the latest read. With it, a repeated request returns 409 `stale_version` instead of shipping twice.',
        ),
    }),
    out: ShipmentOut,
    status: 201,
    run: ({ em, path, body, now }) => ship(em, path.orderId, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/orders/{orderId}/shipments/{id}', {
    operation: 'deleteShipment',
    may: 'admin',
    summary: 'Delete a shipment',
    description: 'For a shipment that was recorded by mistake: its units count as not shipped again.',
    remove: ({ em, path, now }) => unship(em, path.orderId, path.id, now),
  }),
]
