// Cash checkout of a cart of two lines, each by another buyer.
import { digest } from '../../api/kit/caller.ts'
import { json, lanesOf, type Path } from '../kit/path.ts'
import type { Buyer } from '../kit/shop.ts'

export const checkout = ({ cart_id, contact_id, session_id, token, headers }: Buyer, body: Record<string, string>) => ({
  method: 'POST' as const,
  path: `/v1/storefront/carts/${cart_id}/checkout`,
  headers: json(headers),
  body: JSON.stringify(body),
  own: [cart_id, contact_id, session_id, digest(token)],
})

export const cashCheckout: Path = {
  name: 'cash-checkout',
  floor: 'statements',
  target: { per_s: 130, p95_ms: 120, sql: 20 },
  once: 4000,
  lanes: async (shop, clients, each) =>
    lanesOf(await shop.buyers(clients * each), clients, (buyer) => checkout(buyer, { payment_method_key: 'cash' })),
}
