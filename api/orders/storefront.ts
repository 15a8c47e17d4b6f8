// The orders of a visitor: those of the address that they proved, or those that they placed in this session.

import { z } from 'zod'
import { ownRecords } from '../../entities/crm/session-rights.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { Order } from '../../entities/orders/order.ts'
import { Payment } from '../../entities/payments/payment.ts'
import { buyerErrorOf } from '../../rules/payments/provider-answers.ts'
import { OrderOut } from '../../rules/resources.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'

const OwnOrderOut = OrderOut.extend({
  payment_error: z
    .object({
      code: z
        .string()
        .describe('Stable code: `card_declined` while another card can be tried, `payment_rejected` otherwise.'),
      message: z.string().describe('Why, for the buyer.'),
    })
    .nullable()
    .describe('Why the last attempt to pay failed; null if none did, and once it is paid.'),
}).meta({
  id: 'StorefrontOrder',
  description: 'An order as its buyer sees it. Amounts are in minor units of `money.currency`.',
})

/** With what the buyer may know of failed attempts to pay. */
async function asBuyers(em: EntityManager, orders: readonly Order[]) {
  const payments = await em.find(Payment, { order_id: { $in: orders.map(({ id }) => id) } })
  return orders.map((order) => {
    const payment = payments.find(({ order_id }) => order_id === order.id)
    return { ...asRow(order), payment_error: payment?.status === 'paid' ? null : buyerErrorOf(payment?.error) }
  })
}

export const storefrontOrders = [
  listing('GET /v1/storefront/orders', {
    may: 'visitor',
    accepts: 'former-token',
    summary: "List the visitor's own orders",
    description:
      'Returns one page, newest first, unless another order is requested. Without a sign-in, only what this visitor token ordered.',
    entity: Order,
    unmanaged: true,
    item: OwnOrderOut,
    scope: ({ caller }) => ownRecords(caller),
    load: (em, rows: Order[]) => asBuyers(em, rows),
  }),
  reading('GET /v1/storefront/orders/{id}', {
    may: 'visitor',
    accepts: 'former-token',
    summary: "Read one of the visitor's own orders",
    entity: Order,
    out: OwnOrderOut,
    where: ({ path, caller }) => ({ id: path.id, ...ownRecords(caller) }),
    async show(order, { em }) {
      const [shown] = await asBuyers(em, [order])
      return shown as NonNullable<typeof shown>
    },
  }),
]
