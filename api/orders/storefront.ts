// The orders of a visitor: those of the address that they proved, or those that they placed in this session.
import { ownRecords } from '../../entities/crm/session-rights.ts'
import { Order } from '../../entities/orders/order.ts'
import { OrderOut } from '../../rules/resources.ts'
import { listing } from '../kit/listing.ts'
import { reading } from '../kit/record.ts'

export const storefrontOrders = [
  listing('GET /v1/storefront/orders', {
    may: 'visitor',
    former: true,
    summary: "List the visitor's own orders",
    description: 'Returns one page, newest first, unless another order is requested. Without a sign-in, only what this visitor token ordered.',
    entity: Order,
    unmanaged: true,
    item: OrderOut,
    scope: ({ caller }) => ownRecords(caller),
  }),
  reading('GET /v1/storefront/orders/{id}', {
    may: 'visitor',
    former: true,
    summary: "Read one of the visitor's own orders",
    entity: Order,
    out: OrderOut,
    where: ({ path, caller }) => ({ id: path.id, ...ownRecords(caller) }),
  }),
]
