// A visitor's own orders.
import { Order } from '../../entities/orders/order.ts'
import { notFound } from '../../rules/refusal.ts'
import { OrderOut } from '../../rules/resources.ts'
import { listing } from '../kit/listing.ts'
import { route } from '../kit/route.ts'

export const storefrontOrders = [
  listing('GET /v1/storefront/orders', {
    may: 'visitor',
    summary: "List the visitor's own orders",
    entity: Order,
    plain: true,
    item: OrderOut,
    within: ({ caller }) => ({ contact_id: caller.contact_id }),
  }),
  route('GET /v1/storefront/orders/{id}', {
    may: 'visitor',
    summary: "Read one of the visitor's own orders",
    out: OrderOut,
    run: ({ em, path, caller }) => em.findOneOrFail(Order, { id: path.id, contact_id: caller.contact_id }, { failHandler: () => notFound('order') }),
  }),
]
