// A refund, from the request to the settled record. Each client refunds one order, a cent at a time.
import { setTimeout as pause } from 'node:timers/promises'
import { client } from '../../client/client.ts'
import { newId } from '../../entities/kit/ids.ts'
import { json, type Path } from '../kit/path.ts'
import type { Buyer, Shop } from '../kit/shop.ts'
import { card } from './card-checkout.ts'

/** An order that is paid by card at the simulator. */
async function paidOrder({ api, stripe, operator, store_id }: Shop, { headers, cart_id }: Buyer): Promise<string> {
  const bought = await client({ base: api, headers })('POST /v1/storefront/carts/{id}/checkout', {
    path: { id: cart_id },
    body: card,
  })
  const session = 'client_secret' in bought.payment_action && bought.payment_action.client_secret.split('_secret_')[0]
  await fetch(`${stripe}/_sim/checkout_sessions/${session}/pay`, {
    method: 'POST',
    headers: json({}),
    body: '{"outcome":"succeeded"}',
  })
  const path = { storeId: store_id, orderId: bought.order_id }
  for (let tries = 0; tries < 400; tries++) {
    const payment = await client({ base: api, headers: operator })(
      'GET /v1/stores/{storeId}/orders/{orderId}/payment',
      { path },
    )
    if (payment.status === 'paid') return bought.order_id
    await pause(25)
  }
  throw new Error('A payment was not settled within 10 s.')
}

export const refund: Path = {
  name: 'refund',
  floor: 'workflow',
  once: 800,
  async lanes(shop, clients, each) {
    const orders = await Promise.all((await shop.buyers(clients)).map((buyer) => paidOrder(shop, buyer)))
    return orders.map((order) =>
      Array.from({ length: each }, () => ({
        method: 'POST',
        path: `/v1/stores/${shop.store_id}/orders/${order}/refunds`,
        headers: json(shop.operator),
        body: JSON.stringify({ refund_id: newId(), amount: 1 }),
      })),
    )
  },
}
