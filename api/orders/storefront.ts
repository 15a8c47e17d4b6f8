// The orders of a visitor.
import { Order } from '../../entities/orders/order.ts'
import { OrderOut } from '../../rules/resources.ts'
import { listing } from '../kit/listing.ts'
import { reading } from '../kit/record.ts'

export const storefrontOrders = [
  listing('GET /v1/storefront/orders', {
    may: 'visitor',
    summary: "List the visitor's own orders",
    entity: Order,
    unmanaged: true,
    item: OrderOut,
    scope: ({ caller }) => ({ contact_id: caller.contact_id }),
  }),
  reading('GET /v1/storefront/orders/{id}', {
    may: 'visitor',
    summary: "Read one of the visitor's own orders",
    entity: Order,
    out: OrderOut,
    where: ({ path, caller }) => ({ id: path.id, contact_id: caller.contact_id }),
  }),
]
